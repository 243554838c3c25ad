//! Which error is which.

use super::*;

fn message(text: &str) -> Value {
    json!({ "message": text })
}

fn answer(status: u16, text: &str) -> ResponseTemplate {
    ResponseTemplate::new(status).set_body_json(message(text))
}

#[tokio::test]
async fn what_may_pass_is_retried() {
    for status in [408, 500, 501, 502, 503, 504, 520, 599] {
        let error = said_of(answer(status, "Server Error")).await.error();
        let ProviderError::Retry { message, after } = error else {
            panic!("{status}: {error:?}");
        };
        let expect = format!("new account: the provider answered {status}");
        assert!(message.starts_with(&expect), "{message}");
        assert!(message.ends_with(": Server Error"), "{message}");
        assert_eq!(after, None);
    }
}

#[tokio::test]
async fn a_limit_is_told_apart_with_the_wait_that_is_asked_for() {
    for (header, expect) in [
        (None, None),
        (Some("17"), Some(Duration::from_secs(17))),
        (Some("86400"), Some(Duration::from_hours(1))),
        (
            Some("Tue, 31 Dec 2199 23:59:59 GMT"),
            Some(Duration::from_hours(1)),
        ),
    ] {
        let mut answer = answer(429, "Too Many Attempts.");
        if let Some(header) = header {
            answer = answer.insert_header("Retry-After", header);
        }
        let (provider, _server) = answering(answer).await;
        let error = provider.find(Account::New, &profile().email).await;
        let Err(ProviderError::Limited { message, after }) = error else {
            panic!("{error:?}");
        };
        let expect_message =
            "new account: the provider answered 429 Too Many Requests: Too Many Attempts.";
        assert_eq!(message, expect_message);
        assert_eq!(after, expect);
    }
}

#[tokio::test]
async fn no_other_failure_keeps_an_account_waiting_for_long() {
    for (status, header, seconds) in [(503, "17", 17), (503, "86400", 300), (500, "86400", 300)] {
        let answer = answer(status, "").insert_header("Retry-After", header);
        let error = said_of(answer).await.error();
        let ProviderError::Retry { after, .. } = error else {
            panic!("{error:?}");
        };
        assert_eq!(
            after,
            Some(Duration::from_secs(seconds)),
            "{status} {header}"
        );
    }
}

#[tokio::test]
async fn a_refused_key_locks_the_account() {
    for (status, text) in [
        (401, "401 Unauthorized: Unauthenticated."),
        (403, "403 Forbidden: Unauthenticated."),
    ] {
        let error = said_of(answer(status, "Unauthenticated.")).await.error();
        let expect = format!("new account: the provider answered {text}");
        assert_eq!(error, ProviderError::Locked(expect));
    }
}

#[tokio::test]
async fn a_page_that_refuses_one_request_locks_nothing() {
    let page = ResponseTemplate::new(403).set_body_string("<html>Attention required!</html>");
    let error = said_of(page).await.error();
    let expect = "new account: the provider answered 403 Forbidden".to_owned();
    assert_eq!(error, ProviderError::Permanent(expect));
}

#[tokio::test]
async fn other_refusals_are_permanent() {
    for status in [400, 402, 405, 406, 409, 410, 413, 415, 418, 422, 423, 451] {
        let error = said_of(answer(status, "No.")).await.error();
        let ProviderError::Permanent(message) = error else {
            panic!("{status}: {error:?}");
        };
        let expect = format!("new account: the provider answered {status}");
        assert!(message.starts_with(&expect), "{message}");
        assert!(message.ends_with(": No."), "{message}");
    }
}

#[tokio::test]
async fn nobody_is_there_and_gone_already() {
    let text = "No query results for model [App\\Models\\Subscriber\\Subscriber].";
    let said = said_of(answer(404, text)).await;
    assert_eq!(said.find, Ok(None));
    assert_eq!(said.remove, Ok(()));
    assert!(matches!(said.upsert, Err(ProviderError::Permanent(_))));
}

#[tokio::test]
async fn only_the_api_s_own_words_mean_nobody() {
    for body in [
        "",
        "<html><body>404 Not Found, nginx</body></html>",
        r#"{"message":"Not found."}"#,
        r#"{"message":"The route v2/subscribers could not be found."}"#,
        r#"{"error":"No query results for model [App]."}"#,
        r#"["No query results for model"]"#,
        "No query results for model [App\\Models\\Subscriber\\Subscriber].",
    ] {
        let error = said_of(ResponseTemplate::new(404).set_body_string(body)).await;
        let ProviderError::Permanent(message) = error.error() else {
            panic!("{body}");
        };
        assert!(message.ends_with("(check the base URL)"), "{message}");
    }
}

#[tokio::test]
async fn somebody_suppressed_is_no_failure() {
    let of_email = |text: &str| {
        json!({
            "message": "The given data was invalid.",
            "errors": {"email": [text]},
            "subscriber": "197606381721748792",
        })
    };
    for body in [
        of_email("This subscriber is unsubscribed and cannot be imported"),
        of_email("This subscriber is BOUNCED."),
        of_email("This subscriber is marked as junk."),
        of_email("This subscriber is junk"),
        json!({"message": "x", "errors": {"email": "This subscriber is bounced"}}),
        json!({"message": "This subscriber is unsubscribed and cannot be imported"}),
        json!({"message": "This subscriber is unsubscribed", "errors": []}),
    ] {
        let said = said_of(ResponseTemplate::new(422).set_body_json(&body)).await;
        assert_eq!(said.upsert, Ok(Upserted::Suppressed), "{body}");
        // It means that for an upsert only.
        assert!(matches!(said.find, Err(ProviderError::Permanent(_))));
        assert!(matches!(said.remove, Err(ProviderError::Permanent(_))));
    }
}

#[tokio::test]
async fn other_words_and_fields_are_a_failure() {
    for body in [
        json!({"message": "m", "errors": {"email": ["The email must be a valid email address."]}}),
        // Nobody is suppressed who is refused for another reason.
        json!({"errors": {"email": ["This blocked domain cannot be imported"]}}),
        json!({"errors": {"email": ["Limit reached, no more subscribers can be imported"]}}),
        json!({"errors": {"email": ["This subscriber is on a spam-trap domain"]}}),
        json!({"errors": {"email": ["This subscriber is unsubscribedish"]}}),
        json!({"errors": {
            "email": ["This subscriber is unsubscribed"],
            "groups.0": ["The selected groups.0 is invalid."],
        }}),
        json!({"message": "m", "errors": {"fields.name": ["This subscriber is unsubscribed"]}}),
        json!({"message": "unsubscribed", "errors": {"groups.0": ["The group is invalid."]}}),
        json!({"message": ["This subscriber is unsubscribed"]}),
        json!([]),
    ] {
        let (provider, _server) = answering(ResponseTemplate::new(422).set_body_json(&body)).await;
        let said = provider.upsert(Account::New, &profile(), false).await;
        assert!(matches!(said, Err(ProviderError::Permanent(_))), "{body}");
    }
}

#[tokio::test]
async fn what_is_wrong_is_told_by_field() {
    let body = json!({
        "message": "The given data was invalid.",
        "errors": {"email": ["Too long.", "Too odd."], "fields.name": "No."},
    });
    let error = said_of(ResponseTemplate::new(400).set_body_json(body))
        .await
        .error();
    assert_eq!(
        error.to_string(),
        "new account: the provider answered 400 Bad Request: The given data was invalid.; \
         email: Too long.; email: Too odd.; fields.name: No."
    );
}

#[tokio::test]
async fn what_is_no_json_is_asked_for_again() {
    for body in [
        "",
        "<html>Welcome to the hotel</html>",
        "[]",
        r#"{"data":{"id":"31","#,
    ] {
        let said = said_of(ResponseTemplate::new(200).set_body_string(body)).await;
        let message = "new account: the provider answered 200 OK without JSON".to_owned();
        let expect = Some(ProviderError::Retry {
            message,
            after: None,
        });
        assert_eq!(said.upsert.err(), expect, "{body}");
        assert_eq!(said.find.err(), expect, "{body}");
        // Nothing has to be read of a removal.
        assert_eq!(said.remove, Ok(()), "{body}");
    }
}

#[tokio::test]
async fn what_is_not_understood_of_a_person_is_for_an_operator() {
    let person = |id: Value, email: Value, status: Value| json!({"data": {"id": id, "email": email, "status": status}});
    let (email, active) = (json!("rosa@garden.example"), json!("active"));
    for (body, why) in [
        (json!({}), "the answer is about a person without an id"),
        (
            json!({"data": null}),
            "the answer is about a person without an id",
        ),
        (
            person(json!("../groups/1"), email.clone(), active.clone()),
            "the answer is about a person without an id",
        ),
        (
            person(json!("31"), email.clone(), json!("complained")),
            "\"complained\" is not a status that is known",
        ),
        (
            person(json!("31"), email.clone(), json!("Unsubscribed")),
            "\"Unsubscribed\" is not a status that is known",
        ),
        (
            person(json!("31"), email.clone(), Value::Null),
            "the answer is about a person without a status",
        ),
        (
            person(json!("31"), Value::Null, active.clone()),
            "the answer is about a person without an address",
        ),
        (
            person(json!("31"), json!("rosalind@garden.example"), active),
            "the answer is about another address",
        ),
    ] {
        let said = said_of(ResponseTemplate::new(200).set_body_json(&body)).await;
        let message = format!("new account: the provider answered 200 OK, but {why}");
        let expect = Some(ProviderError::Permanent(message));
        assert_eq!(said.upsert.err(), expect, "{body}");
        assert_eq!(said.find.err(), expect, "{body}");
    }
}

#[tokio::test]
async fn an_error_without_json_has_a_status_at_least() {
    let page = "<html><body>Bad gateway</body></html>";
    let error = said_of(ResponseTemplate::new(502).set_body_string(page))
        .await
        .error();
    let expect = "new account: the provider answered 502 Bad Gateway";
    assert_eq!(error.to_string(), expect);
}
