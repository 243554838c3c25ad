use super::*;

#[test]
fn debug_output_has_no_secret() {
    let settings = settings("https://user:word@h.example/v1?key=hidden");
    let model = ChatModel::new(&settings).unwrap();
    for text in [format!("{settings:?}"), format!("{model:?}")] {
        for secret in [KEY, "word", "hidden"] {
            assert!(!text.contains(secret), "{text}");
        }
        assert!(text.contains("h.example"), "{text}");
        assert!(text.contains("small-1"), "{text}");
    }
}

#[tokio::test]
async fn errors_have_no_key_even_if_the_endpoint_says_it() {
    let text = format!("Incorrect API key provided: {KEY}{KEY}");
    for status in [200, 400, 401, 429, 500] {
        let body = json!({"error": {"message": text, "code": KEY}});
        let error = said_of(ResponseTemplate::new(status).set_body_json(body)).await;
        let shown = format!("{:?}", error.unwrap_err());
        assert!(!shown.contains(KEY), "{shown}");
        assert!(shown.contains("provided: [key][key]"), "{shown}");
    }
    let message = permanent(said_of(ok(&refusal(KEY))).await);
    assert_eq!(message, "the model refused: [key]");
    let mut answer = approval();
    answer[KEY] = 1.into();
    let feedback = feedback(said_of(ok(&saying(&answer.to_string()))).await);
    assert!(
        feedback.faults[0].contains("unknown field `[key]`"),
        "{feedback:?}"
    );
}

#[tokio::test]
async fn errors_are_one_line_of_a_bounded_length() {
    let text = format!("first\r\nsecond\u{1b}[31m{}", "ä".repeat(5000));
    let body = json!({"error": {"message": text}});
    let message = retry(said_of(ResponseTemplate::new(400).set_body_json(body)).await);
    assert_eq!(message.chars().count(), 400);
    assert!(message.contains("first  second [31mää"), "{message}");
    assert!(!message.contains(char::is_control), "{message}");
}

#[test]
fn settings_that_cannot_be_used_are_named() {
    let check = |key: &str, base_url: &str, expect: SettingsError| {
        let settings = Settings {
            api_key: Some(key.into()),
            ..settings(base_url)
        };
        let error = ChatModel::new(&settings).unwrap_err();
        assert_eq!(error, expect);
        assert!(!error.to_string().contains("secret"), "{error}");
    };
    for key in ["", "secret\n", "secret key", "secret\u{0}", "sécret"] {
        for base_url in [
            "https://h.example/v1",
            "https://h.openai.azure.com/openai/v1",
        ] {
            check(key, base_url, SettingsError::Key);
        }
    }
    for base_url in ["ftp://h.example/v1", "h.example:443", "data:,x"] {
        check("secret", base_url, SettingsError::BaseUrl);
    }
}
