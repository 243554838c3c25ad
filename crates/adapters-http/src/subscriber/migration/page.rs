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
use crate::answer::Answer;

pub const CONFIRM_PATH: &str = "/newsletter/confirm-migration";
pub const STYLE_PATH: &str = "/newsletter/style.css";

/// The content security policy: no scripts, nothing from other sites, and no framing. `form-action`
/// also limits where the form may redirect.
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

pub fn guard(headers: &mut HeaderMap) {
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

pub type PassageOf = fn(&Texts) -> &Passage;

#[derive(Clone, Copy)]
pub enum Says<'a> {
    Passage(PassageOf),
    Question(&'a MigrationToken),
    /// An action may have failed, and the page offers its button again.
    InDoubt(&'a Form),
}

#[derive(Debug)]
pub struct Pages {
    board: String,
    languages: Languages,
}

#[derive(Template)]
#[template(path = "newsletter/page.html")]
struct Page<'a> {
    language: &'a str,
    board: &'a str,
    style: &'a str,
    passage: &'a Passage,
    path: &'a str,
    token: &'a str,
    buttons: &'a [(Action, &'a str)],
}

impl Pages {
    pub fn new(board: &str) -> serde_json::Result<Self> {
        Ok(Self {
            board: board.to_owned(),
            languages: Languages::read()?,
        })
    }

    pub fn show(
        &self,
        request: &impl HttpMessage,
        says: Says<'_>,
        mut answer: HttpResponse,
    ) -> Answer {
        let texts = self.languages.texts_for(request);
        let (passage, token, buttons) = match says {
            Says::Passage(passage_of) => (passage_of(texts), None, vec![]),
            Says::Question(token) => {
                let buttons = vec![
                    (Action::Confirm, &*texts.confirm_button),
                    (Action::Unsubscribe, &*texts.unsubscribe_button),
                ];
                (&texts.confirm, Some(token), buttons)
            }
            Says::InDoubt(Form { token, action }) => {
                let buttons = vec![(*action, &*texts.retry_button)];
                (&texts.in_doubt, Some(token), buttons)
            }
        };
        let page = Page {
            language: &texts.tag,
            board: &self.board,
            style: STYLE_PATH,
            passage,
            path: CONFIRM_PATH,
            token: token.map_or("", MigrationToken::reveal),
            buttons: &buttons,
        };
        let html = page.render()?;
        let headers = answer.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(HTML));
        headers.insert(CONTENT_LANGUAGE, HeaderValue::from_str(&texts.tag)?);
        Ok(answer.set_body(html).map_into_boxed_body())
    }
}

pub async fn style() -> HttpResponse {
    HttpResponse::Ok()
        .content_type("text/css; charset=utf-8")
        .insert_header((CACHE_CONTROL, "public, max-age=3600"))
        .body(include_str!("../../../templates/newsletter/style.css"))
}

#[cfg(test)]
mod tests {
    use actix_web::{body::MessageBody as _, test::TestRequest};

    use super::*;

    #[test]
    fn neither_a_token_nor_a_board_can_break_out_of_the_page() {
        let evil = "\"><script>'&";
        let form = Form {
            token: MigrationToken::from_text(evil),
            action: Action::Unsubscribe,
        };
        let pages = Pages::new(evil).unwrap();
        for says in [Says::Question(&form.token), Says::InDoubt(&form)] {
            let request = TestRequest::get().to_http_request();
            let page = pages.show(&request, says, HttpResponse::Ok().finish());
            let html = page.unwrap().into_body().try_into_bytes().unwrap();
            let html = std::str::from_utf8(&html).unwrap();
            let escaped = "&#34;&#62;&#60;script&#62;&#39;&#38;";
            assert!(html.contains(&format!("value=\"{escaped}\"")), "{html}");
            assert_eq!(html.matches(escaped).count(), 3, "{html}");
            assert!(!html.contains("<script"), "{html}");
        }
    }
}
