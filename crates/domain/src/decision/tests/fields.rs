//! Every field by itself: the limits, and the words of every refusal, as the specification and the
//! contract have them. They are written out here, so that nothing changes them by accident.

use kernel::{body::BodyError, testing::text, validation::FieldErrors};
use serde_json::value::RawValue;

use super::*;
use crate::{
    authority::Principal,
    testing::{pusher, put_id},
};

/// Errors, each with fields and values of them that have it. An item of a list has its own.
const REFUSALS: &str = r#"
must not be null or blank
    title raw_description company.name company.website_url | null "" " \n\u00a0\u200b\u00ad"
    company | null
    employment_types.0 location_types.0 | [null] [""]
must be an object
    company | "a" [] [{}] [[]] 5 true
    expiration metadata | "a" [{}] [[]] 5 true
must be a string
    title raw_description location_city application_email | 5 true ["a"] {"a":{"b":[]}}
    application_url expiration_reason expiration.reason | 5 true ["a"] {"a":{"b":[]}}
    company.name company.website_url company.logo_path | 5 true ["a"] {"a":{"b":[]}}
    location_country_code salary_currency_code salary_period | 5 true ["a"] {"a":{"b":[]}}
    employment_types.0 location_types.0 | [5] [[]] [{}]
must be an integer
    salary_min salary_max | "5" 5.5 false [5] {}
must be between 0 and 9007199254740991
    salary_min salary_max | -1 -1e300
is too large; it must be between 0 and 9007199254740991
    salary_min salary_max | 9007199254740992 18446744073709551615 1e20 1e300
must be an array
    employment_types location_types | "full-time" {} 5 true
must be one of full-time, part-time, contract, internship
    employment_types.0 | ["Contract"] ["other"] ["\u0000"]
    employment_types.1 | ["contract","x"]
must be one of remote, on-site, hybrid, other
    location_types.0 | ["Remote!"]
must be one of hourly, weekly, monthly, annually
    salary_period | "yearly" "Monthly" "\u0000"
must be a country code of ISO 3166-1 alpha-2 that is assigned
    location_country_code | "XX" "UK" "NOR" "N" "nø" "ZZ" "12" "XK" "xk" "EU" "AN" "SU"
must be a currency code of ISO 4217 that is assigned
    salary_currency_code | "BGN" "HRK" "hrk" "DEM" "CUC" "SLL" "ZWL" "ANG" "XXX" "XTS"
    salary_currency_code | "NO" "ABC" "EURO" "€" "kr." "123"
must be a valid e-mail address
    application_email | "a" "a@b..example" ".a@b.example" "a.@b.example" "a..b@c.example"
must be an absolute http or https URL
    application_url company.website_url | "a.example" "ftp://a.example" "https://" "/apply"
    application_url company.website_url | "javascript:alert(1)"
must not contain user information
    application_url company.website_url | "https://user:pw@evil.example"
must be a relative path or an absolute http or https URL
    company.logo_path | "javascript:alert(1)" "//evil.example/x.svg" "\\\\evil.example"
must not contain control characters, as U+001B
    title location_city expiration_reason company.name expiration.reason | "a\u001bb"
must not contain characters that turn the direction of text, as U+202E
    title location_city expiration_reason company.name expiration.reason | "a\u202eb"
    application_url company.website_url company.logo_path | "https://a.example/\u202eb"
must not contain the character U+0000
    title raw_description location_city expiration_reason company.name expiration.reason | "a\u0000"
    unknown company.unknown expiration.unknown metadata | {"a":[{"b":"\u0000"}]} {"\u0000":1}
must not contain numbers that are too large for a double
    metadata | {"a":1e400}
must not have the same name twice in one object
    metadata | {"a":[{"b":1,"b":2}]}
must not contain an unpaired surrogate
    metadata | {"a":"\ud83e"}
is set by the service and must not be sent
    markdown_description markdown_redacted_description latitude | null "\u0000" 1.5 {"a":[]}
    longitude published_at expire_at is_featured unique_source_identifier | null "x" 1.5 {"a":[]}
"#;

/// Fields, and values that each of them takes.
const TAKEN: &str = r#"
    salary_min salary_max | 0 9007199254740991 9007199254740991.0 null
    employment_types | [] ["full-time","part-time","contract","internship"]
    location_types | [] ["remote","on-site","hybrid","other"]
    salary_period | "hourly" "weekly" "monthly" "annually" " monthly\n"
    salary_currency_code | "EUR" "xau" "XCG" "SLE" "ZWG" "CHE"
    application_email | "a@b.example" "o'neil+jobs@b.example" "a@bücher.example"
    application_url | "http://a.example" "HTTPS://a.example/x?y=z#f"
    company.logo_path | "l.svg" "/l.svg" "https://a.example/l.svg"
    raw_description | "<p>a\r\n\tb\u202ec</p>"
    title | "\u2068אב\u2069 Cook"
"#;

/// A body with a field for each of these values.
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

/// The errors, each as `path message`.
fn list(errors: &FieldErrors) -> Vec<String> {
    let each = |(path, messages): (&str, &[String])| {
        let messages = messages.iter();
        let lines = messages.map(|message| format!("{path} {message}"));
        lines.collect::<Vec<_>>()
    };
    errors.iter().flat_map(each).collect()
}

/// The errors of a push to an approved posting, or to none.
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

/// Pushes the values of the fields of a row, and compares the errors.
#[track_caller]
fn check(row: &str, error: Option<&str>) {
    let (fields, values) = row.trim().split_once(" | ").unwrap();
    for field in fields.split(' ') {
        for body in bodies(field, values) {
            let found = wrong(Board::with(Status::Approved), &body);
            // What was sent instead is another test's.
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
    let mut error = "";
    for row in REFUSALS.lines().skip(1) {
        if row.starts_with(' ') {
            check(row, Some(error));
        } else {
            error = row;
        }
    }
    TAKEN.lines().skip(1).for_each(|row| check(row, None));
}

#[test]
fn an_error_says_what_was_sent_and_what_was_likely_meant() {
    for (body, expect) in [
        (r#"{"title":5}"#, "title must be a string, not a number"),
        (
            r#"{"salary_min":"5"}"#,
            "salary_min must be an integer, not a string",
        ),
        (
            r#"{"salary_min":5.5}"#,
            "salary_min must be an integer, not a number with a fraction",
        ),
        (
            r#"{"salary_min":1e20}"#,
            "salary_min is too large; it must be between 0 and 9007199254740991",
        ),
        (
            r#"{"metadata":true}"#,
            "metadata must be an object, not a boolean",
        ),
        (
            r#"{"location_country_code":"UK"}"#,
            "location_country_code must be a country code of ISO 3166-1 alpha-2 that is assigned, \
             not \"UK\"; is \"GB\" meant?",
        ),
        (
            r#"{"salary_currency_code":"€"}"#,
            "salary_currency_code must be a currency code of ISO 4217 that is assigned, \
             not \"€\"; is \"EUR\" meant?",
        ),
        (
            r#"{"employment_types":["Full Time"]}"#,
            "employment_types.0 must be one of full-time, part-time, contract, internship, \
             not \"Full Time\"; is \"full-time\" meant?",
        ),
        (
            r#"{"location_types":["home office"]}"#,
            "location_types.0 must be one of remote, on-site, hybrid, other, \
             not \"home office\"; is \"remote\" meant?",
        ),
        (
            r#"{"salary_period":"per year"}"#,
            "salary_period must be one of hourly, weekly, monthly, annually, \
             not \"per year\"; is \"annually\" meant?",
        ),
    ] {
        assert_eq!(wrong(Board::with(Status::Approved), body), [expect]);
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
fn a_field_may_be_wrong_in_two_ways() {
    let control = "must not contain control characters, as U+001B";
    for (field, other) in [
        ("application_email", "must be a valid e-mail address"),
        ("application_url", "must be an absolute http or https URL"),
        (
            "company.website_url",
            "must be an absolute http or https URL",
        ),
        (
            "company.logo_path",
            "must be a relative path or an absolute http or https URL",
        ),
    ] {
        let [body] = &bodies(field, r#""https://a.example/\u001bb""#)[..] else {
            panic!("{field}");
        };
        let expect = [control, other].map(|message| format!("{field} {message}"));
        assert_eq!(wrong(Board::with(Status::Approved), body), expect);
    }
    let title = format!(r#"{{"title":"\u001b{}"}}"#, text(255));
    let expect = [control, "must be at most 255 characters long, and has 256"];
    let expect = expect.map(|message| format!("title {message}"));
    assert_eq!(wrong(Board::with(Status::Approved), &title), expect);
}

#[test]
fn texts_have_a_largest_length_after_trimming() {
    for (field, limit) in [
        ("title", 255),
        ("location_city", 255),
        ("expiration_reason", 255),
        ("expiration.reason", 255),
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
fn a_website_is_at_most_as_long_in_its_normal_form() {
    let url = |path: &str| format!("https://acme.example/{path}");
    // A character of two bytes becomes six characters, a percent sign three.
    for (path, length) in [
        ("a".repeat(1003), None),
        (format!("{}a", "é".repeat(167)), None),
        ("é".repeat(168), Some(1029)),
        ("%".repeat(335), Some(1026)),
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
fn what_is_wrong_comes_before_what_is_missing_and_both_before_rules_across_fields() {
    let expect = [
        "title is required",
        "raw_description is required",
        "company is required",
        "company.name is required",
        "company.website_url is required",
        "application_email is required when there is no application_url",
        "application_url is required when there is no application_email",
    ];
    assert_eq!(wrong(Board::new(), "{}"), expect);
    let body = r#"{
        "salary_min": 3, "salary_max": 2, "employment_types": ["full-time", "x", 3],
        "is_featured": null, "company": {"name": 5}, "metadata": [1], "application_email": ""
    }"#;
    let expect = [
        "employment_types.1 must be one of full-time, part-time, contract, internship, not \"x\"",
        "employment_types.2 must be a string, not a number",
        "metadata must be an object, not an array",
        "company.name must be a string, not a number",
        "is_featured is set by the service and must not be sent",
        "title is required",
        "raw_description is required",
        "company.website_url is required",
        "salary_max must be at least salary_min, which is 3",
        "application_email is required when there is no application_url",
        "application_url is required when there is no application_email",
    ];
    assert_eq!(wrong(Board::new(), body), expect);
    let body = r#"{"company":{"website_url":"https://new.example"}}"#;
    let expect = ["company.name is required for a company that is not known yet"];
    assert_eq!(wrong(Board::with(Status::Approved), body), expect);
}

#[test]
fn numbers_that_no_parser_holds_are_field_errors_too() {
    for number in ["1e400", "-1e400", &"9".repeat(400)] {
        let body = format!(r#"{{"salary_min":{number},"title":{number},"unknown":{number}}}"#);
        let errors = parse(body.as_bytes()).unwrap().errors;
        let paths: Vec<_> = errors.iter().map(|(path, _)| path).collect();
        assert_eq!(paths, ["title", "salary_min"], "{body}");
    }
}

#[test]
fn an_operators_change_of_a_company_keeps_to_the_rules_of_a_push() {
    let long = "x".repeat(256);
    for (name, logo_path, is_valid) in [
        (Some("Acme"), Some(None), true),
        (Some(" "), None, false),
        (Some(long.as_str()), None, false),
        (None, Some(Some("//logo")), false),
    ] {
        let patch = posting::CompanyPatch::parse(name, logo_path);
        assert_eq!(patch.is_ok(), is_valid, "{name:?} {logo_path:?}");
    }
}

/// A rule across fields says nothing where one of them is wrong by itself.
#[test]
fn a_wrong_field_is_told_once() {
    for (body, field) in [
        (r#"{"salary_min":9,"salary_max":"9"}"#, "salary_max"),
        (r#"{"salary_min":"2","salary_max":2}"#, "salary_min"),
    ] {
        let mut board = Board::with(Status::Approved);
        board.put(r#"{"salary_min":3,"salary_max":5}"#).unwrap();
        let expect = format!("{field} must be an integer, not a string");
        assert_eq!(wrong(board, body), [expect]);
    }
}

#[test]
fn unknown_fields_are_ignored_unless_they_are_to_be_refused() {
    let body =
        r#"{"tittle":"x","y":{"title":[null]},"company":{"uuid":"x","nam":1},"expiration_":{}}"#;
    let written = Board::with(Status::Approved).put(body).unwrap().1;
    assert_eq!(written, Written::default());
    let client = Principal::unfenced(pusher());
    let put = PutPosting::parse_strictly("a", body.as_bytes(), client, put_id("a")).unwrap();
    let expect = [
        "tittle is not a known field; the nearest one is title",
        "y is not a known field",
        "expiration_ is not a known field; the nearest one is expiration",
        "company.uuid is not a known field",
        "company.nam is not a known field; the nearest one is company.name",
    ];
    assert_eq!(list(&put.errors), expect);
}

#[test]
fn what_is_not_json_is_no_command() {
    for body in [
        &b""[..],
        b" ",
        b"{",
        b"{]",
        b"{\"a\":}",
        b"{}x",
        b"{'a':1}",
        b"{\"title\":\"\\ud800\"}",
        b"{\"a\":01}",
        b"{\"a\":\"\xff\"}",
        b"{\"title\":\"a\",\"title\":\"b\"}",
    ] {
        assert!(
            matches!(parse(body), Err(BodyError::NotJson(_))),
            "{body:?}"
        );
    }
    for body in ["[]", "null", "5", "\"a\"", "true", " [{}] "] {
        let errors = FieldErrors::one("body", "must be a JSON object");
        assert_eq!(
            parse(body.as_bytes()).unwrap_err(),
            BodyError::Invalid(errors),
            "{body}"
        );
    }
}

#[test]
fn depth_is_no_danger_in_any_field() {
    // In an unknown field it is no error either.
    let deep = format!("{}1{}", r#"{"a":"#.repeat(100_000), "}".repeat(100_000));
    assert!(parse(deep.as_bytes()).is_ok());
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
fn a_bad_identifier_is_a_field_error_beside_the_others() {
    let long = "%C3%BC".repeat(256);
    let control = "must not contain control characters";
    for (segment, message) in [
        ("", "must not be empty"),
        ("%00", control),
        ("a%0Ab", control),
        ("%7F", control),
        ("%C2%85", control),
        ("%FF", "must be percent-encoded UTF-8"),
        (&long, "must be at most 255 characters long"),
    ] {
        let client = Principal::unfenced(pusher());
        let put = PutPosting::parse(segment, br#"{"title":5}"#, client, put_id("a"));
        let Err(BodyError::Invalid(errors)) = put else {
            panic!("{segment}: {put:?}");
        };
        let identifier = format!("unique_source_identifier {message}");
        let title = "title must be a string, not a number";
        assert_eq!(list(&errors), [title, &identifier]);
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
    let errors = parse(body.as_bytes()).unwrap().errors;
    assert_eq!(errors.iter().count(), 100);
    let summary = "employment_types.0 must be a string, not a number (and 9999 more errors).";
    assert_eq!(errors.to_string(), summary);
}
