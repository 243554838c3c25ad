use time::{OffsetDateTime, macros::format_description};

use super::*;

fn answer(status: u16, text: &str) -> ResponseTemplate {
    let body = json!({"error": {"message": text, "type": "x", "param": null, "code": null}});
    ResponseTemplate::new(status).set_body_json(body)
}

#[tokio::test]
async fn a_failure_of_the_endpoint_counts_against_no_posting() {
    for status in [
        401, 402, 403, 404, 405, 407, 408, 429, 500, 501, 502, 503, 504, 529,
    ] {
        let (message, after) = unavailable(said_of(answer(status, "Not now.")).await);
        let expect = format!("the model's endpoint answered {status}");
        assert!(message.starts_with(&expect), "{message}");
        assert!(message.ends_with(": Not now."), "{message}");
        assert_eq!(after, None);
    }
}

#[tokio::test]
async fn a_repeated_failure_of_one_posting_is_its_own() {
    for status in [400, 409, 410, 413, 415, 416, 422, 451] {
        let (model, server) = answering(answer(status, "It is 8192 tokens.")).await;
        for _ in 0..2 {
            retry(draft_of(&input(), &model).await);
        }
        let message = permanent(draft_of(&input(), &model).await);
        let expect = format!("the model's endpoint answered {status}");
        assert!(message.starts_with(&expect), "{message}");
        assert!(message.ends_with(": It is 8192 tokens."), "{message}");
        assert_eq!(server.received_requests().await.unwrap().len(), 3);
    }
}

#[tokio::test]
async fn a_failure_of_several_postings_is_the_endpoints() {
    let (model, _server) = answering(answer(400, "No such adapter.")).await;
    for title in ["a", "b"] {
        retry(draft_of(&titled(title), &model).await);
    }
    for title in ["c", "d", "a"] {
        let (message, _) = unavailable(draft_of(&titled(title), &model).await);
        assert!(message.ends_with(": No such adapter."), "{message}");
    }
}

#[tokio::test]
async fn a_content_filter_says_no_at_once() {
    let filtered = json!({"error": {"message": "filtered", "code": "content_filter"}});
    let answer = ResponseTemplate::new(400).set_body_json(filtered);
    let (model, _server) = answering(answer).await;
    for title in ["a", "b", "c", "d"] {
        let message = permanent(draft_of(&titled(title), &model).await);
        assert!(message.ends_with(": filtered"), "{message}");
    }
}

#[tokio::test]
async fn a_wait_that_is_asked_for_is_passed_on() {
    let date = OffsetDateTime::now_utc() + Duration::from_mins(10);
    let date = date
        .format(format_description!(
            "[weekday repr:short], [day] [month repr:short] [year] [hour]:[minute]:[second] GMT"
        ))
        .unwrap();
    let hour = Duration::from_hours(1);
    for (status, wait, least, most) in [
        (429, "17", Duration::from_secs(17), Duration::from_secs(17)),
        (503, "17", Duration::from_secs(17), Duration::from_secs(17)),
        (429, &*date, Duration::from_mins(5), Duration::from_mins(10)),
        (429, "Tue, 31 Dec 2199 23:59:59 GMT", hour, hour),
        (429, "18446744073709551615", hour, hour),
    ] {
        let answer = answer(status, "").insert_header("Retry-After", wait);
        let (_, after) = unavailable(said_of(answer).await);
        assert!(
            (least..=most).contains(&after.unwrap()),
            "{wait}: {after:?}"
        );
    }
}

#[tokio::test]
async fn errors_are_read_in_every_dialect() {
    for body in [
        json!({"error": {"message": "m", "code": 400}}),
        json!({"error": "m"}),
        json!({"object": "error", "message": "m"}),
        json!({"detail": "m"}),
        json!({"detail": [{"loc": ["body"], "msg": "m"}]}),
        json!([{"error": {"message": "m"}}]),
        json!({"message": {"detail": [{"loc": ["body", "safe"], "msg": "m"}]}}),
        // These answers contain no reason.
        json!({"error": {"message": " "}}),
        json!({"error": {"code": 1}}),
        json!("n"),
    ] {
        let message = retry(said_of(ResponseTemplate::new(400).set_body_json(&body)).await);
        let said = if body.to_string().contains("\"m\"") {
            ": m"
        } else {
            ""
        };
        assert_eq!(
            message,
            format!("the model's endpoint answered 400 Bad Request{said}")
        );
    }
    let page = ResponseTemplate::new(502).set_body_string("<html>Bad gateway</html>");
    let (message, _) = unavailable(said_of(page).await);
    assert_eq!(message, "the model's endpoint answered 502 Bad Gateway");
}

#[tokio::test]
async fn no_redirect_is_followed() {
    let elsewhere = MockServer::start().await;
    for status in [301, 302, 303, 307, 308] {
        let answer = ResponseTemplate::new(status).insert_header("Location", elsewhere.uri());
        let (message, _) = unavailable(said_of(answer).await);
        assert!(message.contains("base URL"), "{message}");
    }
    assert_eq!(elsewhere.received_requests().await.unwrap().len(), 0);
}

#[tokio::test]
async fn a_description_that_is_far_too_long_is_not_sent() {
    let (model, server) = answering(ok(&saying(&approval().to_string()))).await;
    let (input, longest) = (input(), "é".repeat(100_000));
    model
        .draft(&Brief::of(&input, &longest), None)
        .await
        .unwrap();
    let longer = format!("{longest}é");
    assert_eq!(
        permanent(model.draft(&Brief::of(&input, &longer), None).await),
        "the description has 100001 characters; no more than 100000 are sent to a model"
    );
    only_request(&server).await;
}
