//! Renders the pages, with headers that protect the token in their addresses.

use actix_web::{
    HttpMessage, HttpResponse,
    http::header::{
        CACHE_CONTROL, CONTENT_LANGUAGE, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderMap,
        HeaderName, HeaderValue, REFERRER_POLICY, VARY,
    },
};
use askama::Template;
use newsletter::subscriber::MigrationToken;

use super::{
    form::{Action, Form},
    texts::{Languages, Passage, Texts},
};
use crate::error::ApiError;

/// The path of the link.
pub const CONFIRM_PATH: &str = "/newsletter/confirm-migration";
/// The path of the style sheet.
pub const STYLE_PATH: &str = "/newsletter/style.css";

/// The content security policy: no scripts, nothing from other sites, no framing. `form-action`
/// also applies to redirects of the form.
const POLICY: &str = "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; \
                      frame-ancestors 'none'";
const HTML: &str = "text/html; charset=utf-8";

const HEADERS: [(HeaderName, &str); 5] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("x-robots-tag"), "noindex, nofollow"),
    (CACHE_CONTROL, "no-store"),
    (VARY, "Accept, Accept-Language"),
];

/// Adds headers against caching, indexing and framing, and against sending the address as
/// `Referer`.
pub fn guard(headers: &mut HeaderMap) {
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

/// The pages, with the board's name.
#[derive(Debug)]
pub struct Pages {
    board: String,
    languages: Languages,
}

/// The pages in one language.
#[derive(Clone, Copy)]
pub struct PagesIn<'a> {
    board: &'a str,
    texts: &'a Texts,
}

/// A rendered page.
pub struct Page {
    language: HeaderValue,
    html: String,
}

impl Pages {
    /// The pages of a board.
    pub fn new(board: &str) -> serde_json::Result<Self> {
        Ok(Self {
            board: board.to_owned(),
            languages: Languages::read()?,
        })
    }

    /// The pages in the language of a request.
    pub fn of(&self, request: &impl HttpMessage) -> PagesIn<'_> {
        PagesIn {
            board: &self.board,
            texts: self.languages.texts_for(request),
        }
    }
}

impl<'a> PagesIn<'a> {
    /// The page with the buttons.
    pub fn confirm(self, token: &MigrationToken) -> Result<Page, ApiError> {
        let texts = self.texts;
        let buttons = [
            (Action::Confirm, &*texts.confirm_button),
            (Action::Unsubscribe, &*texts.unsubscribe_button),
        ];
        self.render(&texts.confirm, token.reveal(), &buttons)
    }

    /// The page for a failure of the service; with a form, it has a button to try again.
    pub fn failed(self, form: Option<&Form>) -> Result<Page, ApiError> {
        let texts = self.texts;
        match form {
            Some(Form { token, action }) => {
                let buttons = [(*action, &*texts.retry_button)];
                self.render(&texts.in_doubt, token.reveal(), &buttons)
            }
            None => self.plain(&texts.failed),
        }
    }

    /// A page without buttons.
    pub fn plain(self, passage: &Passage) -> Result<Page, ApiError> {
        self.render(passage, "", &[])
    }

    /// The texts of the pages.
    pub const fn texts(self) -> &'a Texts {
        self.texts
    }

    fn render(
        self,
        passage: &Passage,
        token: &str,
        buttons: &[(Action, &str)],
    ) -> Result<Page, ApiError> {
        let template = PageTemplate {
            language: &self.texts.tag,
            board: self.board,
            style: STYLE_PATH,
            passage,
            path: CONFIRM_PATH,
            token,
            buttons,
        };
        let html = template.render();
        Ok(Page {
            language: HeaderValue::from_str(&self.texts.tag)
                .map_err(|error| ApiError::internal(&error))?,
            html: html.map_err(|error| ApiError::internal(&error))?,
        })
    }
}

impl Page {
    /// Replaces the body of an answer with the page.
    pub fn instead_of(self, mut response: HttpResponse) -> HttpResponse {
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(HTML));
        headers.insert(CONTENT_LANGUAGE, self.language);
        response.set_body(self.html).map_into_boxed_body()
    }

    /// A 200 answer with the page.
    pub fn answer(self) -> HttpResponse {
        self.instead_of(HttpResponse::Ok().finish())
    }
}

#[derive(Template)]
#[template(path = "newsletter/page.html")]
struct PageTemplate<'a> {
    language: &'a str,
    board: &'a str,
    style: &'a str,
    passage: &'a Passage,
    path: &'a str,
    token: &'a str,
    buttons: &'a [(Action, &'a str)],
}

/// The style sheet of the pages.
pub fn style() -> HttpResponse {
    HttpResponse::Ok()
        .content_type("text/css; charset=utf-8")
        .insert_header((CACHE_CONTROL, "public, max-age=3600"))
        .body(include_str!("../../../templates/newsletter/style.css"))
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn neither_a_token_nor_a_board_can_break_out_of_the_page() {
        let evil = "\"><script>'&";
        let form = Form {
            token: MigrationToken::from_text(evil),
            action: Action::Unsubscribe,
        };
        let pages = Pages::new(evil).unwrap();
        let pages = pages.of(&TestRequest::get().to_http_request());
        for page in [pages.confirm(&form.token), pages.failed(Some(&form))] {
            let html = page.unwrap().html;
            let escaped = "&#34;&#62;&#60;script&#62;&#39;&#38;";
            assert!(html.contains(&format!("value=\"{escaped}\"")), "{html}");
            assert_eq!(html.matches(escaped).count(), 3, "{html}");
            assert!(!html.contains("<script"), "{html}");
        }
    }
}
