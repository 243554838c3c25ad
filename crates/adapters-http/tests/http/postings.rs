use serde_json::{Value, json};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use crate::support::{PATH, TestApp, posting, push, put, request};

fn full() -> Value {
    json!({
        "title": " Engineer 🦀 ",
        "raw_description": "<p>Build &amp; run things.</p>\n",
        "employment_types": ["part-time", "full-time"],
        "location_types": ["remote"],
        "location_country_code": "de",
        "location_city": "Köln",
        "salary_min": 0,
        "salary_max": 9_007_199_254_740_991_i64,
        "salary_currency_code": "EUR",
        "salary_period": "annually",
        "application_email": "jobs@example.com",
        "application_url": "https://example.com/apply",
        "metadata": {"b": 1},
        "company": {
            "name": "Example",
            "website_url": "HTTPS://Example.com:443/",
            "logo_path": "/logo.png"
        },
        "unknown": [1, 2, 3],
    })
}

#[tokio::test]
async fn every_field_is_read_back() {
    let (app, token) = TestApp::with_writer().await;
    let uuid = push(&app, &token, "full", &full()).await;
    let answer = app.get(&token, &format!("{PATH}/full")).await.json();
    let data = &answer["data"];
    let (at, by) = (data["created_at"].clone(), data["created_by"].clone());
    let time = at.as_str().unwrap();
    assert!(time.ends_with('Z') && by.as_str().unwrap().starts_with("client:"));
    let created_at = OffsetDateTime::parse(time, &Rfc3339).unwrap();
    assert_eq!(created_at, fields::microseconds(created_at));
    let mut expect = json!({
        "uuid": uuid,
        "unique_source_identifier": "full",
        "status": "PendingEnrichment",
        "status_reason": null,
        "decision": null,
        "title": "Engineer 🦀",
        "raw_description": "<p>Build &amp; run things.</p>\n",
        "markdown_description": null,
        "markdown_redacted_description": null,
        "redacted_title": null,
        "remarks": [],
        "duplicate_of": null,
        "employment_types": ["part-time", "full-time"],
        "location_types": ["remote"],
        "location_country_code": "DE",
        "location_city": "Köln",
        "latitude": null,
        "longitude": null,
        "salary_min": 0,
        "salary_max": 9_007_199_254_740_991_i64,
        "salary_currency_code": "EUR",
        "salary_period": "annually",
        "application_email": "jobs@example.com",
        "application_url": "https://example.com/apply",
        "metadata": {"b": 1},
        "company": {
            "uuid": data["company"]["uuid"],
            "name": "Example",
            "website_url": "HTTPS://Example.com:443/",
            "logo_path": "/logo.png",
            "updated_at": at,
            "updated_by": by,
        },
        "is_featured": false,
        "published_at": null,
        "expire_at": null,
        "expired_at": null,
        "expiration_reason": null,
        "created_at": at,
        "updated_at": at,
        "created_by": by,
        "updated_by": by,
        "history": [{"status": "PendingEnrichment", "at": at, "reason": null, "by": by}],
    });
    expect["pending"] = Value::Null;
    assert_eq!(*data, expect);
}

#[tokio::test]
async fn metadata_comes_back_to_the_digit() {
    let (app, token) = TestApp::with_writer().await;
    let metadata = r#"{"z":1.50,"a":1e2,"n":123456789012345678901234567890,"s":"\u00e9\/"}"#;
    let mut body = posting().to_string();
    body.insert_str(1, &format!("\"metadata\": {metadata},"));
    let put = put(&token, "m", &posting()).body(body).send(&app).await;
    assert_eq!(put.status, 201, "{put:?}");
    let got = app.get(&token, &format!("{PATH}/m")).await;
    let expect = format!("\"metadata\":{metadata}");
    assert!(got.text().contains(&expect), "{}", got.text());
}

#[tokio::test]
async fn head_is_a_get_without_body() {
    let (app, token) = TestApp::with_writer().await;
    push(&app, &token, "r", &posting()).await;
    for path in [format!("{PATH}/r"), PATH.to_owned()] {
        let get = app.get(&token, &path).await;
        let head = request("HEAD", &path).token(&token).send(&app).await;
        let length = get.header("Content-Length");
        assert_eq!((head.status, head.header("Content-Length")), (200, length));
        assert!(head.body.is_empty());
    }
}
