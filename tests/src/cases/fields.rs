//! What each field may be, on creation and on update alike.

use serde_json::{Value, json};

use crate::harness::{App, Store, complete, fresh};

on_every_store! {
    every_value_that_is_wrong_is_named,
    every_value_at_its_limit_is_taken,
    everything_that_is_wrong_comes_in_one_answer,
    prohibited_fields_are_refused_even_as_null,
    the_character_nul_is_refused_anywhere,
    numbers_are_integers_to_the_letter,
}

/// The largest integer.
const MAX: i64 = 9_007_199_254_740_991;

/// A value for a field, at a JSON pointer.
type Case = (&'static str, Value);

fn crabs(count: usize) -> String {
    "🦀".repeat(count)
}

/// An absolute URL of some characters.
fn url(length: usize) -> String {
    let start = format!("https://{}.example/", fresh("long").to_lowercase());
    format!("{start}{}", "x".repeat(length - start.len()))
}

/// Values that no push may have.
fn wrong() -> Vec<Case> {
    let mut cases = Vec::new();
    // Of another type.
    for field in [
        "/title",
        "/raw_description",
        "/location_country_code",
        "/location_city",
        "/salary_currency_code",
        "/salary_period",
        "/application_email",
        "/application_url",
        "/expiration_reason",
        "/company/name",
        "/company/website_url",
        "/company/logo_path",
    ] {
        for other in [
            json!(5),
            json!(1.5),
            json!(true),
            json!(["a"]),
            json!({"a": "b"}),
        ] {
            cases.push((field, other));
        }
    }
    for field in ["/salary_min", "/salary_max"] {
        for other in [json!("5"), json!(5.5), json!(false), json!([5]), json!({})] {
            cases.push((field, other));
        }
        cases.extend([
            (field, json!(-1)),
            (field, json!(MAX + 1)),
            (field, json!(u64::MAX)),
        ]);
    }
    for field in ["/employment_types", "/location_types"] {
        for other in [
            json!("remote"),
            json!(1),
            json!(true),
            json!({"0": "remote"}),
        ] {
            cases.push((field, other));
        }
    }
    for other in [
        json!("a"),
        json!(1),
        json!(1.5),
        json!(false),
        json!([{"a": 1}]),
    ] {
        cases.extend([("/metadata", other.clone()), ("/company", other)]);
    }
    // Too long, by one character.
    cases.extend([
        ("/title", json!(crabs(256))),
        ("/location_city", json!(crabs(256))),
        ("/expiration_reason", json!(crabs(256))),
        ("/company/name", json!(crabs(256))),
        ("/company/logo_path", json!(crabs(1025))),
        ("/company/website_url", json!(url(1025))),
        ("/application_url", json!(url(2049))),
    ]);
    // No such code or word.
    for code in ["XX", "DEU", "D", "de-DE", "Germany", "ß"] {
        cases.push(("/location_country_code", json!(code)));
    }
    for code in ["XYZ", "EU", "EURO", "€", "978"] {
        cases.push(("/salary_currency_code", json!(code)));
    }
    for word in ["yearly", "Hourly", "per month"] {
        cases.push(("/salary_period", json!(word)));
    }
    for email in [
        "jobs",
        "jobs@",
        "@rosenhof.example",
        "a b@rosenhof.example",
        "a@b@c.example",
    ] {
        cases.push(("/application_email", json!(email)));
    }
    for url in [
        "rosenhof.example",
        "//rosenhof.example",
        "/jobs",
        "ftp://rosenhof.example",
        "https://",
        "mailto:jobs@rosenhof.example",
        "javascript:alert(1)",
        "https:rosenhof.example",
        "https://rosenhof .example",
        "https://rosenhof.example:99999",
        "https://[::1",
    ] {
        cases.extend([
            ("/application_url", json!(url)),
            ("/company/website_url", json!(url)),
        ]);
    }
    cases
}

/// The field of a pointer, as errors name it.
fn name(pointer: &str) -> String {
    pointer.trim_start_matches('/').replace('/', ".")
}

/// A payload that has only this value.
fn patch((pointer, value): &Case) -> Value {
    match pointer.trim_start_matches('/').split_once('/') {
        Some((outer, inner)) => json!({outer: {inner: value}}),
        None => json!({name(pointer): value}),
    }
}

/// A complete payload with this value.
fn creation((pointer, value): &Case) -> Value {
    let mut payload = complete();
    payload["expiration_reason"] = Value::Null;
    *payload.pointer_mut(pointer).unwrap() = value.clone();
    payload
}

async fn every_value_that_is_wrong_is_named(store: Store) {
    let app = App::quiet(store);
    let known = fresh("known");
    app.put(&known, &complete()).await.created();
    let before = app.show(&known).await;
    let refused = |answer: crate::harness::Answer, case: &Case| {
        let fields = answer.fields();
        let expect = name(case.0);
        // What cannot be read as a company has no name and no website either.
        let only = fields
            .iter()
            .all(|field| *field == expect || case.0 == "/company");
        assert!(only && fields.contains(&expect), "{case:?}: {answer:#?}");
    };
    for case in wrong() {
        let id = fresh("wrong");
        refused(app.put(&id, &creation(&case)).await, &case);
        assert!(!app.api.exists(&id).await, "{case:?}");
        refused(app.put(&known, &patch(&case)).await, &case);
    }
    // Items are named one by one.
    for (list, word) in [
        ("employment_types", "contract"),
        ("location_types", "remote"),
    ] {
        let items = json!([word, "nonsense", word, 5, word.to_uppercase(), [], {}]);
        let expect = [1, 3, 4, 5, 6].map(|index| format!("{list}.{index}"));
        let expect: Vec<&str> = expect.iter().map(String::as_str).collect();
        app.put(&known, &json!({list: items}))
            .await
            .refused(&expect);
    }
    assert_eq!(app.show(&known).await, before);
}

async fn every_value_at_its_limit_is_taken(store: Store) {
    let app = App::quiet(store);
    let id = fresh("limit");
    app.put(&id, &complete()).await.created();
    app.put(&id, &json!({"salary_min": 0, "salary_max": MAX}))
        .await
        .updated();
    for case in [
        ("/title", json!(crabs(255))),
        ("/title", json!("x")),
        ("/location_city", json!(crabs(255))),
        ("/expiration_reason", json!(crabs(255))),
        ("/company/name", json!(crabs(255))),
        ("/company/logo_path", json!(crabs(1024))),
        ("/application_url", json!(url(2048))),
        (
            "/application_url",
            json!("http://localhost:8080/jobs?id=1#apply"),
        ),
        (
            "/application_email",
            json!("first.last+tag@sub.rosenhof.example"),
        ),
        ("/salary_min", json!(MAX)),
        ("/salary_min", json!(0)),
        ("/salary_max", json!(0)),
        (
            "/employment_types",
            json!(["full-time", "part-time", "contract", "internship"]),
        ),
        (
            "/location_types",
            json!(["remote", "on-site", "hybrid", "other"]),
        ),
        ("/salary_period", json!("hourly")),
        ("/salary_period", json!("weekly")),
        ("/salary_period", json!("monthly")),
        ("/salary_period", json!("annually")),
        ("/metadata", json!({"": {"": [[[[{}]]]]}})),
        ("/raw_description", json!("<p>x</p>".repeat(50_000))),
    ] {
        let answer = app.put(&id, &patch(&case)).await;
        assert_eq!(answer.status, 200, "{}: {answer:?}", case.0);
        assert_eq!(
            app.show(&id).await.pointer(case.0),
            Some(&case.1),
            "{}",
            case.0
        );
    }
    let website = json!({"company": {"name": "Long", "website_url": url(1024)}});
    app.put(&id, &website).await.updated();
    let reason = crabs(255);
    app.put(&id, &json!({"expiration": {"reason": reason}}))
        .await
        .updated();
    assert_eq!(app.show(&id).await["expiration_reason"], json!(reason));
}

async fn everything_that_is_wrong_comes_in_one_answer(store: Store) {
    let app = App::quiet(store);
    let payload = json!({
        "title": "x".repeat(256),
        "raw_description": null,
        "employment_types": ["full-time", "sometimes", 7],
        "location_types": {},
        "location_country_code": "XX",
        "location_city": 5,
        "salary_min": -5,
        "salary_max": "much",
        "salary_currency_code": "BTC1",
        "salary_period": "daily",
        "application_email": "nobody",
        "application_url": "nowhere",
        "metadata": [1],
        "expiration_reason": true,
        "company": {"name": "", "website_url": "ftp://x.example", "logo_path": 1},
        "latitude": 1.5,
        "is_featured": true,
    });
    app.put(&fresh("everything"), &payload).await.refused(&[
        "title",
        "raw_description",
        "employment_types.1",
        "employment_types.2",
        "location_types",
        "location_country_code",
        "location_city",
        "salary_min",
        "salary_max",
        "salary_currency_code",
        "salary_period",
        "application_email",
        "application_url",
        "metadata",
        "expiration_reason",
        "company.name",
        "company.website_url",
        "company.logo_path",
        "latitude",
        "is_featured",
    ]);
}

async fn prohibited_fields_are_refused_even_as_null(store: Store) {
    let app = App::quiet(store);
    let known = fresh("known");
    app.put(&known, &complete()).await.created();
    let before = app.show(&known).await;
    for field in [
        "markdown_description",
        "markdown_redacted_description",
        "latitude",
        "longitude",
        "published_at",
        "expire_at",
        "is_featured",
        "unique_source_identifier",
    ] {
        for value in [json!(null), json!("x"), json!(1), json!({})] {
            let mut creation = complete();
            creation[field] = value.clone();
            app.put(&fresh("prohibited"), &creation)
                .await
                .refused(&[field]);
            app.put(&known, &json!({field: value}))
                .await
                .refused(&[field]);
            app.put(&known, &json!({field: value, "expiration": {}}))
                .await
                .refused(&[field]);
        }
    }
    // Not even with the very value that it has.
    let same = json!({"unique_source_identifier": known});
    app.put(&known, &same)
        .await
        .refused(&["unique_source_identifier"]);
    assert_eq!(app.show(&known).await, before);
}

async fn the_character_nul_is_refused_anywhere(store: Store) {
    let app = App::quiet(store);
    let known = fresh("known");
    app.put(&known, &complete()).await.created();
    for case in [
        ("/title", json!("a\0b")),
        ("/raw_description", json!("<p>\0</p>")),
        ("/location_city", json!("Ber\0lin")),
        ("/location_country_code", json!("D\0")),
        ("/salary_currency_code", json!("EU\0")),
        ("/salary_period", json!("hourly\0")),
        ("/application_email", json!("a\0@rosenhof.example")),
        ("/application_url", json!("https://rosenhof.example/\0")),
        ("/expiration_reason", json!("\0")),
        ("/company/name", json!("a\0")),
        ("/company/website_url", json!("https://rosen\0hof.example")),
        ("/company/logo_path", json!("\0")),
    ] {
        app.put(&fresh("nul"), &creation(&case))
            .await
            .refused(&[&name(case.0)]);
        app.put(&known, &patch(&case))
            .await
            .refused(&[&name(case.0)]);
    }
    for metadata in [
        json!({"a": "\0"}),
        json!({"\0": 1}),
        json!({"a": [{"b": ["x\0y"]}]}),
    ] {
        let answer = app.put(&known, &json!({"metadata": metadata})).await;
        assert!(
            answer
                .fields()
                .iter()
                .all(|field| field.starts_with("metadata")),
            "{answer:?}"
        );
    }
    let answer = app
        .put(&known, &json!({"employment_types": ["contract\0"]}))
        .await;
    answer.refused(&["employment_types.0"]);
    let answer = app
        .put(&known, &json!({"expiration": {"reason": "\0"}}))
        .await;
    answer.refused(&["expiration.reason"]);
}

async fn numbers_are_integers_to_the_letter(store: Store) {
    let app = App::quiet(store);
    let id = fresh("numbers");
    app.put(&id, &complete()).await.created();
    for number in [
        "5.0",
        "5e0",
        "5E3",
        "0.5",
        "-1",
        "-0.0",
        "1e400",
        "-1e400",
        "9007199254740992",
    ] {
        let body = format!(r#"{{"salary_min": {number}}}"#);
        let answer = app.api.put_text(&id, body).await;
        assert_eq!(answer.status, 422, "{number}: {answer:#?}");
        answer.refused(&["salary_min"]);
    }
    let digits = "9".repeat(400);
    app.api
        .put_text(&id, format!(r#"{{"salary_min": {digits}}}"#))
        .await
        .refused(&["salary_min"]);
    app.api
        .put_text(&id, r#"{"salary_max": 9007199254740991}"#)
        .await
        .updated();
}
