//! The limit of a client, the wishes of a push, and what a client learns about itself.

use std::num::NonZeroU32;

use access::{ActivityLog as _, Clients as _, Scope};
use kernel::Prefixes;
use serde_json::{Value, json};

use crate::support::{PATH, Request, Response, TestApp, posting, push, request};

const INTEGRATION: &str = "/api/job-board/integration";

fn put(token: &str, target: &str) -> Request {
    request("PUT", &format!("{PATH}/{target}")).token(token)
}

#[tokio::test]
async fn every_answer_tells_of_the_limit() {
    let app = TestApp::spawn();
    let (_, form) = app
        .credentials(|client| client.requests_per_minute = NonZeroU32::new(9))
        .await;
    let minted = app.ask_for_token(&form).await;
    assert_eq!(minted.header("RateLimit"), Some("\"client\";r=8;t=7"));
    let token = minted.json()["access_token"].as_str().unwrap().to_owned();
    let get = |path: &str| request("GET", path).token(&token);
    let requests = [
        (put(&token, "a").json(&posting()), 201),
        (put(&token, "a").json(&json!({"title": 1})), 422),
        (put(&token, "fault:broken").json(&posting()), 500),
        (put(&token, "fault:panic").json(&posting()), 500),
        (get("/api/job-board/webhooks"), 403),
        (request("PATCH", PATH).token(&token), 405),
        (get("/api/job-board/export"), 200),
        (get(INTEGRATION), 200),
    ];
    let policy = Some("\"client\";q=9;w=60");
    for (n, (request, status)) in requests.into_iter().enumerate() {
        let answer = request.send(&app).await;
        assert_eq!(answer.status, status, "{answer:?}");
        assert_eq!(answer.header("RateLimit-Policy"), policy, "{answer:?}");
        let left = format!("\"client\";r={};t={}", 7 - n, (20 * (n + 2)).div_ceil(3));
        assert_eq!(answer.header("RateLimit"), Some(&*left));
    }
    for refused in [
        get(PATH).send(&app).await,
        get("/api/job-board/webhooks").send(&app).await,
        app.ask_for_token(&form).await,
    ] {
        assert_eq!(refused.status, 429, "{refused:?}");
        assert!(refused.message().contains("9 requests a minute"));
        let wait = refused.header("Retry-After").unwrap().parse::<u8>();
        assert!((1..=7).contains(&wait.unwrap()), "{refused:?}");
        assert_eq!(refused.header("RateLimit-Policy"), policy);
        let left = refused.header("RateLimit").unwrap();
        assert!(left.starts_with("\"client\";r=0;t="), "{left}");
    }
    // A token that is not good is not the client's, and another client has its own limit.
    let nobody = request("GET", PATH).send(&app).await;
    assert_eq!(nobody.status, 401);
    let unlimited = app.writer().await;
    let other = request("GET", PATH).token(&unlimited).send(&app).await;
    assert_eq!(other.status, 200);
    for answer in [nobody, other] {
        assert_eq!(answer.header("RateLimit-Policy"), None);
        assert_eq!(answer.header("RateLimit"), None);
    }
}

fn told(answer: &Response) -> (u16, Option<&str>, Option<&str>, Option<&str>) {
    (
        answer.status,
        answer.header("Posthaste-Outcome"),
        answer.header("Posthaste-Status"),
        answer.header("Preference-Applied"),
    )
}

#[tokio::test]
async fn the_headers_of_a_push_say_what_happened_and_a_dry_run_what_would() {
    let app = TestApp::spawn();
    let token = app.writer().await;
    let pending = Some("PendingEnrichment");
    for (body, status, outcome, afterwards) in [
        (posting(), 201, "created", pending),
        (posting(), 200, "unchanged", pending),
        (json!({"title": "Other"}), 200, "updated", pending),
        (json!({"expiration": {}}), 200, "expired", Some("expired")),
        (json!({"expiration": null}), 200, "reopened", pending),
    ] {
        let expect = (status, Some(outcome), afterwards, None);
        let mut uuids = Vec::new();
        for query in ["?dry_run=true", "?dry_run=true", "?dry_run=false"] {
            let put = put(&token, &format!("a{query}")).json(&body);
            let answer = put.send(&app).await;
            assert_eq!(told(&answer), expect, "{query}");
            uuids.push(answer.json()["data"]["uuid"].clone());
        }
        assert!(uuids[2].is_string());
        let would_be = if status == 201 {
            &Value::Null
        } else {
            &uuids[2]
        };
        assert_eq!([&uuids[0], &uuids[1]], [would_be; 2]);
    }
    let refused = put(&token, "b?dry_run=true").json(&json!({"expiration": {}}));
    assert_eq!(told(&refused.send(&app).await), (404, None, None, None));
}

#[tokio::test]
async fn a_strict_push_has_unknown_fields_refused() {
    let app = TestApp::spawn();
    let token = app.writer().await;
    let mut body = posting();
    body["titel"] = "Engineer".into();
    let strict = |target: &str, body: &Value| {
        let put = put(&token, target).header("Prefer", "x, Handling=\"strict\"; y");
        put.json(body)
    };
    let applied = Some("handling=strict");
    let refused = strict("a", &body).send(&app).await;
    assert_eq!(told(&refused), (422, None, None, applied));
    let message = "is not a known field; the nearest one is title";
    assert_eq!(refused.json()["errors"], json!({"titel": [message]}));

    let created = (201, Some("created"), Some("PendingEnrichment"), applied);
    let accepted = strict("a?dry_run=true", &posting()).send(&app).await;
    assert_eq!(told(&accepted), created);
    let accepted = strict("a", &posting()).send(&app).await;
    assert_eq!(told(&accepted), created);
    let lenient = put(&token, "a")
        .header("Prefer", "handling=lenient")
        .json(&body);
    let unchanged = (200, Some("unchanged"), Some("PendingEnrichment"), None);
    let lenient = lenient.send(&app).await;
    assert_eq!(told(&lenient), unchanged);
    let notice = r#"unknown_field;field="titel";nearest="title""#;
    assert_eq!(lenient.header("Posthaste-Notice"), Some(notice));
    assert_eq!(refused.header("Posthaste-Notice"), None);
}

#[tokio::test]
async fn parameters_are_refused_together_with_fields() {
    let app = TestApp::spawn();
    let token = app.writer().await;
    let names = |answer: &Response| -> Vec<String> {
        assert_eq!(answer.status, 422, "{answer:?}");
        let errors = answer.json()["errors"].clone();
        errors.as_object().unwrap().keys().cloned().collect()
    };
    let mut body = posting();
    body["title"] = 1.into();
    let refused = put(&token, "a?dry_run=1&dryrun=true").json(&body);
    let refused = names(&refused.send(&app).await);
    assert_eq!(refused, ["dry_run", "dryrun", "title"]);
    let refused = put(&token, "%00?x=1").json(&json!({"title": 1}));
    let refused = names(&refused.send(&app).await);
    assert_eq!(refused, ["title", "unique_source_identifier", "x"]);
    push(&app, &token, "a", &posting()).await;
    let refused = put(&token, "a?x=1").json(&json!({"title": "Other"}));
    assert_eq!(names(&refused.send(&app).await), ["x"]);

    let get = |target: &str| request("GET", &format!("{PATH}/{target}")).token(&token);
    assert_eq!(names(&get("a?x=1").send(&app).await), ["x"]);
    let refused = names(&get("%FF?x=1").send(&app).await);
    assert_eq!(refused, ["unique_source_identifier", "x"]);
    let found = get("a").send(&app).await.json();
    assert_eq!(found["data"]["title"], posting()["title"]);
}

#[tokio::test]
async fn a_client_learns_what_came_of_its_pushes() {
    let app = TestApp::spawn();
    let (id, token) = app
        .client(|client| {
            client.prefixes = Prefixes::new(&["a", "fault", "\u{fffd}"]).unwrap();
            client.requests_per_minute = NonZeroU32::new(1000);
        })
        .await;
    for (target, body, status) in [
        ("a", posting(), 201),
        ("a", posting(), 200),
        ("a", json!({"expiration": {}}), 200),
        ("a%2F%FF", posting(), 422),
        ("other%20one", posting(), 403),
        ("absent", json!({"expiration": {}}), 404),
        // None of these counts.
        ("fault:overloaded", posting(), 503),
        ("fault:broken", posting(), 500),
        ("a?dry_run=true", json!({"title": 1}), 422),
        ("b?dry_run=true", posting(), 403),
        ("a?dry_run=true", json!({"title": "New"}), 200),
    ] {
        let answer = put(&token, target).json(&body).send(&app).await;
        assert_eq!(answer.status, status, "{target}: {answer:?}");
    }
    let plain = put(&token, "a").header("Content-Type", "text/plain");
    assert_eq!(plain.body("x").send(&app).await.status, 415);

    let get = request("GET", INTEGRATION).token(&token);
    let answer = get.send(&app).await;
    assert_eq!(answer.header("Cache-Control"), Some("no-store"));
    let mut data = answer.json()["data"].take();
    assert!(data["last_push_at"].take().is_string());
    let today = data["days"][0]["date"].take();
    let refusals = data["refusals"].take();
    let expect = json!({
        "client_id": id.uuid(), "name": "Test", "scopes": ["job-postings:write"],
        "prefixes": ["a", "fault", "\u{fffd}"], "requests_per_minute": 1000,
        "last_push_at": null, "refusals": null,
        "days": [{"date": null, "created": 1, "updated": 0, "unchanged": 1, "expired": 1,
            "reopened": 0, "refused": 4, "approved": 0, "rejected": 0}],
    });
    assert_eq!(data, expect);
    assert!(answer.text().contains(&format!("\"date\":{today}")));
    let refusals: Vec<_> = refusals
        .as_array()
        .unwrap()
        .iter()
        .map(|of| {
            assert!(of["at"].is_string() && of["message"].is_string());
            let identifier = of["unique_source_identifier"].as_str().unwrap();
            (
                identifier,
                of["status"].as_u64().unwrap(),
                !of["errors"].is_null(),
            )
        })
        .collect();
    let expect = [
        ("a", 415, false),
        ("absent", 404, false),
        ("other one", 403, false),
        ("a/\u{fffd}", 422, true),
    ];
    assert_eq!(refusals, expect);

    let reader = app.token(&[Scope::JobPostingsRead]).await;
    let own = request("GET", INTEGRATION).token(&reader).send(&app).await;
    assert_eq!(own.json()["data"]["days"], json!([]));
    let unknown = format!("{INTEGRATION}?x=1");
    let refused = request("GET", &unknown).token(&reader).send(&app).await;
    assert_eq!(refused.status, 422);
}

#[tokio::test]
async fn the_use_of_a_secret_is_recorded() {
    let app = TestApp::spawn();
    let (id, _) = app.client(|_| {}).await;
    app.backend.activity(id).await.unwrap();
    let client = app.backend.store.find(id).await.unwrap().unwrap();
    assert!(client.secrets[0].last_used_at >= Some(client.created_at));
}

#[tokio::test]
async fn a_client_gets_a_link_to_its_pages_which_are_on_the_same_listener() {
    let app = TestApp::spawn();
    let link = format!("{INTEGRATION}/link");
    let (id, token) = app
        .client(|client| client.scopes = vec![Scope::JobPostingsRead])
        .await;
    let made = request("POST", &link).token(&token).send(&app).await;
    assert_eq!(made.status, 200, "{made:?}");
    assert_eq!(made.header("Cache-Control"), Some("no-store"));
    let made = made.json();
    let url = made["data"]["url"].as_str().unwrap();
    let (at, query) = url.split_once("/integration?").unwrap();
    assert_eq!(query, format!("client={id}"));
    assert_eq!(made["data"]["expires_at"], "1970-01-01T00:00:00Z");
    let other = app.token(&[Scope::NewsletterSubscribersWrite]).await;
    for (refused, status) in [
        (request("POST", &link), 401),
        (request("POST", &link).token(&other), 403),
        (request("GET", &link).token(&token), 405),
        (
            request("POST", &format!("{link}?as=ann")).token(&token),
            422,
        ),
    ] {
        assert_eq!(refused.send(&app).await.status, status);
    }
    let page = request("GET", "/integration").send(&app).await;
    assert_eq!(
        (page.status, page.text()),
        (200, &*format!("pages of {at}"))
    );
    assert!(page.header("X-Request-Id").is_some());
    let mut elsewhere = app.connect().await;
    let head = b"GET /integration HTTP/1.1\r\nHost: evil.example\r\n\r\n";
    elsewhere.write(head).await;
    assert_eq!(elsewhere.read(false).await.status, 421);
}
