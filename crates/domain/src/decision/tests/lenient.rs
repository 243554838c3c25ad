//! `Prefer: handling=lenient`: values whose meaning is certain are corrected, others left out.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{laws::any_body, *};
use crate::{
    authority::Principal,
    posting::{Handling, Notice},
    testing::{pusher, put_id},
};

/// Fields with values that are invalid in strict handling, and the stored results; `-` means no
/// value.
const VALUES: &str = include_str!("lenient/values.txt");

fn parse(body: &str, handling: Handling) -> PutPosting {
    let by = Principal::unfenced(pusher());
    PutPosting::parse_as("a", body.as_bytes(), handling, by, put_id("a")).unwrap()
}

fn rendered(notices: &[Notice]) -> Vec<String> {
    let each = notices.iter().map(|notice| {
        let to = notice.to().map(|to| format!(" = {to}")).unwrap_or_default();
        format!(
            "{} {}{to}",
            notice.code(),
            notice.field().unwrap_or_default()
        )
    });
    each.collect()
}

fn lenient(board: &mut Board, body: &str) -> Vec<String> {
    let decided = board.decide(&parse(body, Handling::Lenient)).unwrap();
    let notices = rendered(&decided.answer.notices);
    board.record(decided.change.map(|change| *change));
    notices
}

#[test]
fn what_is_certain_is_corrected_and_the_rest_is_left_out() {
    for line in VALUES.lines() {
        let (field, rest) = line.split_once(' ').unwrap();
        let (value, expect) = if let Some(value) = rest.strip_suffix(" -") {
            (value, None)
        } else {
            let (value, expect) = rest.rsplit_once(" = ").unwrap();
            (value, Some(serde_json::from_str::<Value>(expect).unwrap()))
        };
        let mut board = Board::with(Status::Approved);
        let before = serde_json::to_value(&board.posting().details).unwrap();
        let notices = lenient(&mut board, &format!(r#"{{"{field}":{value}}}"#));
        let after = serde_json::to_value(&board.posting().details).unwrap();
        let is_kept = expect.is_none();
        assert_eq!(
            after[field],
            expect.unwrap_or(before[field].clone()),
            "{line}"
        );
        assert!(!notices.is_empty() || after[field].is_null(), "{line}");
        let left_out = notices
            .iter()
            .all(|it| it.starts_with(&format!("left_out {field}")));
        assert!(left_out || !is_kept, "{line}: {notices:?}");
    }
}

#[test]
fn every_step_is_reported() {
    let body = r#"{"location_country_code":"UK","employment_types":["FULL_TIME","x"],
        "salary_min":9,"salary_max":5,"titel":1,"title":"R&amp;D",
        "locations":[{"city":"Oslo","country_code":"UK"},{"city":"A","postal_code":5}],
        "company":{"website_url":"acme.example","logo_path":"//x"},"expiration":null}"#;
    let mut board = Board::with(Status::Approved);
    let expect = [
        "corrected location_country_code = GB",
        "corrected employment_types.0 = full-time",
        "left_out employment_types.1",
        "corrected locations.0.country_code = GB",
        "left_out locations.1.postal_code",
        "left_out company.logo_path",
        "corrected company.website_url = https://acme.example",
        "left_out salary_min",
        "left_out salary_max",
        "decoded title",
        "unknown_field titel",
    ];
    assert_eq!(lenient(&mut board, body), expect);
    assert_eq!(board.posting().details.salary_min, None);
    assert_eq!(board.posting().details.title, "R&D");
    assert_eq!(lenient(&mut board, body), expect, "and reported again");
    let body = r#"{"salary_min":"9","salary_max":"5","date_posted":"2099-01-01T00:00"}"#;
    let expect = ["salary_min", "salary_max", "date_posted"];
    let expect = expect.map(|field| format!("left_out {field}"));
    assert_eq!(lenient(&mut board, body), expect, "each field once");
}

#[test]
fn what_a_posting_needs_is_refused_in_the_same_words() {
    let create = |url: &str| {
        let body = CREATE.replace("https://a.example", url);
        let mut board = Board::new();
        board.decide(&parse(&body, Handling::Lenient))
    };
    assert!(create("a.example").is_ok());
    let Err(Rejection::Invalid(errors)) = create("/apply") else {
        panic!("it has no way to apply");
    };
    let why = "application_url must be an absolute http or https URL.";
    assert_eq!(errors.to_string(), why);
    for body in [
        r#"{"title":5}"#,
        r#"{"company":"Acme"}"#,
        r#"{"company":{"website_url":"none"}}"#,
        r#"{"company":{"website_url":"index.html"}}"#,
        r#"{"expiration":true}"#,
        r#"{"latitude":1}"#,
    ] {
        let mut board = Board::with(Status::Approved);
        let usual = board.decide(&parse(body, Handling::Usual)).unwrap_err();
        let lenient = board.decide(&parse(body, Handling::Lenient)).unwrap_err();
        assert_eq!(lenient, usual, "{body}");
    }
}

#[test]
fn stored_values_are_kept_where_all_that_is_sent_is_left_out() {
    let mut board = Board::with(Status::Approved);
    let notices = lenient(&mut board, r#"{"application_url":"/apply"}"#);
    assert_eq!(notices, ["left_out application_url"]);
    let kept = board.posting().details.application_url.as_deref();
    assert_eq!(kept, Some("https://a.example"));
    board.put(r#"{"employment_types":["contract"]}"#).unwrap();
    let notices = lenient(&mut board, r#"{"employment_types":["x"]}"#);
    assert_eq!(notices, ["left_out employment_types.0"]);
    assert_eq!(board.posting().details.employment_types.len(), 1);
    let notices = lenient(&mut board, r#"{"x":"\u0000"}"#);
    assert_eq!(notices, ["left_out x"], "in strict handling it is refused");
}

proptest! {
    #[test]
    fn what_is_valid_is_taken_unchanged_and_what_is_taken_is_valid(body in any_body()) {
        let body = body.to_string();
        let usual = parse(&body, Handling::Usual);
        let lenient = parse(&body, Handling::Lenient);
        if usual.errors.is_empty() {
            prop_assert_eq!(&lenient.patch, &usual.patch);
            prop_assert!(rendered(&lenient.notices).is_empty());
        } else {
            prop_assert!(!lenient.notices.is_empty() || !lenient.errors.is_empty());
        }
    }

    #[test]
    fn a_corrected_value_is_one_that_strict_validation_takes(
        text in "[ -~é€\\u{a0}]{0,24}",
        number in -9.0..1e9_f64,
    ) {
        let fields = "location_country_code salary_currency_code salary_period employment_types \
            location_types salary_min application_url application_email valid_through locations";
        for field in fields.split_whitespace() {
            for value in [json!(text), json!(number), json!([text]), json!({"country_code": text})] {
                let body = json!({ field: value }).to_string();
                let lenient = parse(&body, Handling::Lenient);
                prop_assert!(lenient.errors.is_empty(), "{body}: {}", lenient.errors);
                for notice in &lenient.notices {
                    let Some(to) = notice.to() else { continue };
                    let to = serde_json::from_str(to).unwrap_or_else(|_| json!(to));
                    let to = match notice.field() {
                        Some(
                            "employment_types" | "employment_types.0" | "location_types"
                            | "location_types.0" | "locations",
                        ) => json!([to]),
                        Some("locations.0.country_code") => json!([{"country_code": to}]),
                        _ => to,
                    };
                    let again = json!({ field: to }).to_string();
                    let strict = parse(&again, Handling::Strict);
                    prop_assert!(strict.errors.is_empty(), "{again}: {}", strict.errors);
                }
            }
        }
    }
}
