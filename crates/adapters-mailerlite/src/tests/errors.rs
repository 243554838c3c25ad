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
    for status in [408, 429, 500, 501, 502, 503, 504, 520, 599] {
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
async fn a_wait_that_is_asked_for_is_passed_on() {
    for status in [429, 503] {
        let answer = answer(status, "Too Many Attempts.").insert_header("Retry-After", "17");
        let error = said_of(answer).await.error();
        let ProviderError::Retry { after, .. } = error else {
            panic!("{error:?}");
        };
        assert_eq!(after, Some(Duration::from_secs(17)), "{status}");
    }
    let answer = answer(429, "").insert_header("Retry-After", "Fri, 31 Dec 2199 23:59:59 GMT");
    let (provider, _server) = answering(answer).await;
    let error = provider.find(Account::New, &profile().email).await;
    let Err(ProviderError::Retry { after, .. }) = error else {
        panic!("{error:?}");
    };
    assert_eq!(after, Some(Duration::from_hours(24)));
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
async fn an_address_that_does_not_exist_is_not_nobody() {
    let text = "The route v2/subscribers could not be found.";
    let error = said_of(answer(404, text)).await.error();
    let expect = format!("new account: the provider answered 404 Not Found: {text}");
    assert_eq!(error, ProviderError::Permanent(expect));
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
        of_email("This subscriber has BOUNCED."),
        of_email("This subscriber is marked as junk."),
        of_email("This subscriber has reported spam"),
        of_email("This person cannot be resubscribed."),
        json!({"message": "x", "errors": {"email": "The subscriber can not be re-subscribed"}}),
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
        // The address may be repeated.
        json!({"message": "m", "errors": {"email": ["Rosa@garden.example is invalid."]}}),
        json!({"message": "m", "errors": {"fields.name": ["This looks like spam."]}}),
        json!({"message": "unsubscribed", "errors": {"groups.0": ["The group is invalid."]}}),
        json!({"message": ["unsubscribed"]}),
        json!([]),
    ] {
        let (provider, _server) = answering(ResponseTemplate::new(422).set_body_json(&body)).await;
        let said = provider.upsert(Account::New, &profile(), false).await;
        assert!(matches!(said, Err(ProviderError::Permanent(_))), "{body}");
    }
    let suspicious = Profile {
        email: email("unsubscribed@spam.example"),
        ..profile()
    };
    let body = json!({"errors": {"email": ["Unsubscribed@spam.example is invalid."]}});
    let (provider, _server) = answering(ResponseTemplate::new(422).set_body_json(body)).await;
    let said = provider.upsert(Account::New, &suspicious, false).await;
    assert!(matches!(said, Err(ProviderError::Permanent(_))), "{said:?}");
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
async fn what_cannot_be_read_is_asked_for_again() {
    for body in [
        "",
        "<html>Welcome to the hotel</html>",
        "{}",
        r#"{"data":null}"#,
        r#"{"data":{"id":"31"}}"#,
        r#"{"data":{"status":"active"}}"#,
        r#"{"data":{"id":"","status":"active"}}"#,
        r#"{"data":{"id":"../groups/1","status":"active"}}"#,
        r#"{"data":{"id":"31","status":"act"#,
    ] {
        let said = said_of(ResponseTemplate::new(200).set_body_string(body)).await;
        let expect = "new account: the provider answered 200 OK without a person";
        for error in [said.upsert.err(), said.find.err()] {
            assert_eq!(error.unwrap().to_string(), expect, "{body}");
        }
        // Nothing has to be read of a removal.
        assert_eq!(said.remove, Ok(()), "{body}");
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
