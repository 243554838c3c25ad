//! Webhooks: how clients register, change and read them, and refusals.

use std::time::Duration;

use access::Scope;
use kernel::event::{Cursor, EventLog as _};
use serde_json::{Value, json};
use time::OffsetDateTime;
use tokio::time::sleep;
use webhooks::{EndpointId, Secret, Webhooks as _};

use crate::support::{Request, Response, TestApp, check, posting, push, request};

const PATH: &str = "/api/job-board/webhooks";

fn to(method: &str, path: &str) -> Request {
    request(method, &format!("{PATH}{path}"))
}

async fn manager(app: &TestApp) -> String {
    app.token(&[Scope::WebhooksManage]).await
}

async fn send(app: &TestApp, request: Request, status: u16) -> Response {
    let response = request.send(app).await;
    assert_eq!(response.status, status, "{response:?}");
    response
}

async fn register(app: &TestApp, token: &str, body: Value) -> Value {
    let response = send(app, to("POST", "").token(token).json(&body), 201).await;
    response.json()["data"].clone()
}

fn path_of(webhook: &Value, rest: &str) -> String {
    format!("/{}{rest}", webhook["id"].as_str().unwrap())
}

fn secret_of(webhook: &Value) -> Secret {
    Secret::parse(webhook["secret"].as_str().unwrap()).unwrap()
}

fn operations() -> [(&'static str, &'static str, Option<Value>); 8] {
    let since = json!({"since": "2026-01-01T00:00:00Z"});
    [
        ("GET", "", None),
        ("PATCH", "", Some(json!({"state": "paused"}))),
        ("DELETE", "", None),
        ("POST", "/rotate-secret", None),
        ("POST", "/test", None),
        ("POST", "/replay", Some(since)),
        (
            "POST",
            "/resend",
            Some(json!({"event": Cursor::START.to_string()})),
        ),
        ("GET", "/deliveries", None),
    ]
}

fn with(request: Request, body: Option<Value>) -> Request {
    match body {
        Some(body) => request.json(&body),
        None => request,
    }
}

#[tokio::test]
async fn a_client_registers_changes_and_deletes() {
    let app = TestApp::spawn();
    let token = manager(&app).await;
    let none = send(&app, to("GET", "").token(&token), 200).await;
    assert_eq!(none.json(), json!({"data": []}));

    let body = json!({"url": "https://acme.example", "types": ["JobPostingApproved"],
        "include_posting": true, "description": " Ours "});
    let created = send(&app, to("POST", "").token(&token).json(&body), 201).await;
    assert_eq!(created.header("Cache-Control"), Some("no-store"));
    let mut data = created.json()["data"].clone();
    let location = created.header("Location").unwrap().to_owned();
    assert_eq!(location, format!("{PATH}{}", path_of(&data, "")));
    assert_eq!(secret_of(&data).key().len(), 32);
    data.as_object_mut().unwrap().remove("secret");
    let at = data["created_at"].clone();
    let expect = json!({"id": data["id"], "url": "https://acme.example/",
        "types": ["JobPostingApproved"], "include_posting": true, "description": "Ours",
        "state": "active", "state_reason": null, "created_at": at, "updated_at": at,
        "last_success_at": null, "failing_since": null});
    assert_eq!(data, expect);

    // The secret is not shown again.
    let shown = send(&app, request("GET", &location).token(&token), 200).await;
    assert_eq!(shown.json()["data"], expect);
    let second = register(&app, &token, json!({"url": "https://b.example/"})).await;
    assert_eq!(second["types"], Value::Null);
    let listed = send(&app, to("GET", "").token(&token), 200).await.json();
    assert_eq!(listed["data"][0], expect);
    assert_eq!(listed["data"][1]["id"], second["id"]);
    assert!(!listed.to_string().contains("whsec_"));

    let change = json!({"state": "paused", "types": null, "description": null});
    let patch = || request("PATCH", &location).token(&token).json(&change);
    let changed = send(&app, patch(), 200).await.json()["data"].clone();
    assert_ne!(changed["updated_at"], at);
    let mut expect = expect;
    expect["updated_at"] = changed["updated_at"].clone();
    expect["state"] = json!("paused");
    expect["types"] = Value::Null;
    expect["description"] = Value::Null;
    assert_eq!(changed, expect);
    let again = send(&app, patch(), 200).await.json()["data"].clone();
    assert_eq!(again, changed);

    send(&app, request("DELETE", &location).token(&token), 204).await;
    send(&app, request("DELETE", &location).token(&token), 404).await;
    send(&app, request("GET", &location).token(&token), 404).await;
}

#[tokio::test]
async fn a_secret_is_replaced_and_a_ping_is_signed_with_both() {
    let app = TestApp::spawn();
    let token = manager(&app).await;
    let webhook = register(&app, &token, json!({"url": "https://a.example/x"})).await;
    let post = |rest| to("POST", &path_of(&webhook, rest)).token(&token);
    let rotated = send(&app, post("/rotate-secret"), 200).await;
    assert_eq!(rotated.header("Cache-Control"), Some("no-store"));
    let rotated = rotated.json()["data"].clone();
    assert_eq!(rotated["id"], webhook["id"]);

    let test = send(&app, post("/test"), 200).await.json();
    let outcome = json!({"data": {"status": 204, "duration_ms": 7, "error": null}});
    assert_eq!(test, outcome);
    let ping = app.backend.receiver.delivered.lock().unwrap()[0].clone();
    assert_eq!(ping.url, "https://a.example/x");
    assert_eq!(ping.secrets, [secret_of(&rotated), secret_of(&webhook)]);
    assert!(ping.id.starts_with("ping_"), "{ping:?}");
    let body: Value = serde_json::from_str(&ping.body).unwrap();
    let expect = json!({"type": "ping", "timestamp": body["timestamp"], "data": {}});
    assert_eq!(body, expect);
    assert!(body["timestamp"].as_str().unwrap().ends_with('Z'));

    let broken = register(&app, &token, json!({"url": "https://broken.example/"})).await;
    let test = to("POST", &path_of(&broken, "/test")).token(&token);
    let test = send(&app, test, 200).await.json();
    let outcome = json!({"data": {"status": 500, "duration_ms": 7, "error": "answered 500"}});
    assert_eq!(test, outcome);
}

#[tokio::test]
async fn events_are_delivered_again() {
    let (app, writer) = TestApp::with_writer().await;
    let token = manager(&app).await;
    push(&app, &writer, "one", &posting()).await;
    let webhook = register(&app, &token, json!({"url": "https://a.example/"})).await;
    let (store, path) = (&app.backend.store, path_of(&webhook, ""));
    let id: EndpointId = webhook["id"].as_str().unwrap().parse().unwrap();
    let event = store.end().await.unwrap();
    let post = |rest: &str, body: Value| {
        to("POST", &format!("{path}{rest}"))
            .token(&token)
            .json(&body)
    };
    let resent = send(
        &app,
        post("/resend", json!({"event": event.to_string()})),
        204,
    )
    .await;
    assert_eq!(resent.text(), "");
    let due = store.due(id, OffsetDateTime::now_utc(), 9).await.unwrap();
    assert!(due.iter().map(|due| due.next.cursor).eq([event]));
    send(
        &app,
        post("/replay", json!({"since": "2026-01-01T00:00:00Z"})),
        204,
    )
    .await;
    assert_eq!(store.find(id).await.unwrap().unwrap().cursor, Cursor::START);
    let deliveries = to("GET", &format!("{path}/deliveries?limit=1")).token(&token);
    let deliveries = send(&app, deliveries, 200).await;
    assert_eq!(deliveries.json(), json!({"data": []}));
    let unknown = format!(
        r#"POST /resend | {{"event":"{}"}} | 404 | Event not found."#,
        Cursor::START
    );
    check(&app, Some(&token), &format!("{PATH}{path}"), &unknown).await;
}

#[tokio::test]
async fn wrong_bodies_and_parameters_are_refused() {
    let app = TestApp::spawn();
    let token = manager(&app).await;
    let all = json!({"url": "ftp://a", "types": ["X"], "include_posting": 1, "description": 2});
    let all = to("POST", "").token(&token).json(&all);
    let refused = send(&app, all, 422).await.json();
    let names: Vec<_> = refused["errors"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["description", "include_posting", "types.0", "url"]);

    let webhook = register(&app, &token, json!({"url": "https://a.example/"})).await;
    let table = r#"
        POST            | {}                      | 422 | url is required
        POST            | {"url":"http://a.example/"} | 422 | https
        POST            | {"url":"https://127.0.0.1/"} | 422 | private
        POST            | {"url":"https://private.example/"} | 422 | private
        PATCH /ID       | {"url":"https://private.example/"} | 422 | private
        PATCH /ID       | {"state":"disabled"}    | 422 | active, paused
        PATCH /ID       | application/json: LARGE | 413 | 16384
        PATCH /ID       | text/plain: {}          | 415
        POST /ID/replay | {}                      | 422 | since is required
        POST /ID/resend | {}                      | 422 | event is required
        POST /ID/replay |                         | 415
        GET /ID/deliveries?limit=101 |                         | 422 | between 1 and 100
        "#;
    let table = table.replace("/ID", &path_of(&webhook, ""));
    check(&app, Some(&token), PATH, &table).await;
}

#[tokio::test]
async fn a_client_has_few_registrations_under_way() {
    let app = TestApp::spawn();
    let (token, other) = (manager(&app).await, manager(&app).await);
    let webhook = register(&app, &token, json!({"url": "https://a.example/"})).await;
    let body = json!({"url": "https://slow.example/"});
    let slow = (0..4).map(async |_| to("POST", "").token(&token).json(&body).send(&app).await);
    let more = async {
        sleep(Duration::from_millis(300)).await;
        let table = r#"
            POST          | {"url":"https://slow.example/"} | 429 |  | Retry-After: 1
            PATCH /ID     | {"url":"https://slow.example/"} | 429 |  | Retry-After: 1
            POST /ID/test |  | 429 |  | Retry-After: 1
            "#;
        let table = table.replace("/ID", &path_of(&webhook, ""));
        check(&app, Some(&token), PATH, &table).await;
        let renamed = to("PATCH", &path_of(&webhook, "")).token(&token);
        send(&app, renamed.json(&json!({"description": "Ours"})), 200).await;
        register(&app, &other, json!({"url": "https://a.example/"})).await;
    };
    let (slow, ()) = tokio::join!(futures_util::future::join_all(slow), more);
    for answer in slow {
        assert_eq!(answer.status, 422, "{answer:?}");
    }
}

/// Another client's webhook gets 404, and so does an invalid id.
#[tokio::test]
async fn a_client_sees_its_own_and_no_others() {
    let app = TestApp::spawn();
    let (token, other) = (manager(&app).await, manager(&app).await);
    let webhook = register(&app, &token, json!({"url": "https://a.example/"})).await;
    let none = app.get(&other, PATH).await;
    assert_eq!(none.json(), json!({"data": []}));
    for path in [path_of(&webhook, ""), "/nonsense".to_owned()] {
        for (method, rest, body) in operations() {
            let request = to(method, &format!("{path}{rest}")).token(&other);
            let refused = send(&app, with(request, body), 404).await;
            assert_eq!(refused.message(), "Webhook not found.");
        }
    }
    let shown = to("GET", &path_of(&webhook, "")).token(&token);
    let shown = send(&app, shown, 200).await.json();
    assert_eq!(shown["data"]["state"], "active");
    assert!(app.backend.receiver.delivered.lock().unwrap().is_empty());
}
