//! The frame of all pages (head and headers), and the page of a failure.

use access::{Crowded, Scope};
use actix_web::{
    FromRequest, Handler, HttpResponse, Resource, ResponseError,
    http::{
        StatusCode,
        header::{
            ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderMap, HeaderName, HeaderValue,
            REFERRER_POLICY, RETRY_AFTER, X_CONTENT_TYPE_OPTIONS,
        },
    },
    web,
};
use askama::Template;

use crate::{
    assets,
    error::{Answer, Failure},
};

const HTML: &str = "text/html; charset=utf-8";

/// No other sites, no inline styles or scripts, no framing.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; \
                      img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; \
                      base-uri 'none'";

/// `same-origin`, because `no-referrer` would make browsers hide the origin of forms, which
/// identifies other sites.
const HEADERS: [(HeaderName, &str); 5] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (REFERRER_POLICY, "same-origin"),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (HeaderName::from_static("x-robots-tag"), "noindex, nofollow"),
    (CACHE_CONTROL, "no-store"),
];

pub fn guard(headers: &mut HeaderMap) {
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

#[derive(Clone, Debug)]
pub struct Head {
    pub title: String,
    pub place: &'static Place,
    pub style: &'static str,
    pub script: &'static str,
}

impl Head {
    pub fn at(place: &'static Place, title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            place,
            style: assets::style_path(),
            script: assets::script_path(),
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
pub struct Place {
    pub base: &'static str,
    pub cookie: &'static str,
    pub navigation: &'static [(&'static str, &'static str)],
}

impl Place {
    pub const fn home(&self) -> &'static str {
        if self.base.is_empty() { "/" } else { self.base }
    }

    pub fn at(&self, path: &str) -> String {
        match path {
            "/" => self.home().to_owned(),
            path => format!("{}{path}", self.base),
        }
    }
}

pub fn page<F, Args>(path: &str, handler: F) -> Resource
where
    F: Handler<Args, Output = Answer> + Clone,
    Args: FromRequest + 'static,
{
    web::resource(path)
        .route(web::get().to(handler.clone()))
        .route(web::head().to(handler))
}

pub static CONSOLE: Place = Place {
    base: "",
    cookie: "posthaste_console",
    navigation: &[
        ("/", "Overview"),
        ("/postings", "Postings"),
        ("/reports", "Reports"),
        ("/companies", "Companies"),
        ("/duplicates", "Duplicates"),
        ("/clients", "Clients"),
        ("/catalogues", "Catalogues"),
        ("/webhooks", "Webhooks"),
        ("/outbox", "Outbox"),
        ("/subscribers", "Subscribers"),
        ("/audit", "Audit"),
    ],
};

pub static INTEGRATION: Place = Place {
    base: "/integration",
    cookie: "posthaste_integration",
    navigation: &[
        ("/", "Overview"),
        ("/postings", "Postings"),
        ("/catalogues", "Catalogues"),
        ("/preview", "Preview"),
        ("/webhooks", "Webhooks"),
    ],
};

#[derive(Clone, Debug)]
pub struct Frame {
    pub head: Head,
    pub who: String,
    pub token: String,
    pub at: &'static str,
    pub notice: Option<String>,
    pub problem: Option<String>,
    pub status: StatusCode,
}

impl Frame {
    pub fn saying(mut self, notice: Option<impl Into<String>>) -> Self {
        self.notice = notice.map(Into::into);
        self
    }

    pub fn link(&self, path: &str) -> String {
        self.head.place.at(path)
    }

    pub const fn is_console(&self) -> bool {
        self.head.place.base.is_empty()
    }

    pub fn answer(&self, page: &impl Template) -> Answer {
        answer(page, self.status)
    }

    pub fn is_at(&self, path: &str) -> bool {
        self.at == path
    }
}

pub fn answer(page: &impl Template, status: StatusCode) -> Answer {
    let html = page.render().map_err(Failure::broken)?;
    Ok(HttpResponse::build(status).content_type(HTML).body(html))
}

pub fn guarded(answer: Answer, place: &'static Place) -> HttpResponse {
    let mut response = answer.unwrap_or_else(|failure| failure.page(place));
    guard(response.headers_mut());
    response
}

impl Failure {
    /// The page of a failure. Failures of the service are also logged.
    pub fn page(&self, place: &'static Place) -> HttpResponse {
        let (status, title, text) = self.answer();
        let mut response = HttpResponse::build(status);
        let mut scopes: &[Scope] = &[];
        match self {
            Self::Method(allowed) => _ = response.insert_header((ALLOW, *allowed)),
            Self::Scope(needed) => scopes = needed,
            Self::Guesses => _ = response.insert_header((RETRY_AFTER, "60")),
            Self::Crowded(Crowded::Limited { retry_after, .. }) => {
                response.insert_header((RETRY_AFTER, *retry_after));
            }
            Self::Crowded(Crowded::TooMany) => _ = response.insert_header((RETRY_AFTER, "1")),
            Self::Crowded(_) => _ = response.insert_header((RETRY_AFTER, "5")),
            Self::Unavailable(why) => {
                tracing::warn!(%why, "pages cannot reach the store");
                response.insert_header((RETRY_AFTER, "5"));
            }
            Self::Broken(why) => tracing::error!(%why, "a page failed"),
            _ => {}
        }
        let page = FailurePage {
            head: Head::at(place, title),
            text: &text,
            scopes,
        };
        let html = page.render().unwrap_or_else(|_| text.to_string());
        let mut response = response.content_type(HTML).body(html);
        guard(response.headers_mut());
        response
    }
}

impl ResponseError for Failure {
    fn status_code(&self) -> StatusCode {
        self.answer().0
    }

    fn error_response(&self) -> HttpResponse {
        self.page(&CONSOLE)
    }
}

#[derive(Template)]
#[template(path = "error.html")]
struct FailurePage<'a> {
    head: Head,
    text: &'a str,
    scopes: &'a [Scope],
}
