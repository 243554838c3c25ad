//! The contract's table of field values: absent, `null`, or a value.

use super::*;

const FULL: &str = r#"{
    "title": " Baker ", "raw_description": " <p>Bread.</p>",
    "employment_types": ["contract", "full-time", "contract"], "location_types": ["remote"],
    "location_country_code": "NO", "location_city": "Oslo", "salary_min": 1, "salary_max": 2,
    "salary_currency_code": "NOK", "salary_period": "hourly", "application_email": "a@b.example",
    "application_url": "https://a.example", "metadata": {"a": 1}, "expiration_reason": "later",
    "valid_through": "2099-12-31", "date_posted": "2026-01-01", "requisition_id": "R7",
    "location_region": "NO-03", "location_postal_code": "0150", "locations": [{"city": "Oslo"}],
    "company": {"name": "Acme", "website_url": "https://acme.example", "logo_path": "/l.svg"}
}"#;

fn full() -> Board {
    let mut board = Board::new();
    board.put(FULL).unwrap();
    board
}

#[test]
fn null_and_blank_clear_optional_fields() {
    for null in ["null", "\"\"", "\" \\t\""] {
        let mut board = full();
        let body = r#"{
            "employment_types": null, "location_types": null, "location_country_code": #,
            "location_city": #, "salary_min": null, "salary_max": null, "salary_currency_code": #,
            "salary_period": #, "application_email": #, "metadata": null, "expiration_reason": #,
            "valid_through": #, "date_posted": #, "requisition_id": #, "location_region": #,
            "location_postal_code": #, "locations": null, "company": {"logo_path": #}
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
fn a_field_is_what_was_sent_last() {
    let stored = |board: &Board| {
        let details = &board.posting().details;
        let types = details.employment_types.iter().map(|it| it.as_str());
        let types = types.collect::<Vec<_>>().join(",");
        let metadata = details.metadata.as_ref().unwrap().as_str();
        let description = details.raw_description.text().unwrap();
        format!("{}|{description}|{types}|{metadata}", details.title)
    };
    let before = r#"Baker| <p>Bread.</p>|contract,full-time|{"a":1}"#;
    for (body, from, to) in [
        ("{}", "", ""),
        ("{\"metadata\":{ \"a\" :\n1 }}", "", ""),
        (r#"{"title":"New"}"#, "Baker", "New"),
        (
            r#"{"employment_types":["part-time"]}"#,
            "contract,full-time",
            "part-time",
        ),
        (r#"{"metadata":{"b":{}}}"#, r#"{"a":1}"#, r#"{"b":{}}"#),
        (
            r#"{"employment_types":["full-time","contract"]}"#,
            "contract,full-time",
            "full-time,contract",
        ),
    ] {
        let mut board = full();
        let (_, written) = board.put(body).unwrap();
        assert_eq!(stored(&board), before.replace(from, to));
        assert_eq!(written != Written::default(), from != to, "{body}");
    }
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
