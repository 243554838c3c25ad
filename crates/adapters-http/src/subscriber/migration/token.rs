//! The token, from wherever it is sent.

use actix_web::{HttpRequest, dev::Payload};
use domain::{posting::PutError, subscriber::MigrationToken};
use serde_json::Value;
use url::form_urlencoded;

use crate::{
    body::{self, BodyLimit},
    error::ApiError,
};

const NAME: &str = "token";
const FORM: &str = "application/x-www-form-urlencoded";
const JSON: &str = "application/json";

/// The token in the query of the link.
pub fn of_query(query: &str) -> Option<MigrationToken> {
    of_form(query.as_bytes())
}

/// The token in a body: in a form, or in JSON.
pub async fn of_body(
    request: &HttpRequest,
    payload: &mut Payload,
    limit: BodyLimit,
) -> Result<Option<MigrationToken>, ApiError> {
    match body::media_type(request.headers()) {
        Some(form) if form.eq_ignore_ascii_case(FORM) => {
            body::expect_uncompressed(request.headers())?;
            Ok(of_form(&body::read(request, payload, limit).await?))
        }
        Some(json) if json.eq_ignore_ascii_case(JSON) => {
            of_json(&body::read_json(request, payload, limit).await?)
        }
        _ => Err(ApiError::unsupported_media_type(
            "Content-Type must be application/x-www-form-urlencoded or application/json.",
        )),
    }
}

fn of_form(form: &[u8]) -> Option<MigrationToken> {
    let (_, token) = form_urlencoded::parse(form).find(|(name, _)| name == NAME)?;
    token_of(&token)
}

fn of_json(body: &[u8]) -> Result<Option<MigrationToken>, ApiError> {
    let body: Value =
        serde_json::from_slice(body).map_err(|error| PutError::NotJson(error.to_string()))?;
    Ok(body.get(NAME).and_then(Value::as_str).and_then(token_of))
}

/// What is no visible ASCII was never given out, and the stores need not be asked for it.
fn token_of(text: &str) -> Option<MigrationToken> {
    let visible = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
    visible.then(|| MigrationToken::from_text(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_has_a_token_or_none() {
        let check = |form: &str, expect: Option<&str>| {
            let token = of_query(form);
            assert_eq!(token.as_ref().map(MigrationToken::reveal), expect, "{form}");
        };
        check("token=a-B_9", Some("a-B_9"));
        check("utm_source=mail&token=a&x=%FF", Some("a"));
        check("token=a%2Db", Some("a-b"));
        check("token=a&token=b", Some("a"));
        check("", None);
        check("token", None);
        check("token=", None);
        check("Token=a", None);
        check("token=%00", None);
        check("token=a+b", None);
        check("token=%C3%A9", None);
        check("token=%FF", None);
    }

    #[test]
    fn json_has_a_token_or_none() {
        let check = |json: &str, expect: Option<&str>| {
            let token = of_json(json.as_bytes()).unwrap();
            assert_eq!(token.as_ref().map(MigrationToken::reveal), expect, "{json}");
        };
        check(r#"{"token":"a-B_9","x":1}"#, Some("a-B_9"));
        check(r#"{"token":"\u0000"}"#, None);
        check(r#"{"token":""}"#, None);
        check(r#"{"token":5}"#, None);
        check(r#"{"token":null}"#, None);
        check("{}", None);
        check("[]", None);
        check(r#""token""#, None);
        assert!(of_json(b"{").is_err());
    }
}
