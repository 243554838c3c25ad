//! Tests the limits of each field, and the exact words of every refusal. The words are literal, so
//! that a test notices every change.

use ::fields::{Patch, body::BodyError, validation::FieldErrors};
use kernel::testing::text;
use serde_json::value::RawValue;

use super::*;
use crate::{
    authority::Principal,
    testing::{pusher, put_id},
};

/// Errors, each followed by the fields and invalid values that cause it. A dash precedes fields
/// with valid values. Items of lists have their own errors.
const VALUES: &str = include_str!("fields/values.txt");

/// Bodies with their errors in order. A test pushes them to an approved posting, to a new posting
/// (`new`), or with strict handling (`strict`).
const BODIES: &str = include_str!("fields/bodies.txt");

fn bodies(field: &str, values: &str) -> Vec<String> {
    let values = serde_json::Deserializer::from_str(values).into_iter::<Box<RawValue>>();
    let body = |value: Box<RawValue>| match field.split_once('.') {
        Some((object @ ("company" | "expiration"), inner)) => {
            format!(r#"{{"{object}":{{"{inner}":{value}}}}}"#)
        }
        Some((list, _)) => format!(r#"{{"{list}":{value}}}"#),
        None => format!(r#"{{"{field}":{value}}}"#),
    };
    values.map(|value| body(value.unwrap())).collect()
}

fn list(errors: &FieldErrors) -> Vec<String> {
    let each = |(path, messages): (&str, &[String])| {
        let messages = messages.iter();
        let lines = messages.map(|message| format!("{path} {message}"));
        lines.collect::<Vec<_>>()
    };
    errors.iter().flat_map(each).collect()
}

#[track_caller]
fn wrong(mut board: Board, body: &str) -> Vec<String> {
    match board.put(body) {
        Ok(_) => vec![],
        Err(Rejection::Invalid(errors)) => list(&errors),
        refused => panic!("{body}: {refused:?}"),
    }
}

#[track_caller]
fn parse(body: &[u8]) -> Result<PutPosting, BodyError> {
    PutPosting::parse("a", body, Principal::unfenced(pusher()), put_id("a"))
}

#[track_caller]
fn check(row: &str, error: Option<&str>) {
    let (fields, values) = row.trim().split_once(" | ").unwrap();
    for field in fields.split(' ') {
        for body in bodies(field, values) {
            let found = wrong(Board::with(Status::Approved), &body);
            let found = found
                .iter()
                .map(|found| found.split(", not ").next().unwrap());
            let expect = error.map(|error| format!("{field} {error}"));
            assert_eq!(found.collect::<Vec<_>>(), expect.as_slice(), "{body}");
        }
    }
}

#[test]
fn each_value_is_refused_in_the_words_of_the_contract_or_taken() {
    let mut error = None;
    for line in VALUES.lines() {
        match line {
            "-" => error = None,
            row if row.starts_with(' ') => check(row, error),
            _ => error = Some(line),
        }
    }
}

#[test]
fn a_body_has_these_errors_in_this_order() {
    let mut all: Vec<(&str, Vec<String>)> = Vec::new();
    for line in BODIES.lines() {
        match (line.strip_prefix("    "), all.last_mut()) {
            (Some(error), Some((_, errors))) => errors.push(error.to_owned()),
            _ => all.push((line, Vec::new())),
        }
    }
    for (line, expect) in all {
        let (kind, body) = line.split_at(line.find('{').unwrap());
        let errors = match kind {
            "new " => wrong(Board::new(), body),
            "strict " => {
                let client = Principal::unfenced(pusher());
                let put = PutPosting::parse_as(
                    "a",
                    body.as_bytes(),
                    posting::Handling::Strict,
                    client,
                    put_id("a"),
                );
                list(&put.unwrap().errors)
            }
            _ => wrong(Board::with(Status::Approved), body),
        };
        assert_eq!(errors, expect, "{line}");
    }
}

#[test]
fn codes_are_folded_to_upper_case_and_numbers_are_what_they_are_however_spelled() {
    for amount in ["50000", "50000.0", "5e4", "5.0e4"] {
        let mut board = Board::with(Status::Approved);
        let codes = r#""location_country_code":"no","salary_currency_code":" nok ""#;
        board
            .put(&format!(r#"{{{codes},"salary_min":{amount}}}"#))
            .unwrap();
        let details = &board.posting().details;
        assert_eq!(details.location_country_code.unwrap().as_str(), "NO");
        assert_eq!(details.salary_currency_code.unwrap().as_str(), "NOK");
        assert_eq!(details.salary_min, Some(50_000));
    }
}

#[test]
fn texts_have_a_largest_length_after_trimming() {
    for (field, limit) in [
        ("title", 255),
        ("location_city", 255),
        ("expiration_reason", 255),
        ("expiration.reason", 255),
        ("requisition_id", 255),
        ("location_region", 255),
        ("location_postal_code", 32),
        ("company.name", 255),
        ("company.logo_path", 1024),
        ("application_url", 2048),
        ("company.website_url", 1024),
    ] {
        let is_url = field.ends_with("url");
        let start = if is_url { "https://acme.example/" } else { "" };
        let check = |length: usize, expect: &[String]| {
            let value = format!("\"  {start}{} \\n\"", text(length - start.len()));
            let found = wrong(Board::with(Status::Approved), &bodies(field, &value)[0]);
            assert_eq!(found, expect, "{field}");
        };
        let has = limit + 1;
        let message = format!("{field} must be at most {limit} characters long, and has {has}");
        check(limit + 1, &[message]);
        if field != "company.website_url" {
            check(limit, &[]);
        }
    }
}

#[test]
fn a_website_is_at_most_as_long_as_it_is_stored() {
    let url = |path: &str| format!("https://acme.example/{path}");
    // An apostrophe becomes three characters.
    for (path, length) in [
        ("a".repeat(1003), None),
        (format!("{}a", "'".repeat(334)), None),
        ("'".repeat(335), Some(1026)),
    ] {
        let body = CREATE.replace("https://acme.example", &url(&path));
        let mut board = Board::new();
        match (board.put(&body), length) {
            (Ok(_), None) => {
                let shown = board.company().website.as_str().to_owned();
                assert_eq!(shown.len(), 1024);
                let again = CREATE.replace("https://acme.example", &shown);
                assert_eq!(board.put(&again).unwrap().1, Written::default());
            }
            (Err(Rejection::Invalid(errors)), Some(length)) => assert_eq!(
                list(&errors),
                [format!(
                    "company.website_url must be at most 1024 characters long when it is \
                     percent-encoded, and has {length} then"
                )]
            ),
            (answer, _) => panic!("{path}: {answer:?}"),
        }
    }
}

#[test]
fn an_operators_change_of_a_company_keeps_to_the_rules_of_a_push() {
    let long = "x".repeat(256);
    for (name, logo_path, is_valid) in [
        (Some("Acme"), Patch::Clear, true),
        (Some(" "), Patch::Keep, false),
        (Some(long.as_str()), Patch::Keep, false),
        (None, Patch::Set("//logo"), false),
    ] {
        let patch = posting::CompanyPatch::parse(name, &logo_path);
        assert_eq!(patch.is_ok(), is_valid, "{name:?} {logo_path:?}");
    }
}

#[test]
fn a_flood_of_wrong_items_is_counted_and_not_described() {
    let body = format!(r#"{{"employment_types":[1{}]}}"#, ",1".repeat(9_999));
    let errors = parse(body.as_bytes()).unwrap().errors;
    assert_eq!(errors.iter().count(), 100);
    let summary = "employment_types.0 must be a string, not a number (and 9999 more errors).";
    assert_eq!(errors.to_string(), summary);
}

#[test]
fn what_is_not_json_is_no_command() {
    let bad =
        r#"|  |{|{]|{"a":}|{}x|{'a':1}|{"title":"\ud800"}|{"a":01}|{"title":"a","title":"b"}"#;
    let no_utf8: &[u8] = b"{\"a\":\"\xff\"}";
    for body in bad.split('|').map(str::as_bytes).chain([no_utf8]) {
        let parsed = parse(body);
        assert!(matches!(parsed, Err(BodyError::NotJson(_))), "{body:?}");
    }
    for body in ["[]", "null", "5", "\"a\"", "true", " [{}] "] {
        let errors = FieldErrors::one("body", "must be a JSON object");
        let expect = BodyError::Invalid(errors);
        assert_eq!(parse(body.as_bytes()).unwrap_err(), expect, "{body}");
    }
}

#[test]
fn depth_is_no_danger_in_any_field() {
    let deep = format!("{}1{}", r#"{"a":"#.repeat(100_000), "}".repeat(100_000));
    assert!(parse(deep.as_bytes()).is_ok());
    let fields = "title salary_min employment_types company expiration metadata latitude";
    for field in fields.split(' ') {
        let (begin, end) = ("[".repeat(50_000), "]".repeat(50_000));
        let put = parse(format!(r#"{{"{field}":{begin}{end}}}"#).as_bytes());
        // Either the JSON or the field is refused.
        assert!(put.map_or(true, |put| !put.errors.is_empty()), "{field}");
    }
}

#[test]
fn a_segment_of_the_path_is_an_identifier_or_a_field_error_beside_the_others() {
    let long = ("%F0%9F%A6%80".repeat(255), "🦀".repeat(255));
    let too_long = "%C3%BC".repeat(256);
    let control = "must not contain control characters";
    for (segment, expect) in [
        ("a%2Fb%3Fc", Ok("a/b?c")),
        ("a+b", Ok("a+b")),
        ("%2B", Ok("+")),
        ("%20", Ok(" ")),
        ("%25", Ok("%")),
        ("%2E%2E", Ok("..")),
        ("100%", Ok("100%")),
        ("%E2%80%8B", Ok("\u{200b}")),
        (&long.0, Ok(&*long.1)),
        ("", Err("must not be empty")),
        ("%00", Err(control)),
        ("a%0Ab", Err(control)),
        ("%7F", Err(control)),
        ("%C2%85", Err(control)),
        ("%FF", Err("must be percent-encoded UTF-8")),
        (&too_long, Err("must be at most 255 characters long")),
    ] {
        let client = Principal::unfenced(pusher());
        let body = if expect.is_ok() {
            "{}"
        } else {
            r#"{"title":5}"#
        };
        let put = PutPosting::parse(segment, body.as_bytes(), client, put_id("a"));
        match (put, expect) {
            (Ok(put), Ok(expect)) => assert_eq!(put.identifier.as_str(), expect),
            (Err(BodyError::Invalid(errors)), Err(message)) => {
                let identifier = format!("unique_source_identifier {message}");
                let title = "title must be a string, not a number";
                assert_eq!(list(&errors), [title, &identifier]);
            }
            (put, _) => panic!("{segment}: {put:?}"),
        }
    }
}

/// The service encodes spaces and `"'<>`. The URL Standard's parser encodes the same characters, so
/// the encoded address leads to the same page.
#[test]
fn an_address_is_stored_as_a_page_can_have_it() {
    let mut board = Board::new();
    let sent = r#"{"application_url":"https://a.example/<b>?q='x'","company":{"logo_path":"/a \"b\".png"}}"#;
    board.put(CREATE).unwrap();
    board.put(sent).unwrap();
    let stored = board.posting().details.application_url.as_deref();
    assert_eq!(stored, Some("https://a.example/%3Cb%3E?q=%27x%27"));
    assert_eq!(
        board.company().logo_path.as_deref(),
        Some("/a%20%22b%22.png")
    );
    assert_eq!(board.put(sent).unwrap().0.1, PutOutcome::Unchanged);

    let long = format!("https://a.example/{}", "<".repeat(1_000));
    let body = format!(r#"{{"application_url":"{long}"}}"#);
    assert_eq!(board.wrong(&body), ["application_url"]);
}
