//! What all pages have in common: head, frame and headers; and the page of a failure.

use actix_web::{
    HttpResponse, ResponseError,
    http::{
        StatusCode,
        header::{
            ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderMap, HeaderName, HeaderValue,
            REFERRER_POLICY, RETRY_AFTER, X_CONTENT_TYPE_OPTIONS,
        },
    },
};
use askama::Template;

use crate::{
    assets,
    error::{Answer, Failure},
};

const HTML: &str = "text/html; charset=utf-8";

/// Nothing of other sites, no inline style or script, no framing.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; \
                      img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; \
                      base-uri 'none'";

/// `same-origin`: with `no-referrer` browsers would hide the origin of forms as well, by which
/// those of other sites are known.
const HEADERS: [(HeaderName, &str); 5] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (REFERRER_POLICY, "same-origin"),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (HeaderName::from_static("x-robots-tag"), "noindex, nofollow"),
    (CACHE_CONTROL, "no-store"),
];

/// Adds the headers of a page.
pub fn guard(headers: &mut HeaderMap) {
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

/// The head of a page.
#[derive(Clone, Debug)]
pub struct Head {
    pub title: String,
    pub style: &'static str,
    pub script: &'static str,
}

impl Head {
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            style: assets::style_path(),
            script: assets::script_path(),
        }
    }
}

/// The entries of the navigation.
pub const NAVIGATION: [(&str, &str); 9] = [
    ("/", "Overview"),
    ("/postings", "Postings"),
    ("/companies", "Companies"),
    ("/clients", "Clients"),
    ("/catalogues", "Catalogues"),
    ("/webhooks", "Webhooks"),
    ("/outbox", "Outbox"),
    ("/subscribers", "Subscribers"),
    ("/audit", "Audit"),
];

/// What surrounds the page of a signed-in operator.
#[derive(Clone, Debug)]
pub struct Frame {
    pub operator: String,
    pub token: String,
    /// The path of the page in the navigation.
    pub at: &'static str,
    /// A sentence about what was just done.
    pub notice: Option<String>,
    /// A sentence about a form that was refused.
    pub problem: Option<String>,
}

impl Frame {
    /// Whether the page belongs to this entry of the navigation.
    pub fn is_at(&self, path: &str) -> bool {
        self.at == path
    }
}

/// Renders a page.
pub fn answer(page: &impl Template, status: u16) -> Answer {
    let html = page
        .render()
        .map_err(|error| Failure::Broken(error.to_string()))?;
    let status =
        StatusCode::from_u16(status).map_err(|error| Failure::Broken(error.to_string()))?;
    Ok(HttpResponse::build(status).content_type(HTML).body(html))
}

/// An answer with the headers of a page.
pub fn guarded(answer: Answer) -> HttpResponse {
    let mut response = answer.unwrap_or_else(|failure| failure.error_response());
    guard(response.headers_mut());
    response
}

impl ResponseError for Failure {
    fn status_code(&self) -> StatusCode {
        match self {
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Method(_) => StatusCode::METHOD_NOT_ALLOWED,
            Self::Forbidden | Self::CrossSite | Self::BadOperator => StatusCode::FORBIDDEN,
            Self::Unreadable => StatusCode::BAD_REQUEST,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Address => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Unavailable(_) => StatusCode::SERVICE_UNAVAILABLE,
            Self::Broken(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    fn error_response(&self) -> HttpResponse {
        match self {
            Self::Unavailable(why) => tracing::warn!(%why, "the console cannot reach the store"),
            Self::Broken(why) => tracing::error!(%why, "the console failed"),
            _ => {}
        }
        let status = self.status_code();
        let page = FailurePage {
            head: Head::new(self.title()),
            text: self.text(),
        };
        let mut response = HttpResponse::build(status);
        if let Self::Method(allowed) = self {
            response.insert_header((ALLOW, *allowed));
        }
        if let Self::Unavailable(_) = self {
            response.insert_header((RETRY_AFTER, "5"));
        }
        let mut response = response
            .content_type(HTML)
            .body(page.render().unwrap_or_else(|_| self.text().to_owned()));
        guard(response.headers_mut());
        response
    }
}

#[derive(Template)]
#[template(path = "error.html")]
struct FailurePage<'a> {
    head: Head,
    text: &'a str,
}
