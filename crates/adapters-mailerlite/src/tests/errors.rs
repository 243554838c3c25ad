use ProviderError::{Limited, Locked, Permanent, Retry};

use super::*;

const ABSENT: &str = "No query results for model [App\\Models\\Subscriber\\Subscriber].";

fn message(text: &str) -> Value {
    json!({ "message": text })
}

type Made = fn(String, Option<Duration>) -> ProviderError;

const RETRY: Made = |message, after| Retry { message, after };
const LIMITED: Made = |message, after| Limited { message, after };
const LOCKED: Made = |message, _| Locked(message);
const PERMANENT: Made = |message, _| Permanent(message);

/// In each call, transient errors are retried, and only a limit makes an account wait for long.
#[tokio::test]
async fn a_status_is_its_error_with_the_wait_that_is_asked_for() {
    let far = "Tue, 31 Dec 2199 23:59:59 GMT";
    for (status, header, made, seconds) in [
        (408, "", RETRY, None),
        (500, "", RETRY, None),
        (500, "86400", RETRY, Some(300)),
        (503, "17", RETRY, Some(17)),
        (599, "", RETRY, None),
        (429, "", LIMITED, None),
        (429, "17", LIMITED, Some(17)),
        (429, "86400", LIMITED, Some(3600)),
        (429, far, LIMITED, Some(3600)),
        (401, "", LOCKED, None),
        (403, "", LOCKED, None),
        (402, "", PERMANENT, None),
        (409, "", PERMANENT, None),
        (422, "", PERMANENT, None),
    ] {
        let mut answer = ResponseTemplate::new(status).set_body_json(message("No."));
        if !header.is_empty() {
            answer = answer.insert_header("Retry-After", header);
        }
        let status = reqwest::StatusCode::from_u16(status).unwrap();
        let text = format!("new account: the provider answered {status}: No.");
        let expect = made(text, seconds.map(Duration::from_secs));
        assert_eq!(said_of(answer).await.error(), expect);
    }
}

/// A proxy's page that refuses one request does not lock the account.
#[tokio::test]
async fn an_error_contains_the_message_of_a_json_body() {
    let by_field = r#"{"message": "Invalid.", "errors": {"email": ["Odd.", "Long."], "x": "No."}}"#;
    let page = "<html>Attention required!</html>";
    let redirect = "302 Found; redirects are not followed: check the base URL";
    for (status, body, made, text) in [
        (
            400,
            by_field,
            PERMANENT,
            "400 Bad Request: Invalid.; email: Odd.; email: Long.; x: No.",
        ),
        (403, page, PERMANENT, "403 Forbidden"),
        (502, page, RETRY, "502 Bad Gateway"),
        (302, "", RETRY, redirect),
    ] {
        let answer = ResponseTemplate::new(status).set_body_string(body);
        let text = format!("new account: the provider answered {text}");
        assert_eq!(said_of(answer).await.error(), made(text, None));
    }
}

#[tokio::test]
async fn an_absent_subscriber_is_no_error() {
    let answer = ResponseTemplate::new(404).set_body_json(message(ABSENT));
    let (provider, _server) = answering(answer).await;
    let said = said_by(&provider).await;
    assert_eq!((said.find, said.remove), (Ok(None), Ok(())));
    assert!(matches!(said.upsert, Err(Permanent(_))));
    let updated = provider.update(Account::New, &id("31"), &profile()).await;
    assert_eq!(updated, Ok(None));
}

#[tokio::test]
async fn only_the_apis_own_words_mean_absence() {
    for body in [
        "",
        "<html><body>404 Not Found, nginx</body></html>",
        r#"{"message":"Not found."}"#,
        r#"{"error":"No query results for model [App]."}"#,
        r#"["No query results for model"]"#,
        ABSENT,
    ] {
        let error = said_of(ResponseTemplate::new(404).set_body_string(body)).await;
        let Permanent(message) = error.error() else {
            panic!("{body}");
        };
        assert!(message.ends_with("(check the base URL)"), "{message}");
    }
}

/// A 422 for another reason does not suppress a subscriber.
#[tokio::test]
async fn a_suppressed_subscriber_is_no_failure() {
    let groups = json!({"email": ["This subscriber is unsubscribed"], "groups.0": ["No."]});
    for (body, is_suppression) in [
        (
            json!("This subscriber is unsubscribed and cannot be imported"),
            true,
        ),
        (json!("This subscriber is BOUNCED."), true),
        (json!("This subscriber is marked as junk."), true),
        (
            json!({"message": "m", "errors": {"email": "This subscriber is junk"}}),
            true,
        ),
        (message("This subscriber is bounced"), true),
        (
            json!({"message": "This subscriber is bounced", "errors": []}),
            true,
        ),
        (json!("The email must be a valid email address."), false),
        (json!("This subscriber is on a spam-trap domain"), false),
        (json!("This subscriber is unsubscribedish"), false),
        (json!({ "errors": groups }), false),
        (
            json!({"errors": {"fields.name": ["This subscriber is junk"]}}),
            false,
        ),
        (
            json!({"message": "unsubscribed", "errors": {"groups.0": ["No."]}}),
            false,
        ),
        (
            json!({"message": ["This subscriber is unsubscribed"]}),
            false,
        ),
        (json!([]), false),
    ] {
        let body = match body {
            Value::String(text) => json!({"message": "m", "errors": {"email": [text]}}),
            body => body,
        };
        let said = said_of(ResponseTemplate::new(422).set_body_json(&body)).await;
        if is_suppression {
            assert_eq!(said.upsert, Ok(Upserted::Suppressed), "{body}");
        } else {
            assert!(matches!(said.upsert, Err(Permanent(_))), "{body}");
        }
        // Only an upsert reports a suppression in this way.
        assert!(matches!(said.find, Err(Permanent(_))), "{body}");
        assert!(matches!(said.remove, Err(Permanent(_))), "{body}");
    }
}

#[tokio::test]
async fn an_answer_without_json_is_retried() {
    for body in [
        "",
        "<html>Welcome to the hotel</html>",
        "[]",
        r#"{"data":{"id":"31","#,
    ] {
        let said = said_of(ResponseTemplate::new(200).set_body_string(body)).await;
        let message = "new account: the provider answered 200 OK without JSON".to_owned();
        let after = None;
        let expect = Some(Retry { message, after });
        assert_eq!(said.upsert.err(), expect, "{body}");
        assert_eq!(said.find.err(), expect, "{body}");
        // A removal ignores the content of the answer.
        assert_eq!(said.remove, Ok(()), "{body}");
    }
}

#[tokio::test]
async fn an_unknown_value_of_a_person_is_for_an_operator() {
    let email = "rosa@garden.example";
    for (id, address, status, why) in [
        ("", email, "active", "a subscriber without an id"),
        ("../groups/1", email, "active", "a subscriber without an id"),
        (
            "31",
            email,
            "complained",
            "\"complained\" is not a known status",
        ),
        (
            "31",
            email,
            "Unsubscribed",
            "\"Unsubscribed\" is not a known status",
        ),
        ("31", email, "", "\"\" is not a known status"),
        (
            "31",
            "rosalind@garden.example",
            "active",
            "about a different address",
        ),
    ] {
        let body = json!({"data": {"id": id, "email": address, "status": status}});
        let said = said_of(ResponseTemplate::new(200).set_body_json(&body)).await;
        let Err(Permanent(message)) = said.upsert else {
            panic!("{body}");
        };
        let expect = "new account: the provider answered 200 OK, but ";
        assert!(message.starts_with(expect), "{message}");
        assert!(message.contains(why), "{message}");
        assert_eq!(said.find, Err(Permanent(message)), "{body}");
    }
}

/// Errors contain no person's address, and have only one line.
#[tokio::test]
async fn errors_have_no_key_even_if_the_provider_says_it() {
    let body = json!({
        "message": format!("Bearer {KEY} is no good for Rosa@Garden.Example."),
        "errors": {KEY: [format!("{KEY}{KEY}"), "see (bob@x.example)"]},
    });
    for status in [400, 401, 422, 500] {
        let error = said_of(ResponseTemplate::new(status).set_body_json(&body)).await;
        let text = format!("{:?}", error.error());
        assert!(!text.contains(KEY) && !text.contains("example"), "{text}");
        let expect = "Bearer [key] is no good for [address]";
        assert!(text.contains(expect), "{text}");
    }
}

#[test]
fn debug_output_has_no_key() {
    let mut settings = Settings {
        old: Some(account("https://old.example/api")),
        ..settings("https://new.example/api")
    };
    let same = MailerLite::new(&settings).unwrap_err();
    assert_eq!(same, SettingsError::SameKey);
    settings.old.as_mut().unwrap().key = format!("{KEY}-too").into();
    let provider = MailerLite::new(&settings).unwrap();
    for text in [format!("{settings:?}"), format!("{provider:?}")] {
        assert!(!text.contains(KEY), "{text}");
        assert!(text.to_lowercase().contains("new"), "{text}");
    }
}

#[test]
fn settings_that_cannot_be_used_are_named() {
    let (good, key_error) = (
        "https://connect.example/api",
        SettingsError::Key(Account::New),
    );
    let url_error = SettingsError::BaseUrl(Account::New);
    for (key, base_url, expect) in [
        ("", good, &key_error),
        ("secret\n", good, &key_error),
        ("secret key", good, &key_error),
        ("secret\u{0}", good, &key_error),
        ("sécret", good, &key_error),
        ("secret", "ftp://connect.example/api", &url_error),
        ("secret", "connect:443", &url_error),
        ("secret", "data:,x", &url_error),
    ] {
        let mut settings = settings(base_url);
        settings.new.as_mut().unwrap().key = key.into();
        let error = MailerLite::new(&settings).unwrap_err();
        assert_eq!(error, *expect);
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}
