use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::{Request, TestApp, check, request};

const SUBSCRIBERS: &str = "/api/newsletter/subscribers";

fn to(method: &str, address: &str) -> Request {
    request(method, &format!("{SUBSCRIBERS}/{address}"))
}

fn put(token: &str, address: &str, body: &Value) -> Request {
    to("PUT", address).token(token).json(body)
}

#[tokio::test]
async fn a_report_is_answered_with_the_record() {
    let app = TestApp::spawn();
    let token = app.reporter().await;
    let body = json!({
        "name": " Ada 🦀 ",
        "country": "Germany",
        "membership": {"plan_category": "individual", "status": "expired", "expires_at": "2026-03-01"},
        "unknown": [1, 2, 3],
    });
    let created = put(&token, "Ada@Example.com", &body).send(&app).await;
    assert_eq!(created.status, 201, "{created:?}");
    let uuid = created.json()["data"]["uuid"].as_str().unwrap().to_owned();
    assert_eq!(Uuid::parse_str(&uuid).unwrap().get_version_num(), 7);
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

    let body = json!({"name": null, "membership": null});
    let updated = put(&token, "ada%40example.com", &body).send(&app).await;
    assert_eq!(updated.status, 200);
    let data = &mut expect["data"];
    data["name"] = Value::Null;
    data["membership_plan_category"] = json!("non-member");
    data["member_status"] = json!("non-member");
    data["membership_expire_at"] = Value::Null;
    assert_eq!(updated.json(), expect);

    let path = format!("{SUBSCRIBERS}/ADA@example.com");
    assert_eq!(app.get(&token, &path).await.json(), expect);
    let head = to("HEAD", "ada@example.com").token(&token).send(&app).await;
    assert_eq!((head.status, head.text()), (200, ""));

    let erase = to("DELETE", "ADA%40example.com").token(&token);
    let erased = erase.send(&app).await;
    assert_eq!((erased.status, erased.text()), (204, ""));
    assert_eq!(app.get(&token, &path).await.status, 404);
}

#[tokio::test]
async fn a_move_shows_in_the_record_and_the_token_never_does() {
    let app = TestApp::spawn();
    let token = app.reporter().await;
    let mut secrets = Vec::new();
    for address in ["ada@example.com", "bob@example.com"] {
        put(&token, address, &json!({})).send(&app).await;
        let secret = app.backend.newsletter.subscriber(address).await.token;
        assert_eq!(secret.reveal().len(), 43);
        secrets.push(secret);
    }
    assert_ne!(secrets[0], secrets[1]);
    let secret = secrets[0].reveal();
    let confirm = request("POST", "/newsletter/confirm-migration");
    confirm.json(&json!({"token": secret})).send(&app).await;
    let found = app
        .get(&token, &format!("{SUBSCRIBERS}/ada@example.com"))
        .await;
    let data = &found.json()["data"];
    assert_eq!(data["mailerlite_account"], "new");
    assert_eq!(data["migration_source"], "email_confirmation");
    assert!(data["migrated_at"].as_str().unwrap().ends_with('Z'));
    assert!(!found.text().contains(secret));
}

/// The order of checks is the same as for postings, which `refusals` tests completely.
#[tokio::test]
async fn a_request_is_refused_with_a_reason() {
    let app = TestApp::spawn();
    let token = app.reporter().await;
    let table = "
        PUT /nobody             | {}                      | 422 | email must be
        PUT /nobody             | application/json: {     | 400 | not valid JSON
        PUT /nobody             | application/json: LARGE | 413
        PUT /nobody             | text/plain: LARGE       | 415
        PUT /a%2                | {}                      | 400 | written %25
        DELETE /ada             |                         | 422 | email must be
        DELETE /ada@example.com |                         | 404 | Newsletter subscriber not found.
        GET /ada@example.com    |                         | 404 | Newsletter subscriber not found.
        PUT /fault.unavailable@example.com | {}                      | 503 | not known | Retry-After: 5
        GET /fault.broken@example.com |                         | 500 | Report the request id
        DELETE /fault.panic@example.com |                         | 500 | Report the request id
        ";
    check(&app, Some(&token), SUBSCRIBERS, table).await;
}
