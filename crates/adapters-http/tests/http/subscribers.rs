//! Reporting a person and reading the record.

use serde_json::{Value, json};

use crate::support::{
    BODY_LIMIT, Request, Response, TestApp, assert_is_error, case, check, request,
};

const SUBSCRIBERS: &str = "/api/newsletter/subscribers";
const JSON: &str = "application/json";

fn to(method: &str, address: &str) -> Request {
    request(method, &format!("{SUBSCRIBERS}/{address}"))
}

async fn put(app: &TestApp, token: &str, address: &str, body: Value) -> Response {
    to("PUT", address).token(token).json(&body).send(app).await
}

#[tokio::test]
async fn a_report_is_answered_with_the_record() {
    let app = TestApp::spawn();
    let token = app.reporter().await;
    let created = put(
        &app,
        &token,
        "Ada@Example.com",
        json!({
            "name": " Ada 🦀 ",
            "country": "Germany",
            "membership": {"plan_category": "individual", "status": "expired", "expires_at": "2026-03-01"},
            "unknown": [1, 2, 3],
        }),
    )
    .await;
    assert_eq!(created.status, 201, "{created:?}");
    let uuid = created.json()["data"]["uuid"].as_str().unwrap().to_owned();
    assert_eq!(uuid::Uuid::parse_str(&uuid).unwrap().get_version_num(), 7);
    let mut expect = json!({"data": {
        "uuid": uuid,
        "email": "ada@example.com",
        "name": "Ada 🦀",
        "country": "Germany",
        "status": "active",
        "membership_plan_category": "individual",
        "member_status": "active-or-expired",
        "membership_expire_at": "2026-03-01",
        "mailerlite_account": "old",
        "migrated_at": null,
        "migration_source": null,
    }});
    assert_eq!(created.json(), expect);

    let updated = put(
        &app,
        &token,
        "ada%40example.com",
        json!({"name": null, "membership": null}),
    )
    .await;
    assert_eq!(updated.status, 200);
    let data = &mut expect["data"];
    data["name"] = Value::Null;
    data["membership_plan_category"] = json!("non-member");
    data["member_status"] = json!("non-member");
    data["membership_expire_at"] = Value::Null;
    assert_eq!(updated.json(), expect);

    let found = to("GET", "ADA@example.com").token(&token).send(&app).await;
    assert_eq!((found.status, found.json()), (200, expect));
    let head = to("HEAD", "ada@example.com").token(&token).send(&app).await;
    assert_eq!((head.status, head.text()), (200, ""));
}

#[tokio::test]
async fn a_move_shows_in_the_record_and_the_token_never_does() {
    let app = TestApp::spawn();
    let token = app.reporter().await;
    put(&app, &token, "ada@example.com", json!({})).await;
    let secret = app.backend.newsletter.subscriber("ada@example.com").token;
    request("POST", "/newsletter/confirm-migration")
        .json(&json!({"token": secret.reveal()}))
        .send(&app)
        .await;
    let found = to("GET", "ada@example.com").token(&token).send(&app).await;
    let data = &found.json()["data"];
    assert_eq!(data["mailerlite_account"], "new");
    assert_eq!(data["migration_source"], "email_confirmation");
    assert!(data["migrated_at"].as_str().unwrap().ends_with('Z'));
    assert!(!found.text().contains(secret.reveal()));
}

#[tokio::test]
async fn every_new_person_gets_a_token_of_their_own() {
    let app = TestApp::spawn();
    let token = app.reporter().await;
    let mut secrets = Vec::new();
    for address in ["a@example.com", "b@example.com"] {
        put(&app, &token, address, json!({})).await;
        let secret = app.backend.newsletter.subscriber(address).token;
        assert_eq!(secret.reveal().len(), 43);
        secrets.push(secret);
    }
    assert_ne!(secrets[0], secrets[1]);
}

/// The same order as for postings, which `refusals` tests in full.
#[tokio::test]
async fn refusals_come_in_their_order() {
    let app = TestApp::spawn();
    let reporter = app.reporter().await;
    let (plain, large) = ("text/plain", "x".repeat(BODY_LIMIT + 1));
    let sent = |method: &str, content_type: &str, body: &str| {
        let request = to(method, "nobody").header("Content-Type", content_type);
        request.body(body)
    };
    let ada = |method: &str| to(method, "ada@example.com");
    let unknown = "Newsletter subscriber not found.";
    let cases = [
        case("an address", sent("PUT", JSON, "{}").token(&reporter), 422).says("email must be"),
        case("no JSON", sent("PUT", JSON, "{").token(&reporter), 400).says("not valid JSON"),
        case("a size", sent("PUT", JSON, &large).token(&reporter), 413),
        case("a type", sent("PUT", plain, &large).token(&reporter), 415),
        case("no address", to("DELETE", "ada").token(&reporter), 422),
        case("unknown to erase", ada("DELETE").token(&reporter), 404).says(unknown),
        case("unknown", ada("GET").token(&reporter), 404).says(unknown),
    ];
    check(&app, cases).await;
}

#[tokio::test]
async fn who_is_erased_is_not_found() {
    let app = TestApp::spawn();
    let token = app.reporter().await;
    put(&app, &token, "ada@example.com", json!({})).await;
    let erase = async || {
        let request = to("DELETE", "ADA%40example.com").token(&token);
        request.send(&app).await
    };
    let erased = erase().await;
    assert_eq!((erased.status, erased.text()), (204, ""));
    let found = to("GET", "ada@example.com").token(&token).send(&app).await;
    assert_eq!(found.status, 404);
    assert_is_error(&erase().await, 404, "again");
}

#[tokio::test]
async fn failures_show_nothing_of_the_inside() {
    let app = TestApp::spawn();
    let token = app.reporter().await;
    let read = |address: &str| to("GET", address).token(&token);
    let write = |address: &str| to("PUT", address).token(&token).json(&json!({}));
    let retry = "Retry-After";
    let cases = [
        case("away", write("fault.unavailable@example.com"), 503).with(retry, "5"),
        case(
            "away for reading",
            read("fault.unavailable@example.com"),
            503,
        )
        .with(retry, "5"),
        case("broken", write("fault.broken@example.com"), 500).says("Report the request id"),
        case("broken for reading", read("fault.broken@example.com"), 500)
            .says("Report the request id"),
        case(
            "away for erasing",
            to("DELETE", "fault.unavailable@example.com").token(&token),
            503,
        )
        .with(retry, "5"),
        case("panic", read("fault.panic@example.com"), 500).says("Report the request id"),
    ];
    check(&app, cases).await;
}
