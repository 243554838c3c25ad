use actix_web::HttpMessage as _;
use fields::{body::BodyError, validation::FieldErrors, vocabulary::vocabulary};
use newsletter::subscriber::MigrationToken;
use serde_json::Value;
use url::form_urlencoded;

use crate::{
    body::{Body, BodyLimit, expect_uncompressed},
    error::ApiError,
};

const TOKEN: &str = "token";
const ACTION: &str = "action";
const FORM: &str = "application/x-www-form-urlencoded";
const JSON: &str = "application/json";

vocabulary! {
    /// The action of a button.
    Action {
        /// Moves the link's holder to the new account.
        Confirm = "confirm",
        /// Unsubscribes the link's holder.
        Unsubscribe = "unsubscribe",
    }
}

fn action_of(sent: Option<&str>) -> Result<Action, ApiError> {
    let action = sent.map_or(Some(Action::Confirm), Action::parse);
    action.ok_or_else(|| {
        let says = "must be confirm or unsubscribe";
        ApiError::invalid(FieldErrors::one(ACTION, says))
    })
}

#[derive(Debug)]
pub struct Form {
    pub token: MigrationToken,
    pub action: Action,
}

pub fn token_of_query(query: &str) -> Option<MigrationToken> {
    let (_, token) = form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == TOKEN)?;
    token_of(&token)
}

pub async fn of_body(body: Body, limit: BodyLimit) -> Result<Option<Form>, ApiError> {
    let kind = body.head().content_type();
    if kind.eq_ignore_ascii_case(FORM) {
        expect_uncompressed(body.head().headers())?;
        of_form(&body.read(limit).await?)
    } else if kind.eq_ignore_ascii_case(JSON) {
        of_json(&body.json(limit).await?)
    } else {
        Err(ApiError::unsupported_media_type(
            "Content-Type must be application/x-www-form-urlencoded or application/json.",
        ))
    }
}

pub fn of_form(form: &[u8]) -> Result<Option<Form>, ApiError> {
    let first = |wanted: &str| form_urlencoded::parse(form).find(|(name, _)| name == wanted);
    let action = first(ACTION).map(|(_, action)| action);
    let action = action_of(action.as_deref())?;
    let token = first(TOKEN).and_then(|(_, token)| token_of(&token));
    Ok(token.map(|token| Form { token, action }))
}

pub fn of_json(body: &[u8]) -> Result<Option<Form>, ApiError> {
    let body: Value =
        serde_json::from_slice(body).map_err(|error| BodyError::NotJson(error.to_string()))?;
    let action = body.get(ACTION).filter(|action| !action.is_null());
    // If the action is not a string, it is unknown.
    let action = action.map(|action| action.as_str().unwrap_or_default());
    let action = action_of(action)?;
    let token = body.get(TOKEN).and_then(Value::as_str).and_then(token_of);
    Ok(token.map(|token| Form { token, action }))
}

/// Parses a token of visible ASCII. Other texts never reach the store.
fn token_of(text: &str) -> Option<MigrationToken> {
    let visible = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
    visible.then(|| MigrationToken::from_text(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_or_json_has_a_token_or_none() {
        for (form, expect) in [
            ("token=a-B_9", Some("a-B_9")),
            ("utm_source=mail&token=a&x=%FF", Some("a")),
            ("token=a%2Db", Some("a-b")),
            ("token=a&token=b", Some("a")),
            ("", None),
            ("token", None),
            ("token=", None),
            ("Token=a", None),
            ("token=%00", None),
            ("token=a+b", None),
            ("token=%C3%A9", None),
            ("token=%FF", None),
        ] {
            let token = token_of_query(form);
            assert_eq!(token.as_ref().map(MigrationToken::reveal), expect, "{form}");
        }
        for (json, expect) in [
            (r#"{"token":"a-B_9","x":1}"#, Some("a-B_9")),
            (r#"{"token":"\u0000"}"#, None),
            (r#"{"token":""}"#, None),
            (r#"{"token":5}"#, None),
            (r#"{"token":null}"#, None),
            ("{}", None),
            ("[]", None),
            (r#""token""#, None),
        ] {
            let token = of_json(json.as_bytes()).unwrap().map(|form| form.token);
            assert_eq!(token.as_ref().map(MigrationToken::reveal), expect, "{json}");
        }
        assert!(of_json(b"{").is_err());
    }

    #[test]
    fn an_action_is_one_of_two() {
        use Action::{Confirm, Unsubscribe};
        for (form, json, expect) in [
            ("", "", Some(Confirm)),
            ("&action=confirm", r#","action":"confirm""#, Some(Confirm)),
            (
                "&action=unsubscribe",
                r#","action":"unsubscribe""#,
                Some(Unsubscribe),
            ),
            ("&action=", r#","action":"""#, None),
            ("&action=Confirm", r#","action":5"#, None),
        ] {
            let form = of_form(format!("token=a{form}").as_bytes());
            let json = of_json(format!(r#"{{"token":"a"{json}}}"#).as_bytes());
            for read in [form, json] {
                assert_eq!(read.ok().map(|form| form.unwrap().action), expect);
            }
        }
    }
}
