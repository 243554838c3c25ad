//! Forms: their limits, and the refusal of those that another site sends.

use std::time::Duration;

use actix_web::{
    HttpRequest,
    http::header::{HOST, HeaderMap, ORIGIN},
    web,
};
use domain::{client::Prefixes, line};
use futures_util::StreamExt as _;
use tokio::time::timeout;

use crate::{error::Failure, query::Query, session::SignedIn, state::State};

/// The largest form: a page of checkboxes, and a reason.
const MOST_BYTES: usize = 64 * 1024;
/// How long a form may take to arrive.
const TIME: Duration = Duration::from_secs(10);
/// The lines of prefixes that are read; more than a client may have.
const MOST_PREFIXES: usize = 1_000;
/// The field of the token.
pub const TOKEN_FIELD: &str = "token";

/// The fields of a form.
#[derive(Debug)]
pub struct Form(Query);

impl Form {
    /// Reads a form that belongs to no session.
    pub async fn read(mut payload: web::Payload) -> Result<Self, Failure> {
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
        let body = timeout(TIME, read)
            .await
            .map_err(|_| Failure::Unreadable)??;
        let text = String::from_utf8(body).map_err(|_| Failure::Unreadable)?;
        Ok(Self(Query::parse(&text)))
    }

    /// Reads a form of a session, and refuses one that no page of the session has sent.
    pub async fn checked(
        request: &HttpRequest,
        payload: web::Payload,
        state: &State,
        signed_in: &SignedIn,
    ) -> Result<Self, Failure> {
        refuse_other_sites(request, state)?;
        let form = Self::read(payload).await?;
        let token = form.get(TOKEN_FIELD).unwrap_or_default();
        if !signed_in.is_form_token(token) {
            return Err(Failure::CrossSite);
        }
        Ok(form)
    }

    /// A field that is not blank, trimmed.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name)
    }

    /// The operator's reason.
    pub fn reason(&self) -> Result<String, Failure> {
        let reason = line::reason(self.get("reason").unwrap_or_default());
        let reason = reason.map_err(|error| Failure::field(format!("reason: {error}")))?;
        Ok(reason.to_owned())
    }

    /// The prefixes of identifiers, one a line.
    pub fn prefixes(&self) -> Result<Prefixes, Failure> {
        let lines = self.get("prefixes").unwrap_or_default().lines();
        let lines = lines.map(str::trim).filter(|line| !line.is_empty());
        let lines: Vec<_> = lines.take(MOST_PREFIXES).collect();
        Prefixes::new(&lines).map_err(|error| Failure::field(format!("prefixes: {error}")))
    }

    /// All values of a field.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.all(name)
    }
}

/// Refuses a request that a browser says another site has sent.
pub fn refuse_other_sites(request: &HttpRequest, state: &State) -> Result<(), Failure> {
    let headers = request.headers();
    let site = text(headers, "sec-fetch-site");
    if site.is_some_and(|site| !matches!(site, "same-origin" | "none")) {
        return Err(Failure::CrossSite);
    }
    let Some(origin) = text(headers, ORIGIN.as_str()) else {
        return Ok(());
    };
    let host = text(headers, HOST.as_str()).unwrap_or_default();
    let is_own = origin == state.origin
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
