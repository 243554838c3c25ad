use ::fields::{Patch, body::BodyError};
use serde_json::{Value, json};
use time::macros::datetime;

use crate::{
    subscriber::{Email, InvalidEmail, ProviderEvent, PutSubscriber, SubscriberStatus},
    testing::{subscriber_id, text, token},
};

fn parse(segment: &str, body: &str) -> Result<PutSubscriber, BodyError> {
    let (id, token) = (subscriber_id(segment), token(segment));
    PutSubscriber::parse(segment, body.as_bytes(), id, token)
}

fn wrong(segment: &str, body: &Value) -> Vec<(String, String)> {
    match parse(segment, &body.to_string()) {
        Err(BodyError::Invalid(errors)) => errors
            .iter()
            .flat_map(|(path, messages)| {
                let pair = |message: &String| (path.to_owned(), message.clone());
                messages.iter().map(pair)
            })
            .collect(),
        other => panic!("{segment} {body}: {other:?}"),
    }
}

#[track_caller]
fn is_wrong(body: &Value, expect: &[(&str, &str)]) {
    let found = wrong("a@b.example", body);
    // The crate that formats the errors tests the part about the sent value.
    let found: Vec<_> = found
        .iter()
        .map(|(p, m)| (p.as_str(), m.split(", not ").next().unwrap_or_default()))
        .collect();
    assert_eq!(found, expect, "{body}");
}

#[track_caller]
fn is_right(body: &Value) -> PutSubscriber {
    match parse("a@b.example", &body.to_string()) {
        Ok(put) => put,
        Err(error) => panic!("{body}: {error}"),
    }
}

#[test]
fn an_absent_field_is_kept_and_null_clears_it() {
    let put = is_right(&json!({"unknown": {"name": 5}}));
    assert_eq!((put.name, put.country), (Patch::Keep, Patch::Keep));
    assert_eq!(put.membership, Patch::Keep);
    let put = is_right(&json!({"name": null, "country": " \n", "membership": null}));
    assert_eq!((put.name, put.country), (Patch::Clear, Patch::Clear));
    assert_eq!(put.membership, Patch::Clear);
    let (longest, as_of) = (text(255), " 2026-03-01T13:00:00+01:00 ");
    let put =
        is_right(&json!({"name": format!(" {longest} "), "country": longest, "as_of": as_of}));
    assert_eq!(put.name, Patch::Set(longest.clone()));
    assert_eq!(put.country, Patch::Set(longest));
    assert_eq!(put.as_of, Some(datetime!(2026-03-01 12:00 UTC)));
    for (expires_at, is_dated) in [
        (json!(null), false),
        (json!(""), false),
        (json!("2028-02-29"), true),
    ] {
        let membership = json!({
            "plan_category": "individual", "status": "canceled", "expires_at": expires_at,
        });
        let put =
            is_right(&json!({"membership": membership, "as_of": expires_at.as_str().map(|_| " ")}));
        assert_eq!(
            put.membership.value().unwrap().expires_at.is_some(),
            is_dated
        );
        assert_eq!(put.as_of, None);
    }
}

#[test]
fn each_value_is_refused_in_the_words_of_the_contract() {
    let long = "must be at most 255 characters long, and has 256";
    let time = "must be a time in RFC 3339, like 2026-12-31T12:00:00Z";
    let (day, plan) = (
        "must be a date like 2026-12-31",
        "must be one of individual, team",
    );
    for (field, value, message) in [
        ("name", json!(text(256)), long),
        ("country", json!(text(256)), long),
        ("name", json!(1), "must be a string"),
        ("country", json!({}), "must be a string"),
        (
            "name",
            json!("a\0b"),
            "must not contain the character U+0000",
        ),
        ("as_of", json!("2026-03-01"), time),
        ("as_of", json!("yesterday"), time),
        ("as_of", json!(1_772_366_400), "must be a string"),
        ("membership", json!("individual"), "must be an object"),
        ("membership", json!([]), "must be an object"),
        ("membership.plan_category", json!("family"), plan),
        ("membership.plan_category", json!("Team"), plan),
        (
            "membership.plan_category",
            json!(null),
            "must not be null or blank",
        ),
        (
            "membership.status",
            json!("cancelled"),
            "must be one of active, expired, canceled",
        ),
        ("membership.status", json!(" "), "must not be null or blank"),
        ("membership.expires_at", json!(5), "must be a string"),
        ("membership.expires_at", json!("2026-02-29"), day),
        ("membership.expires_at", json!("2026-02-28T00:00:00Z"), day),
    ] {
        let body = match field.strip_prefix("membership.") {
            Some(inner) => {
                let mut membership = json!({"plan_category": "team", "status": "active"});
                membership[inner] = value;
                json!({ "membership": membership })
            }
            None => json!({ field: value }),
        };
        is_wrong(&body, &[(field, message)]);
    }
    for body in [json!(null), json!([]), json!("text"), json!(1)] {
        is_wrong(&body, &[("body", "must be a JSON object")]);
    }
}

#[test]
fn all_errors_come_in_one_answer() {
    let body = json!({"name": 1, "country": text(300), "membership": {"status": "gone"}});
    let found = wrong("no%20address", &body);
    let paths: Vec<_> = found.iter().map(|(path, _)| path.as_str()).collect();
    let expect = [
        "name",
        "country",
        "membership.status",
        "email",
        "membership.plan_category",
    ];
    assert_eq!(paths, expect);
    assert_eq!(found[4].1, "is required");
}

#[test]
fn addresses_are_trimmed_and_lower_cased() {
    for (one, other) in [
        ("ann@B%C3%BCcher.example", "ann@xn--bcher-kva.EXAMPLE"),
        ("a..b@c.example", "A..B@c.example"),
    ] {
        let [one, other] = [one, other].map(Email::from_path_segment);
        assert!(one.is_ok() && one == other, "{one:?} {other:?}");
    }
    for segment in ["Ann%2BNews%40B.Example", "%20ann+news@b.example%0A"] {
        let put = parse(segment, "{}").unwrap();
        assert_eq!(put.email.as_str(), "ann+news@b.example", "{segment}");
    }
}

#[test]
fn invalid_addresses_are_refused() {
    let long = |n: usize| format!("{}@{}.example", "a".repeat(60), "b.".repeat(n) + "c");
    assert_eq!(long(92).len(), 254);
    assert!(Email::parse(&long(92)).is_ok());
    let rows = [
        (long(93), InvalidEmail::TooLong),
        (String::new(), InvalidEmail::Malformed),
        ("ann".to_owned(), InvalidEmail::Malformed),
        ("@b.example".to_owned(), InvalidEmail::Malformed),
        ("a b@b.example".to_owned(), InvalidEmail::Malformed),
        ("a@[127.0.0.1]".to_owned(), InvalidEmail::Malformed),
        ("a@b@b.example".to_owned(), InvalidEmail::Malformed),
        ("a%00@b.example".to_owned(), InvalidEmail::Malformed),
        ("a@b.example%00".to_owned(), InvalidEmail::Malformed),
        ("a%FF@b.example".to_owned(), InvalidEmail::NotUtf8),
    ];
    for (segment, error) in rows {
        assert_eq!(Email::from_path_segment(&segment), Err(error), "{segment}");
        let found = wrong(&segment, &json!({}));
        assert_eq!(
            found,
            [("email".to_owned(), error.to_string())],
            "{segment}"
        );
    }
}

#[test]
fn events_are_read_by_their_names() {
    use SubscriberStatus::{Bounced, Removed, SpamReported, Unsubscribed};

    let rows = [
        ("subscriber.unsubscribed", None, Some(Unsubscribed)),
        (
            "subscriber.unsubscribed",
            Some("active"),
            Some(Unsubscribed),
        ),
        ("subscriber.spam_reported", None, Some(SpamReported)),
        ("subscriber.spam_reported", Some("junk"), Some(SpamReported)),
        ("subscriber.bounced", Some("bounced"), Some(Bounced)),
        ("subscriber.bounced", Some("active"), None),
        ("subscriber.bounced", None, None),
        ("subscriber.deleted", None, Some(Removed)),
        ("subscriber.deleted", Some("active"), Some(Removed)),
        ("subscriber.created", Some("unsubscribed"), None),
        ("subscriber.updated", Some("bounced"), None),
        ("", None, None),
    ];
    for (name, status, expect) in rows {
        let event = ProviderEvent::read(name, status, " Ann@B.example ");
        let expect = expect.map(|status| ProviderEvent {
            email: Email::parse("ann@b.example").unwrap(),
            status,
            signed_with: None,
        });
        assert_eq!(event, expect, "{name} {status:?}");
    }
    assert_eq!(
        ProviderEvent::read("subscriber.unsubscribed", None, "ann"),
        None
    );
}
