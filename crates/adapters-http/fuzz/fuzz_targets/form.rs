//! The form of a confirmation, and the query of its link. An accepted form is parsed to the values
//! that were written. Unknown actions are refused.

#![no_main]

use adapters_http::fuzz;
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};
use url::form_urlencoded::{Serializer, parse};

fuzz_target!(|data: &[u8]| {
    let first = |wanted: &str| {
        let mut pairs = parse(data).filter(|(name, _)| name == wanted);
        pairs.next().map(|(_, value)| value.into_owned())
    };
    if let Some((token, action)) = fuzz::form(data) {
        assert_eq!(first("token").as_deref(), Some(token.reveal()));
        assert_eq!(first("action").as_deref().unwrap_or("confirm"), action);
        assert!(token.reveal().bytes().all(|byte| byte.is_ascii_graphic()));
        // The page writes the token into a form, which a browser sends back. Programs send JSON.
        let mut form = Serializer::new(String::new());
        form.append_pair("token", token.reveal());
        form.append_pair("action", action);
        let form = form.finish();
        let sent = (token.clone(), action);
        assert_eq!(fuzz::form(form.as_bytes()), Some(sent.clone()));
        assert_eq!(fuzz::token_of_query(&form), Some(token.clone()));
        let json = json!({"token": token.reveal(), "action": action}).to_string();
        assert_eq!(fuzz::json_form(json.as_bytes()), Some(sent));
    }
    if let Some((token, action)) = fuzz::json_form(data) {
        let sent: Value = serde_json::from_slice(data).expect("it was read");
        assert_eq!(sent["token"].as_str(), Some(token.reveal()));
        assert_eq!(sent["action"].as_str().unwrap_or("confirm"), action);
    }
    if let Ok(text) = std::str::from_utf8(data)
        && let Some(token) = fuzz::token_of_query(text)
    {
        assert_eq!(first("token").as_deref(), Some(token.reveal()));
    }
});
