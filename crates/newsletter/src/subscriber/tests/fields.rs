//! Requests and events, field by field.

use kernel::{body::BodyError, field::Patch};
use serde_json::{Value, json};
use time::macros::datetime;

use crate::{
    subscriber::{Email, InvalidEmail, ProviderEvent, PutSubscriber, SubscriberStatus, limits},
    testing::{subscriber_id, text, token},
};

fn parse(segment: &str, body: &str) -> Result<PutSubscriber, BodyError> {
    let (id, token) = (subscriber_id(segment), token(segment));
    PutSubscriber::parse(segment, body.as_bytes(), id, token)
}

/// The paths and messages of all errors.
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
    // What was sent instead is a test of the shared kernel.
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
fn what_is_not_sent_is_kept_and_null_is_cleared() {
    let put = is_right(&json!({"unknown": {"name": 5}}));
    assert_eq!((put.name, put.country), (Patch::Keep, Patch::Keep));
    assert_eq!(put.membership, Patch::Keep);
    let put = is_right(&json!({"name": null, "country": " \n", "membership": null}));
    assert_eq!((put.name, put.country), (Patch::Clear, Patch::Clear));
    assert_eq!(put.membership, Patch::Clear);
    let put = is_right(&json!({"name": " Ann ", "country": "Côte d'Ivoire"}));
    assert_eq!(put.name, Patch::Set("Ann".to_owned()));
    assert_eq!(put.country, Patch::Set("Côte d'Ivoire".to_owned()));
}

#[test]
fn limits_count_characters_after_trimming() {
    for (field, limit) in [("name", limits::NAME), ("country", limits::COUNTRY)] {
        is_right(&json!({field: format!(" {} ", text(limit))}));
        is_wrong(
            &json!({field: text(limit + 1)}),
            &[(field, "must be at most 255 characters long, and has 256")],
        );
    }
}

#[test]
fn types_are_strict() {
    for field in ["name", "country"] {
        for other in [json!(1), json!(true), json!([]), json!({})] {
            is_wrong(&json!({field: other}), &[(field, "must be a string")]);
        }
        is_wrong(
            &json!({field: "a\0b"}),
            &[(field, "must not contain the character U+0000")],
        );
    }
    for other in [json!("individual"), json!(1), json!([])] {
        is_wrong(
            &json!({"membership": other}),
            &[("membership", "must be an object")],
        );
    }
}

#[test]
fn a_membership_is_sent_whole() {
    is_wrong(
        &json!({"membership": {}}),
        &[
            ("membership.plan_category", "is required"),
            ("membership.status", "is required"),
        ],
    );
    is_wrong(
        &json!({"membership": {"plan_category": null, "status": " ", "expires_at": 5}}),
        &[
            ("membership.plan_category", "must not be null or blank"),
            ("membership.status", "must not be null or blank"),
            ("membership.expires_at", "must be a string"),
        ],
    );
    for expires_at in [json!(null), json!(""), json!("2028-02-29")] {
        let membership = json!({
            "plan_category": "individual", "status": "canceled", "expires_at": expires_at,
        });
        let put = is_right(&json!({ "membership": membership }));
        let membership = put.membership.value().unwrap();
        let is_dated = expires_at.as_str().is_some_and(|day| !day.is_empty());
        assert_eq!(membership.expires_at.is_some(), is_dated);
    }
}

#[test]
fn words_and_days_are_exact() {
    let with = |field: &str, value: &str| {
        let mut membership = json!({"plan_category": "team", "status": "active"});
        membership[field] = json!(value);
        json!({ "membership": membership })
    };
    for (field, value, message) in [
        ("plan_category", "family", "must be one of individual, team"),
        ("plan_category", "Team", "must be one of individual, team"),
        (
            "status",
            "cancelled",
            "must be one of active, expired, canceled",
        ),
        ("expires_at", "2026-02-29", "must be a date like 2026-12-31"),
        (
            "expires_at",
            "2026-02-28T00:00:00Z",
            "must be a date like 2026-12-31",
        ),
    ] {
        let path = format!("membership.{field}");
        is_wrong(&with(field, value), &[(&path, message)]);
    }
}

#[test]
fn moments_are_exact() {
    let put = is_right(&json!({"as_of": " 2026-03-01T13:00:00+01:00 "}));
    assert_eq!(put.as_of, Some(datetime!(2026-03-01 12:00 UTC)));
    for nothing in [json!({}), json!({"as_of": null}), json!({"as_of": " "})] {
        assert_eq!(is_right(&nothing).as_of, None);
    }
    let expected = "must be a time in RFC 3339, like 2026-12-31T12:00:00Z";
    for (as_of, message) in [
        (json!("2026-03-01"), expected),
        (json!("yesterday"), expected),
        (json!(1_772_366_400), "must be a string"),
    ] {
        is_wrong(&json!({ "as_of": as_of }), &[("as_of", message)]);
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
}

#[test]
fn a_body_is_an_object() {
    for body in ["", "{", "nul", "{\"name\":\"\u{1}\"}"] {
        let answer = parse("a@b.example", body);
        assert!(matches!(answer, Err(BodyError::NotJson(_))), "{body}");
    }
    for body in [json!(null), json!([]), json!("{}"), json!(1)] {
        is_wrong(&body, &[("body", "must be a JSON object")]);
    }
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
fn what_is_no_address_is_refused() {
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
