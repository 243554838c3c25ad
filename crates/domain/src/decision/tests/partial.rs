//! The contract's table of what a field may be: absent, `null`, or a value.

use super::*;

const FULL: &str = r#"{
    "title": " Baker ", "raw_description": " <p>Bread.</p>",
    "employment_types": ["contract", "full-time", "contract"], "location_types": ["remote"],
    "location_country_code": "NO", "location_city": "Oslo", "salary_min": 1, "salary_max": 2,
    "salary_currency_code": "NOK", "salary_period": "hourly", "application_email": "a@b.example",
    "application_url": "https://a.example", "metadata": {"a": 1}, "expiration_reason": "later",
    "company": {"name": "Acme", "website_url": "https://acme.example", "logo_path": "/l.svg"}
}"#;

fn full() -> Board {
    let mut board = Board::new();
    board.put(FULL).unwrap();
    board
}

#[test]
fn absent_fields_are_kept() {
    let mut board = full();
    let before = board.posting().details.clone();
    board.put(r#"{"title":"New"}"#).unwrap();
    let mut expect = before;
    expect.title = "New".into();
    assert_eq!(board.posting().details, expect);
}

#[test]
fn null_and_blank_clear_optional_fields() {
    for null in ["null", "\"\"", "\" \\t\""] {
        let mut board = full();
        let body = r#"{
            "employment_types": null, "location_types": null, "location_country_code": #,
            "location_city": #, "salary_min": null, "salary_max": null, "salary_currency_code": #,
            "salary_period": #, "application_email": #, "metadata": null, "expiration_reason": #,
            "company": {"logo_path": #}
        }"#;
        board.put(&body.replace('#', null)).unwrap();
        let mut bare = Board::new();
        bare.put(
            r#"{
            "title": "Baker", "raw_description": " <p>Bread.</p>",
            "application_url": "https://a.example",
            "company": {"name": "Acme", "website_url": "https://acme.example"}
        }"#,
        )
        .unwrap();
        assert_eq!(board.posting().details, bare.posting().details, "{null}");
        assert_eq!(board.company().logo_path, None);
    }
}

#[test]
fn lines_are_trimmed_and_texts_are_not() {
    let details = full().posting().details.clone();
    assert_eq!(details.title, "Baker");
    assert_eq!(
        details.raw_description.text().map(AsRef::as_ref),
        Some(" <p>Bread.</p>")
    );
}

#[test]
fn repeated_list_values_are_stored_once_in_order() {
    let details = full().posting().details.clone();
    let names: Vec<_> = details
        .employment_types
        .iter()
        .map(|name| name.as_str())
        .collect();
    assert_eq!(names, ["contract", "full-time"]);
}

#[test]
fn lists_and_metadata_are_replaced_as_a_whole() {
    let mut board = full();
    board
        .put(r#"{"employment_types":["part-time"],"metadata":{"b":{}}}"#)
        .unwrap();
    let details = &board.posting().details;
    assert_eq!(details.employment_types.len(), 1);
    assert_eq!(details.metadata.as_ref().unwrap().as_str(), r#"{"b":{}}"#);
}

#[test]
fn the_order_of_a_list_is_a_change() {
    let mut board = full();
    let (_, written) = board
        .put(r#"{"employment_types":["full-time","contract"]}"#)
        .unwrap();
    assert_eq!(written.events, [event::JOB_POSTING_UPDATED]);
}

#[test]
fn white_space_in_metadata_is_no_change() {
    let (_, written) = full().put("{\"metadata\":{ \"a\" :\n1 }}").unwrap();
    assert_eq!(written, Written::default());
}

#[test]
fn salaries_are_compared_as_merged() {
    for (body, is_valid) in [
        (r#"{"salary_max":1}"#, true),
        (r#"{"salary_max":0}"#, false),
        (r#"{"salary_min":2}"#, true),
        (r#"{"salary_min":3}"#, false),
        (r#"{"salary_min":3,"salary_max":3}"#, true),
        (r#"{"salary_min":3,"salary_max":null}"#, true),
    ] {
        let mut board = full();
        if is_valid {
            board.put(body).unwrap();
        } else {
            assert_eq!(board.wrong(body), ["salary_max"], "{body}");
        }
    }
}

#[test]
fn a_way_to_apply_must_remain() {
    let mut board = full();
    board.put(r#"{"application_email":null}"#).unwrap();
    assert_eq!(
        board.wrong(r#"{"application_url":null}"#),
        ["application_email", "application_url"]
    );
    board
        .put(r#"{"application_url":null,"application_email":"c@d.example"}"#)
        .unwrap();
}

#[test]
fn a_rule_across_fields_is_silent_about_fields_in_error() {
    assert_eq!(
        full().wrong(r#"{"salary_min":3,"salary_max":"2"}"#),
        ["salary_max"]
    );
    assert_eq!(
        full().wrong(r#"{"salary_min":"3","salary_max":0}"#),
        ["salary_min"]
    );
    for (wrong, other) in [
        ("application_email", "application_url"),
        ("application_url", "application_email"),
    ] {
        let mut board = full();
        board.put(&format!(r#"{{"{wrong}":null}}"#)).unwrap();
        let body = format!(r#"{{"{wrong}":5,"{other}":null}}"#);
        assert_eq!(board.wrong(&body), [wrong]);
    }
}
