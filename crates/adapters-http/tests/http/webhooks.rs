//! Webhooks: registering, changing and showing them, and refusals.

use std::time::Duration;

use access::Scope;
use domain::posting::event::JOB_POSTING_APPROVED;
use kernel::{
    event::{Cursor, EventLog as _},
    testing::noon,
};
use serde_json::{Value, json};
use time::OffsetDateTime;
use tokio::time::sleep;
use uuid::Uuid;
use webhooks::{
    DeliveryRecord, EndpointId, Health, LeaseQuery, Recorded, Round, Secret, WANTS_NO_MORE,
    Webhooks as _,
};

use crate::support::{Request, Response, TestApp, case, check, posting, push, request};

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

/// Registers a webhook; its answer's data.
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

/// The operations on one webhook, each with a body that it takes.
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
    assert_eq!(changed["state"], "paused");
    assert_eq!(
        (&changed["types"], &changed["description"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(changed["include_posting"], true);
    assert_ne!(changed["updated_at"], at);
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
async fn a_replay_goes_back() {
    let app = TestApp::spawn();
    let (token, writer) = (manager(&app).await, app.writer().await);
    push(&app, &writer, "before", &posting()).await;
    let webhook = register(&app, &token, json!({"url": "https://a.example/"})).await;
    let id: EndpointId = webhook["id"].as_str().unwrap().parse().unwrap();
    let store = &app.backend.store;
    let cursor = async || store.find(id).await.unwrap().unwrap().cursor;
    let end = store.end().await.unwrap();
    assert_eq!(cursor().await, end);
    for (since, expect) in [
        ("2999-01-01T00:00:00+02:00", end),
        ("2026-01-01T00:00:00Z", Cursor::START),
    ] {
        let replay = to("POST", &path_of(&webhook, "/replay")).token(&token);
        let replay = replay.json(&json!({"since": since}));
        let response = send(&app, replay, 204).await;
        assert_eq!(response.text(), "");
        assert_eq!(cursor().await, expect, "{since}");
    }
}

#[tokio::test]
async fn deliveries_and_the_end_of_a_webhook_are_shown() {
    let app = TestApp::spawn();
    let (token, writer) = (manager(&app).await, app.writer().await);
    let webhook = register(&app, &token, json!({"url": "https://a.example/"})).await;
    push(&app, &writer, "one", &posting()).await;
    let store = &app.backend.store;
    let (holder, end) = (Uuid::from_u128(1), store.end().await.unwrap());
    let query = LeaseQuery {
        holder,
        until: noon() + Duration::from_secs(30),
        now: noon(),
        end,
        limit: 1,
    };
    let leased = store.lease(&query).await.unwrap().remove(0);
    let record = |attempt, status| DeliveryRecord {
        at: noon(),
        event: end,
        name: JOB_POSTING_APPROVED,
        attempt,
        status,
        duration: Duration::from_millis(15),
        error: status.is_none().then(|| "no connection".to_owned()),
    };
    let round = Round {
        endpoint: leased.endpoint.id,
        version: leased.endpoint.version,
        from: leased.cursor,
        to: end,
        waiting: Vec::new(),
        settled: Vec::new(),
        deliveries: vec![record(1, None), record(2, Some(410))],
        health: Health {
            last_success_at: Some(noon()),
            failing_since: Some(noon()),
            ..Health::default()
        },
        disabled: Some(WANTS_NO_MORE.to_owned()),
        wakes_silent: false,
        at: noon(),
        again_at: noon(),
    };
    assert_eq!(store.record(holder, &round).await, Ok(Recorded::Done));

    let path = path_of(&webhook, "");
    let shown = send(&app, to("GET", &path).token(&token), 200).await.json()["data"].clone();
    assert_eq!(
        (&shown["state"], &shown["state_reason"]),
        (&json!("disabled"), &json!(WANTS_NO_MORE))
    );
    assert_eq!(shown["failing_since"], shown["last_success_at"]);

    let path = path_of(&webhook, "/deliveries");
    let all = send(&app, to("GET", &path).token(&token), 200).await.json();
    let at = shown["last_success_at"].clone();
    let reader = app.token(&[Scope::JobPostingsRead]).await;
    let feed = request("GET", "/api/job-board/events").token(&reader);
    let mut payload = send(&app, feed, 200).await.json()["data"][0].clone();
    payload.as_object_mut().unwrap().remove("id");
    let delivery = |attempt: u32, status: Value, error: Value| {
        json!({"at": at, "event_id": end.to_string(), "type": "JobPostingApproved",
            "unique_source_identifier": "one", "payload": payload, "attempt": attempt, "status": status, "duration_ms": 15, "error": error})
    };
    let newest = delivery(2, json!(410), Value::Null);
    let oldest = delivery(1, Value::Null, json!("no connection"));
    assert_eq!(all, json!({"data": [newest, oldest]}));
    let path = path_of(&webhook, "/deliveries?limit=1");
    let one = send(&app, to("GET", &path).token(&token), 200).await.json();
    assert_eq!(one, json!({"data": [newest]}));

    // Once more, when it is resumed.
    let event = json!({"event": end.to_string()});
    let resend = |body: Value| {
        to("POST", &path_of(&webhook, "/resend"))
            .token(&token)
            .json(&body)
    };
    let response = send(&app, resend(event.clone()), 204).await;
    assert_eq!(response.text(), "");
    let due = store.due(leased.endpoint.id, OffsetDateTime::now_utc(), 9);
    let due: Vec<_> = due
        .await
        .unwrap()
        .iter()
        .map(|event| event.cursor)
        .collect();
    assert_eq!(due, [end]);
    let [missing, wrong] = [Cursor::START.to_string(), "1".to_owned()];
    check(
        &app,
        [
            case("not there", resend(json!({"event": missing})), 404).says("Event not found."),
            case("no id", resend(json!({"event": wrong})), 422).says("event must be the id of"),
            case("none", resend(json!({})), 422).says("event is required"),
        ],
    )
    .await;
    let companies = json!({"types": ["CompanyUpdated"]});
    let change = to("PATCH", &path_of(&webhook, "")).token(&token);
    send(&app, change.json(&companies), 200).await;
    let unwanted = case("not wanted", resend(event.clone()), 422).says("is a JobPostingCreated");
    check(&app, [unwanted]).await;
}

#[tokio::test]
async fn wrong_bodies_and_parameters_are_refused() {
    let app = TestApp::spawn();
    let token = manager(&app).await;
    let create = |body: Value| to("POST", "").token(&token).json(&body);
    let all = json!({"url": "ftp://a", "types": ["X"], "include_posting": 1, "description": 2});
    let refused = send(&app, create(all), 422).await.json();
    let names: Vec<_> = refused["errors"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["description", "include_posting", "types.0", "url"]);

    let webhook = register(&app, &token, json!({"url": "https://a.example/"})).await;
    let on = |method: &str, rest: &str| to(method, &path_of(&webhook, rest)).token(&token);
    let private = json!({"url": "https://private.example/"});
    let large = json!({"description": "x".repeat(20_000)});
    let text = on("PATCH", "").header("Content-Type", "text/plain");
    check(
        &app,
        [
            case("no address", create(json!({})), 422).says("url is required"),
            case(
                "plain http",
                create(json!({"url": "http://a.example/"})),
                422,
            )
            .says("https"),
            case(
                "loopback",
                create(json!({"url": "https://127.0.0.1/"})),
                422,
            )
            .says("private"),
            case("a name", create(private.clone()), 422).says("private"),
            case("a new name", on("PATCH", "").json(&private), 422).says("private"),
            case(
                "a state",
                on("PATCH", "").json(&json!({"state": "disabled"})),
                422,
            )
            .says("active, paused"),
            case("too large", on("PATCH", "").json(&large), 413).says("16384"),
            case("a type", text.body("{}"), 415),
            case("no time", on("POST", "/replay").json(&json!({})), 422).says("since is required"),
            case("no body", on("POST", "/replay"), 415),
            case("too many", on("GET", "/deliveries?limit=101"), 422).says("between 1 and 100"),
        ],
    )
    .await;
    for (method, rest, body) in operations() {
        let request = with(on(method, &format!("{rest}?x=1")), body);
        check(&app, [case(method, request, 422).says("x is not a known")]).await;
    }
    let list = to("GET", "?page=2").token(&token);
    check(&app, [case("list", list, 422).says("page is not a known")]).await;
    for n in 1..webhooks::MOST_ENDPOINTS {
        register(
            &app,
            &token,
            json!({"url": format!("https://a.example/{n}")}),
        )
        .await;
    }
    let more = create(json!({"url": "https://a.example/more"}));
    check(&app, [case("one more", more, 409).says("50 webhooks")]).await;
}

/// Each of these requests looks up a name, which may take long.
#[tokio::test]
async fn a_client_has_few_registrations_under_way() {
    let app = TestApp::spawn();
    let (token, other) = (manager(&app).await, manager(&app).await);
    let webhook = register(&app, &token, json!({"url": "https://a.example/"})).await;
    let body = json!({"url": "https://slow.example/"});
    let slow = (0..4).map(async |_| to("POST", "").token(&token).json(&body).send(&app).await);
    let more = async {
        sleep(Duration::from_millis(300)).await;
        let moved = to("PATCH", &path_of(&webhook, "")).token(&token);
        let test = to("POST", &path_of(&webhook, "/test")).token(&token);
        for (name, request) in [
            ("register", to("POST", "").token(&token).json(&body)),
            ("move", moved.json(&body)),
            ("test", test),
        ] {
            check(&app, [case(name, request, 429).with("Retry-After", "1")]).await;
        }
        let renamed = to("PATCH", &path_of(&webhook, "")).token(&token);
        let renamed = renamed.json(&json!({"description": "Ours"}));
        send(&app, renamed, 200).await;
        register(&app, &other, json!({"url": "https://a.example/"})).await;
    };
    let (slow, ()) = tokio::join!(futures_util::future::join_all(slow), more);
    for answer in slow {
        assert_eq!(answer.status, 422, "{answer:?}");
    }
    register(&app, &token, json!({"url": "https://b.example/"})).await;
}

/// Another client's webhook is 404, and so is a path that is no id.
#[tokio::test]
async fn a_client_sees_its_own_and_no_others() {
    let app = TestApp::spawn();
    let (token, other) = (manager(&app).await, manager(&app).await);
    let webhook = register(&app, &token, json!({"url": "https://a.example/"})).await;
    let none = send(&app, to("GET", "").token(&other), 200).await;
    assert_eq!(none.json(), json!({"data": []}));
    let mut cases = Vec::new();
    for path in [path_of(&webhook, ""), "/nonsense".to_owned()] {
        for (method, rest, body) in operations() {
            let request = to(method, &format!("{path}{rest}")).token(&other);
            cases.push(case(method, with(request, body), 404).says("Webhook not found."));
        }
    }
    check(&app, cases).await;
    let shown = to("GET", &path_of(&webhook, "")).token(&token);
    let shown = send(&app, shown, 200).await.json();
    assert_eq!(shown["data"]["state"], "active");
    assert!(app.backend.receiver.delivered.lock().unwrap().is_empty());
}
