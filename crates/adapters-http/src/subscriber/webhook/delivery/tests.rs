use actix_web::{ResponseError, http::StatusCode};
use newsletter::subscriber::SubscriberStatus::{self, Bounced, SpamReported, Unsubscribed};

use super::*;

fn check(body: &str, expect: &[(&str, SubscriberStatus)]) {
    let events = read(body.as_bytes()).unwrap();
    let found: Vec<_> = events
        .iter()
        .map(|event| (event.email.as_str(), event.status))
        .collect();
    assert_eq!(found, expect, "{body}");
}

#[test]
fn one_event_is_flat_or_about_a_subscriber() {
    check(
        r#"{"id":"1","email":"Ada@Example.com ","status":"unsubscribed",
            "fields":{"name":"Ada","email":"x@example.com"},"event":"subscriber.unsubscribed",
            "account_id":7}"#,
        &[("ada@example.com", Unsubscribed)],
    );
    check(
        r#"{"type":"subscriber.spam_reported","subscriber":{"email":"ada@example.com"}}"#,
        &[("ada@example.com", SpamReported)],
    );
    check(
        r#"{"event":"subscriber.bounced","status":"bounced",
            "subscriber":{"email":"ada@example.com"}}"#,
        &[("ada@example.com", Bounced)],
    );
    check(
        r#"{"event":"subscriber.bounced","email":"ada@example.com",
            "subscriber":{"status":"bounced"}}"#,
        &[("ada@example.com", Bounced)],
    );
    // `event` takes precedence, because `type` may belong to the subscriber.
    check(
        r#"{"event":"subscriber.unsubscribed","type":"active","email":"ada@example.com"}"#,
        &[("ada@example.com", Unsubscribed)],
    );
}

#[test]
fn a_batch_may_mix_both() {
    check(
        r#"{"events":[
            {"type":"subscriber.unsubscribed","subscriber":{"email":"a@example.com"}},
            {"type":"campaign.open","subscriber":{"email":"b@example.com"}},
            {"event":"subscriber.bounced","email":"c@example.com","status":"bounced"},
            {"type":"subscriber.bounced","email":"d@example.com","status":"active"},
            5, null, [], "x", {},
            {"type":"subscriber.unsubscribed","subscriber":{"email":"nobody"}},
            {"type":"subscriber.unsubscribed","subscriber":null,"email":"e@example.com"}
        ],"total":7}"#,
        &[
            ("a@example.com", Unsubscribed),
            ("c@example.com", Bounced),
            ("e@example.com", Unsubscribed),
        ],
    );
}

#[test]
fn other_json_is_no_event() {
    let deep = format!(r#"{{"x":{}{}}}"#, "[".repeat(5_000), "]".repeat(5_000));
    for body in [
        "{}",
        "[]",
        "null",
        "true",
        "5",
        "\"subscriber.unsubscribed\"",
        r#"{"events":[]}"#,
        r#"{"events":{"type":"subscriber.unsubscribed"}}"#,
        r#"{"events":null,"total":0}"#,
        r#"{"event":"subscriber.unsubscribed"}"#,
        r#"{"event":5,"type":"subscriber.unsubscribed","email":5}"#,
        r#"{"event":"subscriber.created","email":"ada@example.com"}"#,
        r#"{"events":[{"account_id":7,"data":{"subscriber":{"email":"ada@example.com",
            "type":"active"}},"timestamp":1495551003,"type":"subscriber.create"}]}"#,
        deep.as_str(),
    ] {
        check(body, &[]);
    }
}

#[test]
fn oddities_beside_the_news_do_not_hide_it() {
    let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
    for oddity in ["1e999", r#""\ud800""#, &deep, r#""first","odd":"again""#] {
        let person = format!(r#"{{"odd":{oddity},"email":"ada@example.com"}}"#);
        check(
            &format!(
                r#"{{"odd":{oddity},"events":[{{"type":"subscriber.unsubscribed","odd":{oddity},
                    "subscriber":{person}}}]}}"#
            ),
            &[("ada@example.com", Unsubscribed)],
        );
    }
}

#[test]
fn documented_examples_are_news() {
    let document = serde_json::to_value(crate::openapi().unwrap()).unwrap();
    let body = &document["paths"][crate::subscriber::webhook::PATH]["post"]["requestBody"];
    let examples = body["content"]["application/json"]["examples"].as_object();
    for (name, example) in examples.unwrap() {
        let events = read(example["value"].to_string().as_bytes()).unwrap();
        let announced = example["value"]["total"].as_u64().unwrap_or(1);
        assert_eq!(events.len() as u64, announced, "{name}");
    }
}

#[test]
fn what_is_no_json_is_refused() {
    for body in [&b""[..], b"x", b"{", b"{} {}", b"a=1", b"{\"x\":\"\xff\"}"] {
        let error = read(body).unwrap_err();
        assert_eq!(error.status_code(), StatusCode::BAD_REQUEST);
    }
}
