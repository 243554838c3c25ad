//! What is shown of keys and of what the provider says: no secret, one line, and not too much.

use super::*;

#[test]
fn debug_output_has_no_key() {
    let settings = Settings {
        old: Some(account("https://old.example/api")),
        ..settings("https://new.example/api")
    };
    let provider = MailerLite::new(&settings).unwrap();
    for text in [format!("{settings:?}"), format!("{provider:?}")] {
        assert!(!text.contains(KEY), "{text}");
        assert!(text.contains("new"), "{text}");
    }
}

#[tokio::test]
async fn errors_have_no_key_even_if_the_provider_says_it() {
    for status in [400, 401, 500] {
        let body = json!({
            "message": format!("Bearer {KEY} is no good"),
            "errors": {KEY: [format!("{KEY}{KEY}")]},
        });
        let said = said_of(ResponseTemplate::new(status).set_body_json(body)).await;
        let error = said.error();
        for text in [error.to_string(), format!("{error:?}")] {
            assert!(!text.contains(KEY), "{text}");
            assert!(text.contains("Bearer [key] is no good"), "{text}");
        }
    }
}

#[tokio::test]
async fn errors_have_no_address_of_a_person() {
    let body = json!({
        "message": "No such person as Rosa@Garden.Example.",
        "errors": {"email": ["rosa@garden.example is blocked", "see (bob@x.example)"]},
    });
    for status in [400, 401, 422, 500] {
        let said = said_of(ResponseTemplate::new(status).set_body_json(&body)).await;
        let text = said.error().to_string();
        assert!(!text.contains("example"), "{text}");
        assert!(text.contains("[address] is blocked"), "{text}");
    }
}

#[test]
fn settings_that_cannot_be_used_are_named() {
    let check = |key: &str, base_url: &str, expect: SettingsError| {
        let mut settings = settings(base_url);
        settings.new.as_mut().unwrap().key = key.into();
        let error = MailerLite::new(&settings).unwrap_err();
        assert_eq!(error, expect);
        assert!(!error.to_string().contains("secret"), "{error}");
    };
    let good = "https://connect.example/api";
    for key in ["", "secret\n", "secret key", "secret\u{0}", "sécret"] {
        check(key, good, SettingsError::Key(Account::New));
    }
    for base_url in ["ftp://connect.example/api", "connect:443", "data:,x"] {
        check("secret", base_url, SettingsError::BaseUrl(Account::New));
    }
}
