//! The pages, and the headers that keep their addresses, which have a secret in them, to
//! themselves.

use actix_web::{
    HttpResponse,
    http::{
        StatusCode,
        header::{
            CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ContentType, HeaderMap,
            HeaderName, HeaderValue, REFERRER_POLICY, VARY,
        },
    },
};
use askama::Template;
use domain::subscriber::MigrationToken;

use super::{CONFIRM_PATH, STYLE_PATH};
use crate::error::ApiError;

/// No script, nothing from elsewhere, no frame around it. `form-action` also holds for where the
/// form is redirected to.
const POLICY: &str = "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; \
                      frame-ancestors 'none'";
const HTML: &str = "text/html; charset=utf-8";

const HEADERS: [(HeaderName, &str); 5] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("x-robots-tag"), "noindex, nofollow"),
    (CACHE_CONTROL, "no-store"),
    (VARY, "Accept"),
];

/// Nothing that is answered here is kept, found or framed, and its address is told nobody.
pub fn guard(headers: &mut HeaderMap) {
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

#[derive(Template)]
#[template(path = "newsletter/confirm.html")]
struct Confirm<'a> {
    action: &'a str,
    style: &'a str,
    token: &'a str,
}

#[derive(Template)]
#[template(path = "newsletter/confirmed.html")]
struct Confirmed<'a> {
    style: &'a str,
}

#[derive(Template)]
#[template(path = "newsletter/not_subscribed.html")]
struct NotSubscribed<'a> {
    style: &'a str,
}

#[derive(Template)]
#[template(path = "newsletter/unknown.html")]
struct Unknown<'a> {
    style: &'a str,
}

#[derive(Template)]
#[template(path = "newsletter/failed.html")]
struct Failed<'a> {
    action: &'a str,
    style: &'a str,
    token: Option<&'a str>,
}

/// The page with the button.
pub fn confirm(token: &MigrationToken) -> Result<HttpResponse, ApiError> {
    let page = Confirm {
        action: CONFIRM_PATH,
        style: STYLE_PATH,
        token: token.reveal(),
    };
    answer(&page)
}

/// The page at the end.
pub fn confirmed() -> Result<HttpResponse, ApiError> {
    answer(&Confirmed { style: STYLE_PATH })
}

/// The page for who gets no mail.
pub fn not_subscribed() -> Result<HttpResponse, ApiError> {
    answer(&NotSubscribed { style: STYLE_PATH })
}

/// What the page for a link that leads nowhere says.
pub fn unknown() -> Result<String, ApiError> {
    render(&Unknown { style: STYLE_PATH })
}

/// What the page for a failure of the service says; with a token it has a button to try again.
pub fn failed(token: Option<&MigrationToken>) -> Result<String, ApiError> {
    render(&Failed {
        action: CONFIRM_PATH,
        style: STYLE_PATH,
        token: token.map(MigrationToken::reveal),
    })
}

/// The answer with a page for its body.
pub fn instead_of(mut response: HttpResponse, page: String) -> HttpResponse {
    let html = HeaderValue::from_static(HTML);
    response.headers_mut().insert(CONTENT_TYPE, html);
    response.set_body(page).map_into_boxed_body()
}

/// What the pages look like.
pub fn style() -> HttpResponse {
    HttpResponse::Ok()
        .content_type("text/css; charset=utf-8")
        .insert_header((CACHE_CONTROL, "public, max-age=3600"))
        .body(include_str!("../../../templates/newsletter/style.css"))
}

fn answer(page: &impl Template) -> Result<HttpResponse, ApiError> {
    Ok(HttpResponse::build(StatusCode::OK)
        .content_type(ContentType::html())
        .body(render(page)?))
}

fn render(page: &impl Template) -> Result<String, ApiError> {
    page.render().map_err(|error| ApiError::internal(&error))
}

#[cfg(test)]
mod tests {
    use actix_web::body::to_bytes;

    use super::*;

    async fn text(response: HttpResponse) -> String {
        let Ok(bytes) = to_bytes(response.into_body()).await else {
            panic!("no body");
        };
        String::from_utf8(bytes.to_vec()).unwrap()
    }

    #[tokio::test]
    async fn a_token_cannot_break_out_of_the_form() {
        let token = MigrationToken::from_text("\"><script>'&");
        let confirm = text(confirm(&token).unwrap()).await;
        for page in [confirm, failed(Some(&token)).unwrap()] {
            assert!(
                page.contains("value=\"&#34;&#62;&#60;script&#62;&#39;&#38;\""),
                "{page}"
            );
            assert!(!page.contains("<script"), "{page}");
        }
    }
}
