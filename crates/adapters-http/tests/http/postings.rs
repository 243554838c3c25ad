//! Pushing a posting and reading it.

use access::Scope;
use serde_json::{Value, json};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use crate::support::{PATH, TestApp, posting, push, request};

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
async fn the_answer_to_a_push_is_its_uuid() {
    let app = TestApp::spawn();
    let token = app.writer().await;
    let put = |body: Value| {
        request("PUT", &format!("{PATH}/p"))
            .token(&token)
            .json(&body)
    };
    let created = put(posting()).send(&app).await;
    assert_eq!(created.status, 201);
    let uuid = created.json()["data"]["uuid"].as_str().unwrap().to_owned();
    assert_eq!(uuid::Uuid::parse_str(&uuid).unwrap().get_version_num(), 7);
    let exactly = format!("{{\"data\":{{\"uuid\":\"{uuid}\"}}}}");
    assert_eq!(created.text(), exactly);
    for body in [
        json!({"title": "Other"}),
        json!({"expiration": {}}),
        json!({"expiration": null}),
    ] {
        let response = put(body.clone()).send(&app).await;
        assert_eq!(
            (response.status, response.text()),
            (200, exactly.as_str()),
            "{body}"
        );
    }
}

#[tokio::test]
async fn every_field_is_read_back() {
    let app = TestApp::spawn();
    let token = app.writer().await;
    let uuid = push(&app, &token, "full", &full()).await;
    let response = request("GET", &format!("{PATH}/full"))
        .token(&token)
        .send(&app)
        .await;
    assert_eq!(response.status, 200);
    let mut answer = response.json();
    let data = answer["data"].as_object_mut().unwrap();

    let times: Vec<String> = ["created_at", "updated_at"]
        .map(|name| data.remove(name).unwrap().as_str().unwrap().to_owned())
        .into();
    assert_eq!(times[0], times[1]);
    for name in ["created_by", "updated_by"] {
        let by = data.remove(name).unwrap();
        assert!(by.as_str().unwrap().starts_with("client:"), "{name}");
    }
    assert!(times[0].ends_with('Z'), "{}", times[0]);
    let created_at = OffsetDateTime::parse(&times[0], &Rfc3339).unwrap();
    assert_eq!(created_at, kernel::microseconds(created_at));
    let history = data.remove("history").unwrap();
    assert_eq!(history.as_array().unwrap().len(), 1);
    assert_eq!(history[0]["status"], "PendingEnrichment");
    assert_eq!(history[0]["at"], times[0].as_str());
    assert_eq!(history[0]["reason"], Value::Null);
    assert!(history[0]["by"].as_str().unwrap().starts_with("client:"));

    let expect = json!({
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
            "uuid": answer["data"]["company"]["uuid"],
            "name": "Example",
            "website_url": "https://example.com",
            "logo_path": "/logo.png",
            "updated_at": times[0],
            "updated_by": history[0]["by"],
        },
        "is_featured": false,
        "published_at": null,
        "expire_at": null,
        "expired_at": null,
        "expiration_reason": null,
    });
    assert_eq!(answer["data"], expect);
}

#[tokio::test]
async fn metadata_comes_back_to_the_digit() {
    let app = TestApp::spawn();
    let token = app.writer().await;
    let metadata = r#"{"z":1.50,"a":1e2,"n":123456789012345678901234567890,"s":"\u00e9\/"}"#;
    let mut body = posting().to_string();
    body.insert_str(1, &format!("\"metadata\": {metadata},"));
    let put = request("PUT", &format!("{PATH}/m")).token(&token);
    let put = put
        .header("Content-Type", "application/json")
        .body(body)
        .send(&app)
        .await;
    assert_eq!(put.status, 201, "{put:?}");
    let got = request("GET", &format!("{PATH}/m"))
        .token(&token)
        .send(&app)
        .await;
    assert!(
        got.text().contains(&format!("\"metadata\":{metadata}")),
        "{}",
        got.text()
    );
}

#[tokio::test]
async fn readers_read_and_writers_too_and_head_is_a_get_without_body() {
    let app = TestApp::spawn();
    let writer = app.writer().await;
    push(&app, &writer, "r", &posting()).await;
    let reader = app.token(&[Scope::JobPostingsRead]).await;
    let mut connection = app.connect().await;
    for token in [&writer, &reader] {
        for path in [format!("{PATH}/r"), PATH.to_owned()] {
            let get = connection
                .exchange(&request("GET", &path).token(token))
                .await;
            let head = connection
                .exchange(&request("HEAD", &path).token(token))
                .await;
            assert_eq!((get.status, head.status), (200, 200), "{path}");
            assert_eq!(
                head.header("Content-Length"),
                get.header("Content-Length"),
                "{path}"
            );
            assert!(head.body.is_empty());
        }
    }
    let missing = connection
        .exchange(&request("HEAD", &format!("{PATH}/none")).token(&reader))
        .await;
    assert_eq!(missing.status, 404);
}
