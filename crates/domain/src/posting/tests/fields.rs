//! Every field by itself: types, limits, vocabularies, prohibited fields.

use kernel::{body::BodyError, testing::text, validation::MOST_ERRORS};
use serde_json::{Value, json};

use super::*;
use crate::{
    authority::Principal,
    posting::{PROHIBITED, limits, payload::PostingPayload},
    testing::{pusher, put_id},
};

/// The stored posting takes the value of the field, or names the path that is wrong.
#[track_caller]
fn check(field: &str, value: &Value, wrong: Option<&str>) {
    let body = match field.split_once('.') {
        Some((object, inner)) => json!({ object: { inner: value } }),
        None => json!({ field: value }),
    };
    let mut board = Board::with(Status::Approved);
    let answer = board.put(&body.to_string());
    match (wrong, answer) {
        (None, Ok(_)) => {}
        (Some(path), Err(Rejection::Invalid(errors))) => {
            let paths: Vec<_> = errors.iter().map(|(path, _)| path).collect();
            assert_eq!(paths, [path], "{body}");
        }
        (_, answer) => panic!("{field} = {value}: {answer:?}"),
    }
}

#[test]
fn limits_count_characters_after_trimming() {
    let cases = [
        ("title", limits::TITLE),
        ("location_city", limits::LOCATION_CITY),
        ("expiration_reason", limits::EXPIRATION_REASON),
        ("expiration.reason", limits::EXPIRATION_REASON),
        ("company.name", limits::COMPANY_NAME),
        ("company.logo_path", limits::COMPANY_LOGO_PATH),
    ];
    for (field, limit) in cases {
        check(field, &json!(text(limit)), None);
        check(field, &json!(format!("  {} \n", text(limit))), None);
        check(field, &json!(text(limit + 1)), Some(field));
    }
}

#[test]
fn limits_of_urls() {
    let cases = [
        ("application_url", limits::APPLICATION_URL),
        ("company.website_url", limits::COMPANY_WEBSITE_URL),
    ];
    for (field, limit) in cases {
        let url = |len: usize| {
            let start = "https://acme.example/";
            json!(format!("{start}{}", text(len - start.len())))
        };
        check(field, &url(limit + 1), Some(field));
        if field == "application_url" {
            check(field, &url(limit), None);
        } else {
            let ascii = json!(format!("https://acme.example/{}", "a".repeat(limit - 21)));
            // A website that is not known makes a company, which needs a name.
            check(field, &ascii, Some("company.name"));
        }
    }
}

#[test]
fn types_are_strict() {
    let strings = [
        "title",
        "raw_description",
        "location_country_code",
        "location_city",
        "salary_currency_code",
        "salary_period",
        "application_email",
        "application_url",
        "expiration_reason",
        "company.name",
        "company.website_url",
        "company.logo_path",
        "expiration.reason",
    ];
    for field in strings {
        for value in [json!(5), json!(true), json!(["a"]), json!({"a": {"b": []}})] {
            check(field, &value, Some(field));
        }
    }
    for field in ["salary_min", "salary_max"] {
        for value in [json!("5"), json!(5.5), json!(false), json!([5]), json!({})] {
            check(field, &value, Some(field));
        }
    }
    for field in ["company", "expiration", "metadata"] {
        for value in [json!("a"), json!([{}]), json!([[]]), json!(5), json!(true)] {
            check(field, &value, Some(field));
        }
    }
    check("company", &json!([]), Some("company"));
    for field in ["employment_types", "location_types"] {
        for value in [json!("full-time"), json!({}), json!(5), json!(true)] {
            check(field, &value, Some(field));
        }
    }
}

#[test]
fn integers_have_a_range() {
    for field in ["salary_min", "salary_max"] {
        check(field, &json!(0), None);
        check(field, &json!(limits::INTEGER), None);
        check(field, &json!(limits::INTEGER + 1), Some(field));
        check(field, &json!(u64::MAX), Some(field));
        check(field, &json!(-1), Some(field));
        check(field, &json!(9_007_199_254_740_991.0), None);
    }
    // However it is spelled.
    let stored = |amount: &str| {
        let mut board = Board::with(Status::Approved);
        let body = format!(r#"{{"salary_min":{amount}}}"#);
        board.put(&body).unwrap();
        board.posting().details.salary_min
    };
    for amount in ["50000", "50000.0", "5e4", "5.0e4"] {
        assert_eq!(stored(amount), Some(50_000), "{amount}");
    }
    for vast in ["1e20", "100000000000000000000", "1e400"] {
        let put = parse(format!(r#"{{"salary_max":{vast}}}"#).as_bytes()).unwrap();
        let expect = "salary_max is too large; it must be between 0 and 9007199254740991.";
        assert_eq!(put.errors.to_string(), expect);
    }
}

#[test]
fn numbers_that_no_parser_holds_are_field_errors_too() {
    for number in ["1e400", "-1e400", &"9".repeat(400)] {
        let body = format!(r#"{{"salary_min": {number}, "title": {number}, "unknown": {number}}}"#);
        let put = parse(body.as_bytes()).unwrap();
        let paths: Vec<_> = put.errors.iter().map(|(path, _)| path).collect();
        assert_eq!(paths, ["salary_min", "title"], "{body}");
        let body = format!(r#"{{"metadata": {{"a": {number}}}, "unknown": {number}}}"#);
        let put = parse(body.as_bytes()).unwrap();
        let paths: Vec<_> = put.errors.iter().map(|(path, _)| path).collect();
        assert_eq!(paths, ["metadata"], "{body}");
    }
}

#[test]
fn vocabularies_are_closed() {
    for name in ["full-time", "part-time", "contract", "internship"] {
        check("employment_types", &json!([name]), None);
    }
    for name in ["remote", "on-site", "hybrid", "other"] {
        check("location_types", &json!([name]), None);
    }
    for name in ["hourly", "weekly", "monthly", "annually", " monthly\n"] {
        check("salary_period", &json!(name), None);
    }
    check("salary_period", &json!("yearly"), Some("salary_period"));
    check("salary_period", &json!("Monthly"), Some("salary_period"));
    for field in ["employment_types", "location_types"] {
        check(field, &json!([]), None);
        for item in [
            json!("Remote!"),
            json!(5),
            json!(null),
            json!(""),
            json!([]),
            json!({}),
        ] {
            check(field, &json!([item]), Some(&format!("{field}.0")));
        }
    }
    check(
        "employment_types",
        &json!(["contract", "x"]),
        Some("employment_types.1"),
    );
}

#[test]
fn codes_exist_and_are_folded_to_upper_case() {
    let mut board = Board::with(Status::Approved);
    board
        .put(r#"{"location_country_code":"no","salary_currency_code":" nok "}"#)
        .unwrap();
    let details = &board.posting().details;
    assert_eq!(details.location_country_code.unwrap().as_str(), "NO");
    assert_eq!(details.salary_currency_code.unwrap().as_str(), "NOK");
    for code in [
        "XX", "UK", "NOR", "N", "n\u{f8}", "ZZ", "12", "XK", "xk", "EU", "AN", "SU",
    ] {
        check(
            "location_country_code",
            &json!(code),
            Some("location_country_code"),
        );
    }
    for code in ["EUR", "xau", "XCG", "SLE", "ZWG", "CHE"] {
        check("salary_currency_code", &json!(code), None);
    }
    let gone = ["BGN", "HRK", "hrk", "DEM", "CUC", "SLL", "ZWL", "ANG"];
    let none = ["XXX", "XTS", "NO", "ABC", "EURO", "€", "kr.", "123"];
    for code in gone.into_iter().chain(none) {
        check(
            "salary_currency_code",
            &json!(code),
            Some("salary_currency_code"),
        );
    }
}

#[test]
fn ways_to_apply_are_checked() {
    for email in ["a@b.example", "o'neil+jobs@b.example", "a@bücher.example"] {
        check("application_email", &json!(email), None);
    }
    for email in [
        "a",
        "a@",
        "@b.example",
        "a b@c.example",
        "a@b@c.example",
        "a@b..example",
        "a@[127.0.0.1]",
        ".a@b.example",
        "a.@b.example",
        "a..b@c.example",
    ] {
        check(
            "application_email",
            &json!(email),
            Some("application_email"),
        );
    }
    for url in ["http://a.example", "HTTPS://a.example/x?y=z#f"] {
        check("application_url", &json!(url), None);
    }
    for path in ["l.svg", "/l.svg", "https://a.example/l.svg"] {
        check("company.logo_path", &json!(path), None);
    }
    for path in [
        "javascript:alert(1)",
        "//evil.example/x.svg",
        "\\\\evil.example",
    ] {
        check("company.logo_path", &json!(path), Some("company.logo_path"));
    }
    for url in [
        "https://user:pw@evil.example",
        "a.example",
        "ftp://a.example",
        "javascript:alert(1)",
        "https://",
        "/apply",
    ] {
        check("application_url", &json!(url), Some("application_url"));
        check(
            "company.website_url",
            &json!(url),
            Some("company.website_url"),
        );
    }
}

#[test]
fn nul_is_refused_anywhere() {
    let fields = [
        "title",
        "raw_description",
        "location_city",
        "application_email",
        "application_url",
        "expiration_reason",
        "company.name",
        "company.website_url",
        "company.logo_path",
        "expiration.reason",
        "location_country_code",
        "salary_period",
    ];
    for field in fields {
        check(field, &json!("https://a.example/\0"), Some(field));
    }
    check("metadata", &json!({"a": ["\0"]}), Some("metadata"));
    check("metadata", &json!({"\0": 1}), Some("metadata"));
    check(
        "employment_types",
        &json!(["\0"]),
        Some("employment_types.0"),
    );
    check("unknown", &json!({"a": [{"b": "\0"}]}), Some("unknown"));
    check("unknown", &json!({"\0": 1}), Some("unknown"));
    check("company.unknown", &json!("\0"), Some("company.unknown"));
    check(
        "expiration.unknown",
        &json!("\0"),
        Some("expiration.unknown"),
    );
    check(
        "markdown_description",
        &json!("\0"),
        Some("markdown_description"),
    );
}

#[test]
fn lines_have_no_controls_and_no_turns() {
    let fields = [
        "title",
        "location_city",
        "application_email",
        "application_url",
        "expiration_reason",
        "company.name",
        "company.website_url",
        "company.logo_path",
        "expiration.reason",
    ];
    for field in fields {
        for c in ['\u{1b}', '\u{1}', '\u{7f}', '\u{202e}'] {
            check(
                field,
                &json!(format!("https://a.example/{c}b")),
                Some(field),
            );
        }
    }
    check("raw_description", &json!("<p>a\r\n\tb\u{202e}c</p>"), None);
    check("title", &json!("\u{2068}אב\u{2069} Cook"), None);
}

#[test]
fn a_website_is_at_most_as_long_in_its_normal_form() {
    let limit = limits::COMPANY_WEBSITE_URL;
    let url = |paths: &str| format!("https://acme.example/{paths}");
    let rest = limit - url("").len();
    // A character of two bytes becomes six characters, a percent sign three.
    for (paths, is_fit) in [
        ("a".repeat(rest), true),
        (
            format!("{}{}", "é".repeat(rest / 6), "a".repeat(rest % 6)),
            true,
        ),
        ("é".repeat(rest / 6 + 1), false),
        ("é".repeat(rest), false),
        ("%".repeat(rest / 3 + 1), false),
    ] {
        let body = CREATE.replace("https://acme.example", &url(&paths));
        let mut board = Board::new();
        if is_fit {
            board.put(&body).unwrap();
            let shown = board.company().website.as_str().to_owned();
            assert_eq!(shown.len(), limit.min(shown.len()));
            let again = CREATE.replace("https://acme.example", &shown);
            assert_eq!(board.put(&again).unwrap().1, Written::default());
        } else {
            assert_eq!(board.wrong(&body), ["company.website_url"], "{paths}");
        }
    }
}

#[test]
fn prohibited_fields_are_refused_even_as_null() {
    assert_eq!(PROHIBITED.len(), 8);
    for field in PROHIBITED {
        for value in [json!(null), json!("x"), json!(1.5), json!({"a": []})] {
            check(field, &value, Some(field));
        }
    }
}

#[test]
fn required_fields_cannot_be_cleared() {
    for field in [
        "title",
        "raw_description",
        "company",
        "company.name",
        "company.website_url",
    ] {
        check(field, &json!(null), Some(field));
        if field != "company" {
            check(field, &json!(""), Some(field));
            check(field, &json!(" \n\u{a0}\u{200b}\u{ad}"), Some(field));
        }
    }
}

#[test]
fn required_fields_cannot_be_absent_on_create() {
    for field in ["title", "raw_description", "company"] {
        let mut body: Value = serde_json::from_str(CREATE).unwrap();
        body.as_object_mut().unwrap().remove(field);
        let wrong = Board::new().wrong(&body.to_string());
        assert_eq!(wrong[0], field);
    }
    for field in ["name", "website_url"] {
        let mut body: Value = serde_json::from_str(CREATE).unwrap();
        body["company"].as_object_mut().unwrap().remove(field);
        assert_eq!(
            Board::new().wrong(&body.to_string()),
            [format!("company.{field}")]
        );
    }
}

#[test]
fn all_errors_come_in_one_answer() {
    let body = r#"{
        "salary_min": "5", "employment_types": ["full-time", "x", 3], "is_featured": null,
        "company": {"name": 5}, "metadata": [1]
    }"#;
    assert_eq!(
        Board::new().wrong(body),
        [
            "application_email",
            "application_url",
            "company.name",
            "company.website_url",
            "employment_types.1",
            "employment_types.2",
            "is_featured",
            "metadata",
            "raw_description",
            "salary_min",
            "title",
        ]
    );
}

#[test]
fn unknown_fields_are_ignored() {
    for body in [
        r#"{"x":{"y":[null]},"uuid":5}"#,
        r#"{"company":{"uuid":"x"},"expiration_":{}}"#,
    ] {
        assert_eq!(
            Board::with(Status::Approved).put(body).unwrap().1,
            Written::default()
        );
    }
}

#[track_caller]
fn parse(body: &[u8]) -> Result<PutPosting, BodyError> {
    let client = Principal::unfenced(pusher());
    PutPosting::parse("a", body, client, put_id("a"))
}

#[test]
fn what_is_not_json_is_no_command() {
    let deep = format!("{}1{}", r#"{"a":"#.repeat(100_000), "}".repeat(100_000));
    for body in [
        "",
        " ",
        "{",
        "{]",
        "{\"a\":}",
        "{}x",
        "{'a':1}",
        "{\"title\":\"\\ud800\"}",
        "{\"a\":01}",
    ] {
        assert!(
            matches!(parse(body.as_bytes()), Err(BodyError::NotJson(_))),
            "{body}"
        );
    }
    assert!(matches!(
        parse(b"{\"a\":\"\xff\"}"),
        Err(BodyError::NotJson(_))
    ));
    assert!(matches!(
        parse(b"{\"title\":\"a\",\"title\":\"b\"}"),
        Err(BodyError::NotJson(_))
    ));
    // Depth in an unknown field is no error, and no danger.
    assert!(parse(deep.as_bytes()).is_ok());
}

#[test]
fn depth_is_no_danger_in_any_field() {
    for field in [
        "title",
        "salary_min",
        "employment_types",
        "company",
        "expiration",
        "metadata",
        "latitude",
    ] {
        let body = format!(
            "{{\"{field}\":{}{}}}",
            "[".repeat(50_000),
            "]".repeat(50_000)
        );
        // Whether it is refused as JSON or as a field, it is refused.
        assert!(
            parse(body.as_bytes()).map_or(true, |put| !put.errors.is_empty()),
            "{field}"
        );
    }
}

#[test]
fn json_of_another_type_is_wrong_as_a_whole() {
    for body in ["[]", "null", "5", "\"a\"", "true", " [{}] "] {
        match parse(body.as_bytes()) {
            Err(BodyError::Invalid(errors)) => assert_eq!(errors.iter().next().unwrap().0, "body"),
            other => panic!("{body}: {other:?}"),
        }
    }
}

#[test]
fn a_bad_identifier_is_a_field_error_beside_the_others() {
    let client = Principal::unfenced(pusher());
    let long = "%C3%BC".repeat(256);
    for segment in ["", "%00", "a%0Ab", "%7F", "%C2%85", "%FF", &long] {
        match PutPosting::parse(segment, br#"{"title":5}"#, client, put_id("a")) {
            Err(BodyError::Invalid(errors)) => {
                let fields: Vec<_> = errors.iter().map(|(field, _)| field).collect();
                assert_eq!(fields, ["title", "unique_source_identifier"], "{segment}");
            }
            other => panic!("{segment}: {other:?}"),
        }
    }
}

#[test]
fn awkward_identifiers_are_identifiers() {
    let client = Principal::unfenced(pusher());
    let long = ("%F0%9F%A6%80".repeat(255), "🦀".repeat(255));
    let cases = [
        ("a%2Fb%3Fc", "a/b?c"),
        ("a+b", "a+b"),
        ("%2B", "+"),
        ("%20", " "),
        ("%25", "%"),
        ("%2E%2E", ".."),
        ("100%", "100%"),
        ("%E2%80%8B", "\u{200b}"),
        (&long.0, &long.1),
    ];
    for (segment, expect) in cases {
        let put = PutPosting::parse(segment, b"{}", client, put_id("a")).unwrap();
        assert_eq!(put.identifier.as_str(), expect);
    }
}

#[test]
fn a_flood_of_wrong_items_is_counted_and_not_described() {
    let body = format!(r#"{{"employment_types":[1{}]}}"#, ",1".repeat(9_999));
    let payload = PostingPayload::from_json(&body).unwrap();
    let described = garde::Validate::validate(&payload).unwrap_err();
    assert_eq!(described.into_inner().len(), MOST_ERRORS);
    let errors = payload.errors();
    assert_eq!(errors.iter().count(), MOST_ERRORS);
    let summary = errors.to_string();
    assert!(summary.ends_with("(and 9999 more errors)."), "{summary}");
}
