//! Forms: limits, refusal of other sites' forms, and parsing.
//!
//! A handler reads a form into its own type ([`Form::read`]). An invalid or refused form becomes a
//! [`Refusal`], which its page then shows: see [`Fields`].

mod fields;

use std::{fmt::Display, time::Duration};

use ::fields::line;
use actix_web::{
    HttpRequest,
    error::PayloadError,
    http::header::{HOST, HeaderMap, ORIGIN},
    web::{self, Bytes},
};
use futures_util::{Stream, StreamExt as _};
use kernel::Prefixes;
use tokio::time::timeout;

pub use self::fields::Fields;
use crate::{
    error::{Answer, Failure, Refusal},
    query::Query,
    state::Site,
};

/// The largest form in bytes: a page of checkboxes, and a reason.
const MOST_BYTES: usize = 64 * 1024;
const TIME: Duration = Duration::from_secs(10);
/// How many lines of prefixes are read: more than a client may have.
const MOST_PREFIXES: usize = 1_000;
pub const TOKEN_FIELD: &str = "token";

#[derive(Debug)]
pub struct Form(Query);

impl Form {
    pub async fn receive(payload: web::Payload) -> Result<Self, Failure> {
        let body = body(payload).await?;
        let text = String::from_utf8(body).map_err(|_| Failure::Unreadable)?;
        Ok(Self(Query::parse(&text)))
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name)
    }

    pub const fn values(&self) -> &Query {
        &self.0
    }

    /// Reads a search from the address. Returns its value (`None` if refused) and its form's
    /// fields.
    pub fn search<T>(
        query: Query,
        into: impl FnOnce(&mut Reader<'_>) -> Option<T>,
    ) -> (Option<T>, Fields) {
        let form = Self(query);
        let (value, refusal) = match form.read(into) {
            Err(Failure::Refused(refusal)) => (None, Some(refusal)),
            read => (read.ok(), None),
        };
        let fields = Fields {
            values: form.0,
            refusal,
            is_search: true,
        };
        (value, fields)
    }

    /// Reads a value with `into`, which must read all fields before it fails. So a refusal lists
    /// all faults.
    pub fn read<T>(&self, into: impl FnOnce(&mut Reader<'_>) -> Option<T>) -> Result<T, Failure> {
        let mut reader = Reader {
            form: self,
            faults: Vec::new(),
        };
        match into(&mut reader) {
            Some(value) if reader.faults.is_empty() => Ok(value),
            _ => Err(Refusal::of_fields(reader.faults)),
        }
    }

    pub fn refused(&self, failure: Failure) -> Result<Fields, Failure> {
        let Failure::Refused(refusal) = failure else {
            return Err(failure);
        };
        Ok(Fields {
            values: self.0.clone(),
            refusal: Some(refusal),
            is_search: false,
        })
    }

    /// Returns the answer if the form succeeded, otherwise its page with the typed values.
    pub async fn answer(&self, done: Answer, page: impl AsyncFnOnce(Fields) -> Answer) -> Answer {
        match done {
            Ok(response) => Ok(response),
            Err(failure) => page(self.refused(failure)?).await,
        }
    }
}

pub async fn body(
    mut payload: impl Stream<Item = Result<Bytes, PayloadError>> + Unpin,
) -> Result<Vec<u8>, Failure> {
    let read = async {
        let mut body = Vec::new();
        while let Some(chunk) = payload.next().await {
            let chunk = chunk.map_err(|_| Failure::Unreadable)?;
            if body.len() + chunk.len() > MOST_BYTES {
                return Err(Failure::TooLarge);
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    };
    timeout(TIME, read).await.map_err(|_| Failure::Unreadable)?
}

pub struct Reader<'a> {
    form: &'a Form,
    faults: Vec<(String, String)>,
}

impl<'a> Reader<'a> {
    pub fn text(&self, name: &str) -> &'a str {
        self.form.get(name).unwrap_or_default()
    }

    pub fn take<T>(&mut self, name: &str, value: Result<T, impl Display>) -> Option<T> {
        value.map_err(|why| self.refuse(name, why)).ok()
    }

    pub fn refuse(&mut self, name: &str, why: impl Display) {
        self.faults.push((name.to_owned(), why.to_string()));
    }

    pub fn take_all<T, E: Display>(
        &mut self,
        name: &str,
        parse: impl Fn(&str) -> Result<T, E>,
    ) -> Option<Vec<T>> {
        let values: Result<_, E> = self.form.0.all(name).map(parse).collect();
        self.take(name, values)
    }

    pub fn reason(&mut self) -> Option<String> {
        let reason = line::reason(self.text("reason"));
        self.take("reason", reason.map(str::to_owned))
    }

    pub fn prefixes(&mut self) -> Option<Prefixes> {
        let lines = self.text("prefixes").lines();
        let lines = lines.map(str::trim).filter(|line| !line.is_empty());
        let lines: Vec<_> = lines.take(MOST_PREFIXES).collect();
        self.take("prefixes", Prefixes::new(&lines))
    }

    pub fn unknown_action<T>(&mut self) -> Option<T> {
        self.refuse("action", "must be one of those on the page");
        None
    }
}

pub fn optional<T, E>(
    text: &str,
    parse: impl FnOnce(&str) -> Result<T, E>,
) -> Result<Option<T>, E> {
    (!text.is_empty()).then(|| parse(text)).transpose()
}

/// Refuses a request that a browser marks as a request of another site.
pub fn refuse_other_sites(request: &HttpRequest, site: &Site) -> Result<(), Failure> {
    let headers = request.headers();
    let from = text(headers, "sec-fetch-site");
    if from.is_some_and(|from| !matches!(from, "same-origin" | "none")) {
        return Err(Failure::CrossSite);
    }
    let Some(origin) = text(headers, ORIGIN.as_str()) else {
        return Ok(());
    };
    let host = text(headers, HOST.as_str()).unwrap_or_default();
    let is_own = origin == site.origin
        || origin
            .split_once("://")
            .is_some_and(|(_, authority)| !host.is_empty() && authority == host);
    if is_own {
        Ok(())
    } else {
        Err(Failure::CrossSite)
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let value = headers.get(name)?;
    Some(value.to_str().unwrap_or("?"))
}
