//! The identifier in the path: percent-decoded UTF-8 of 1 to 255 characters, none a control.

use serde_json::json;

use crate::harness::{Api, App, Store, encode, fresh, minimal, raw};

on_every_store! {
    awkward_identifiers_are_identifiers,
    identifiers_are_compared_byte_for_byte,
    one_identifier_may_be_spelled_in_several_ways,
    what_is_no_identifier_is_refused,
    a_bad_identifier_is_named_with_all_other_errors,
    a_slash_that_is_not_encoded_leads_elsewhere,
}

/// Pushes to a path as it is spelled: other clients would tidy it up.
fn push(app: &App, segment: &str, body: &str) -> raw::RawAnswer {
    send(app, "PUT", segment, body)
}

fn send(app: &App, method: &str, segment: &str, body: &str) -> raw::RawAnswer {
    let target = format!("{}/{segment}", Api::LIST);
    let authorization = format!("Bearer {}", app.api.token());
    let headers = [
        ("Authorization", authorization.as_str()),
        ("Content-Type", "application/json"),
    ];
    raw::exchange(
        &app.site.host(),
        raw::request(method, &target, &headers, body),
    )
}

fn read(app: &App, segment: &str) -> raw::RawAnswer {
    send(app, "GET", segment, "")
}

async fn awkward_identifiers_are_identifiers(store: Store) {
    let app = App::quiet(store);
    let unique = fresh("id");
    let fill = |length: usize, with: &str| with.repeat(length - unique.chars().count()) + &unique;
    for identifier in [
        format!("a/b?c{unique}"),
        format!("{unique}/"),
        format!("/{unique}"),
        format!("../{unique}"),
        format!("{unique}/../x"),
        format!("🦀{unique}"),
        format!("é{unique}"),
        format!("{unique} with spaces "),
        format!("{unique}%2F"),
        format!("{unique}%"),
        format!("100% {unique}+&=;:@#!$'()*,[]<>\"\\^`{{|}}"),
        format!("{unique}\u{feff}\u{200b}"),
        format!("'; DROP TABLE postings; -- {unique}"),
        fill(255, "x"),
        fill(255, "🦀"),
        "..".to_owned(),
        ".".to_owned(),
        " ".to_owned(),
    ] {
        let segment = match identifier.as_str() {
            // Dots are unreserved, but alone they would be more than a name.
            ".." => "%2E%2E".to_owned(),
            "." => "%2e".to_owned(),
            other => encode(other),
        };
        let answer = push(&app, &segment, &minimal().to_string());
        // Those without anything unique in them may have been there before.
        let expect = if segment.len() < 20 {
            200..=201
        } else {
            201..=201
        };
        assert!(expect.contains(&answer.status), "{identifier}: {answer:#?}");
        let uuid = answer.json()["data"]["uuid"].clone();
        let answer = read(&app, &segment);
        assert_eq!(answer.status, 200, "{identifier}: {answer:#?}");
        let data = &answer.json()["data"];
        assert_eq!(data["unique_source_identifier"], json!(identifier));
        assert_eq!(data["uuid"], uuid);
        let answer = push(&app, &segment, r#"{"title": "Again"}"#);
        assert_eq!(
            (answer.status, &answer.json()["data"]["uuid"]),
            (200, &uuid),
            "{identifier}"
        );
    }
}

async fn identifiers_are_compared_byte_for_byte(store: Store) {
    let app = App::quiet(store);
    let unique = fresh("bytes");
    for identifier in [
        format!("{unique}a"),
        format!("{unique}A"),
        format!("{unique}a "),
        format!(" {unique}a"),
        format!("{unique}é"),
        format!("{unique}e\u{301}"),
        format!("{unique}E\u{301}"),
        format!("{unique}ß"),
        format!("{unique}ss"),
        format!("{unique}%61"),
    ] {
        let answer = push(&app, &encode(&identifier), &minimal().to_string());
        assert_eq!(answer.status, 201, "{identifier:?}: {answer:#?}");
    }
}

async fn one_identifier_may_be_spelled_in_several_ways(store: Store) {
    let app = App::quiet(store);
    let unique = fresh("spelling");
    let answer = push(&app, &format!("{unique}%c3%a9~a"), &minimal().to_string());
    assert_eq!(answer.status, 201, "{answer:#?}");
    for segment in [format!("{unique}%C3%A9~a"), format!("{unique}%C3%A9%7E%61")] {
        assert_eq!(push(&app, &segment, "{}").status, 200, "{segment}");
    }
    // What follows is a query, and no part of it.
    assert_eq!(
        push(&app, &format!("{unique}%C3%A9~a?x=y"), "{}").status,
        200
    );
}

async fn what_is_no_identifier_is_refused(store: Store) {
    let app = App::quiet(store);
    let too_long = "x".repeat(256);
    let too_many_crabs = encode(&"🦀".repeat(256));
    for segment in [
        "%00",
        "a%00b",
        "%0A",
        "a%0D%0Ab",
        "%1f",
        "%7F",
        "%C2%80",
        "%C2%9F",
        "%FF",
        "a%FF",
        "%C3",
        "%C0%AF",
        "%ED%A0%80",
        "%F5%80%80%80",
        &too_long,
        &too_many_crabs,
    ] {
        for answer in [
            push(&app, segment, &minimal().to_string()),
            read(&app, segment),
        ] {
            assert_eq!(answer.status, 422, "{segment}: {answer:#?}");
            let errors = answer.json()["errors"].clone();
            let fields: Vec<&String> = errors.as_object().unwrap().keys().collect();
            assert_eq!(fields, ["unique_source_identifier"], "{segment}");
        }
    }
}

async fn a_bad_identifier_is_named_with_all_other_errors(store: Store) {
    let app = App::quiet(store);
    let answer = push(&app, "a%00b", r#"{"title": 5, "latitude": 1}"#);
    assert_eq!(answer.status, 422, "{answer:#?}");
    let errors = answer.json()["errors"].clone();
    for field in ["unique_source_identifier", "title", "latitude"] {
        assert!(errors.get(field).is_some(), "{field}: {errors}");
    }
}

async fn a_slash_that_is_not_encoded_leads_elsewhere(store: Store) {
    let app = App::quiet(store);
    for segment in ["a/b", "a/", "../job-postings2"] {
        let answer = push(&app, segment, &minimal().to_string());
        assert_eq!(answer.status, 404, "{segment}: {answer:#?}");
        assert!(answer.json()["message"].is_string());
    }
}
