//! Limits of clients, preferences of a push, and what a client can read about itself.

use std::num::NonZeroU32;

use access::Scope;
use kernel::Prefixes;
use serde_json::{Value, json};

use crate::support::{PATH, Response, TestApp, posting, push, put, request};

const INTEGRATION: &str = "/api/job-board/integration";

#[tokio::test]
async fn every_answer_names_the_limit() {
    let app = TestApp::spawn();
    let (_, form) = app
        .credentials(|client| client.requests_per_minute = NonZeroU32::new(12))
        .await;
    let minted = app.ask_for_token(&form).await;
    assert_eq!(minted.header("RateLimit"), Some("\"client\";r=11;t=5"));
    let token = minted.json()["access_token"].as_str().unwrap().to_owned();
    let get = |path: &str| request("GET", path).token(&token);
    let requests = [
        (put(&token, "a", &posting()), 201),
        (put(&token, "a", &json!({"title": 1})), 422),
        (put(&token, "fault:broken", &posting()), 500),
        (put(&token, "fault:panic", &posting()), 500),
        (get("/api/job-board/webhooks"), 403),
        (request("PATCH", PATH).token(&token), 405),
        (get("/api/job-board/export"), 200),
        (get(INTEGRATION), 200),
        (get("/api/job-board/nothing"), 404),
        (get(&format!("{PATH}/a/b")), 404),
        (put(&token, "a/", &posting()), 404),
    ];
    let policy = Some("\"client\";q=12;w=60");
    for (n, (request, status)) in requests.into_iter().enumerate() {
        let answer = request.send(&app).await;
        assert_eq!(answer.status, status, "{answer:?}");
        assert_eq!(answer.header("RateLimit-Policy"), policy, "{answer:?}");
        let left = format!("\"client\";r={};t={}", 10 - n, 5 * (n + 2));
        assert_eq!(answer.header("RateLimit"), Some(&*left));
    }
    for refused in [
        get(PATH).send(&app).await,
        get("/api/job-board/webhooks").send(&app).await,
        get("/api/job-board/nothing").send(&app).await,
        app.ask_for_token(&form).await,
    ] {
        assert_eq!(refused.status, 429, "{refused:?}");
        assert!(refused.message().contains("12 requests a minute"));
        let wait = refused.header("Retry-After").unwrap().parse::<u8>();
        assert!((1..=5).contains(&wait.unwrap()), "{refused:?}");
        assert_eq!(refused.header("RateLimit-Policy"), policy);
        let left = refused.header("RateLimit").unwrap();
        assert!(left.starts_with("\"client\";r=0;t="), "{left}");
    }
    // A request with an invalid token does not count. Other clients have their own limits.
    let anonymous = request("GET", PATH).send(&app).await;
    assert_eq!(anonymous.status, 401);
    let unlimited = app.writer().await;
    let other = request("GET", PATH).token(&unlimited).send(&app).await;
    assert_eq!(other.status, 200);
    let strange = request("GET", "/nothing").token("x").send(&app).await;
    assert_eq!(strange.status, 404);
    let public = get("/healthz").send(&app).await;
    for answer in [anonymous, other, strange, public] {
        assert_eq!(answer.header("RateLimit-Policy"), None);
        assert_eq!(answer.header("RateLimit"), None);
    }
}

fn summary(answer: &Response) -> (u16, [Option<&str>; 4]) {
    let headers = ["Outcome", "Status", "Notice"].map(|name| format!("Posthaste-{name}"));
    let [outcome, status, notice] = headers.map(|name| answer.header(&name));
    (
        answer.status,
        [outcome, status, notice, answer.header("Preference-Applied")],
    )
}

#[tokio::test]
async fn the_headers_of_a_push_say_what_happened_and_a_dry_run_what_would() {
    let (app, token) = TestApp::with_writer().await;
    let pending = "PendingEnrichment";
    for (body, status, outcome, afterwards) in [
        (posting(), 201, "created", pending),
        (posting(), 200, "unchanged", pending),
        (json!({"title": "Other"}), 200, "updated", pending),
        (json!({"expiration": {}}), 200, "expired", "expired"),
        (json!({"expiration": null}), 200, "reopened", pending),
    ] {
        let expect = (status, [Some(outcome), Some(afterwards), None, None]);
        let mut uuids = Vec::new();
        for query in ["?dry_run=true", "?dry_run=true", "?dry_run=false"] {
            let answer = put(&token, &format!("a{query}"), &body).send(&app).await;
            assert_eq!(summary(&answer), expect, "{query}");
            let uuid = answer.json()["data"]["uuid"].clone();
            assert_eq!(answer.text(), format!("{{\"data\":{{\"uuid\":{uuid}}}}}"));
            uuids.push(uuid);
        }
        let uuid = uuids.pop().unwrap();
        let id = uuid::Uuid::parse_str(uuid.as_str().unwrap()).unwrap();
        assert_eq!(id.get_version_num(), 7);
        let would_be = if status == 201 { Value::Null } else { uuid };
        assert_eq!(uuids, [would_be.clone(), would_be]);
    }
    let expire = json!({"expiration": {}});
    let refused = put(&token, "b?dry_run=true", &expire).send(&app).await;
    assert_eq!(summary(&refused), (404, [None; 4]));
}

/// The effects on texts are tested in the crate of the rules.
#[tokio::test]
async fn a_dry_run_previews_what_the_rules_would_make_of_a_posting() {
    let (app, token) = TestApp::with_writer().await;
    let preview = async |body: &Value| {
        let sent = put(&token, "a?dry_run=true", body).header("Prefer", "return=representation");
        let answer = sent.send(&app).await;
        let applied = answer.header("Preference-Applied");
        assert_eq!(applied, Some("return=representation"), "{answer:?}");
        answer.json()["data"]["preview"].clone()
    };
    let mut body = posting();
    body["title"] = "Engineer at Example".into();
    body["raw_description"] =
        "<p>You build things for Example. You like tools, and have built some \
        before. Write to jobs@example.com.</p>"
            .into();
    body["location_city"] = "Oslo".into();
    body["location_country_code"] = "NO".into();
    body["salary_min"] = 1.into();
    let made = preview(&body).await;
    assert_eq!(made["verdict"]["outcome"], "approved", "{made}");
    assert_eq!(made["redacted_title"], "Engineer at [company]");
    let redacted = made["markdown_redacted_description"].as_str().unwrap();
    assert!(
        redacted.contains("[company]") && redacted.contains("[email]"),
        "{redacted}"
    );
    assert!(
        made["markdown_description"]
            .as_str()
            .unwrap()
            .contains("jobs@example.com")
    );
    assert_eq!(made["remarks"][0]["code"], "pay_without_currency");
    assert!((59.5..60.5).contains(&made["latitude"].as_f64().unwrap()));
    assert_eq!(made["json_ld"]["@type"], "JobPosting");
    let place = &made["json_ld"]["jobLocation"]["address"]["addressLocality"];
    assert_eq!(place, "Oslo");
    assert_eq!(app.get(&token, &format!("{PATH}/a")).await.status, 404);

    // The preview of an update includes stored values.
    push(&app, &token, "a", &body).await;
    let made = preview(&json!({"location_city": "Bergen"})).await;
    let place = &made["json_ld"]["jobLocation"]["address"]["addressLocality"];
    assert_eq!(
        (&made["verdict"]["code"], place),
        (&json!("no_objection"), &json!("Bergen"))
    );
    let made = preview(&json!({"raw_description": "<p>404 Not Found</p>"})).await;
    assert_eq!(made["verdict"]["outcome"], "rejected", "{made}");
    assert_eq!(made["json_ld"], Value::Null);
    let passages = made["verdict"]["passages"].as_array().unwrap();
    assert!(!passages.is_empty(), "{made}");
    // A real push has no preview.
    let real = put(&token, "a", &body).header("Prefer", "return=representation");
    let real = real.send(&app).await;
    assert_eq!(real.header("Preference-Applied"), None);
    assert_eq!(real.json()["data"].get("preview"), None);
}

#[tokio::test]
async fn a_strict_push_has_unknown_fields_refused() {
    let (app, token) = TestApp::with_writer().await;
    let mut body = posting();
    body["titel"] = "Engineer".into();
    let strict = |target: &str, body: &Value| {
        put(&token, target, body).header("Prefer", "x, Handling=\"strict\"; y")
    };
    let (pending, applied) = (Some("PendingEnrichment"), Some("handling=strict"));
    let refused = strict("a", &body).send(&app).await;
    assert_eq!(summary(&refused), (422, [None, None, None, applied]));
    let message = "is not a known field; the nearest one is title";
    assert_eq!(refused.json()["errors"], json!({"titel": [message]}));
    let accepted = strict("a", &posting()).send(&app).await;
    assert_eq!(
        summary(&accepted),
        (201, [Some("created"), pending, None, applied])
    );
    let usual = put(&token, "a", &body).header("Prefer", "handling=other");
    let notice = Some(r#"unknown_field;field="titel";nearest="title""#);
    let unchanged = (200, [Some("unchanged"), pending, notice, None]);
    assert_eq!(summary(&usual.send(&app).await), unchanged);
}

#[tokio::test]
async fn a_lenient_push_is_corrected_and_reports_each_step() {
    let (app, token) = TestApp::with_writer().await;
    let mut body = posting();
    body["location_country_code"] = "UK".into();
    body["salary_period"] = "daily".into();
    let lenient = put(&token, "a", &body).header("Prefer", "handling=lenient");
    let pending = Some("PendingEnrichment");
    let notices =
        r#"corrected;field="location_country_code";to="GB", left_out;field="salary_period""#;
    let applied = Some("handling=lenient");
    let created = (201, [Some("created"), pending, Some(notices), applied]);
    assert_eq!(summary(&lenient.send(&app).await), created);
    let stored = app.get(&token, &format!("{PATH}/a")).await.json();
    assert_eq!(stored["data"]["location_country_code"], "GB");
    let untitled = json!({"title": null});
    let refused = put(&token, "a", &untitled).header("Prefer", "handling=lenient");
    let refused = refused.send(&app).await;
    assert_eq!(summary(&refused), (422, [None, None, None, applied]));
}

#[tokio::test]
async fn parameters_are_refused_together_with_fields() {
    let (app, token) = TestApp::with_writer().await;
    push(&app, &token, "a", &posting()).await;
    let get = |target: &str| request("GET", &format!("{PATH}/{target}")).token(&token);
    let wrong = json!({"title": 1});
    for (refused, expect) in [
        (
            put(&token, "a?dry_run=1&dryrun=true", &wrong),
            &["dry_run", "dryrun", "title"][..],
        ),
        (
            put(&token, "%00?x=1", &wrong),
            &["title", "unique_source_identifier", "x"],
        ),
        (put(&token, "a?x=1", &json!({"title": "Other"})), &["x"]),
        (get("%FF?x=1"), &["unique_source_identifier", "x"]),
    ] {
        let answer = refused.send(&app).await;
        assert_eq!(answer.status, 422, "{answer:?}");
        let errors = answer.json()["errors"].clone();
        let names: Vec<_> = errors.as_object().unwrap().keys().collect();
        assert_eq!(names, expect);
    }
    let found = get("a").send(&app).await.json();
    assert_eq!(found["data"]["title"], posting()["title"]);
}

#[tokio::test]
async fn a_client_learns_what_came_of_its_pushes() {
    let app = TestApp::spawn();
    let (id, token) = app
        .client(|client| {
            client.prefixes = Prefixes::new(&["a", "fault"]).unwrap();
        })
        .await;
    for (target, body, status) in [
        ("a", posting(), 201),
        ("a", posting(), 200),
        ("a", json!({"expiration": {}}), 200),
        ("a%2F%FF", posting(), 422),
        ("other%20one", posting(), 403),
        ("absent", json!({"expiration": {}}), 404),
        // None of these requests counts.
        ("fault:overloaded", posting(), 503),
        ("fault:broken", posting(), 500),
        ("a?dry_run=true", json!({"title": 1}), 422),
        ("b?dry_run=true", posting(), 403),
        ("a?dry_run=true", json!({"title": "New"}), 200),
    ] {
        let answer = put(&token, target, &body).send(&app).await;
        assert_eq!(answer.status, status, "{target}: {answer:?}");
    }
    let untyped = request("PUT", &format!("{PATH}/a")).token(&token);
    assert_eq!(untyped.send(&app).await.status, 415);

    let answer = app.get(&token, INTEGRATION).await;
    assert_eq!(answer.header("Cache-Control"), Some("no-store"));
    let data = &answer.json()["data"];
    assert_eq!(data["client_id"], id.to_string());
    assert!(data["last_push_at"].is_string());
    let expect = json!([{"date": data["days"][0]["date"], "created": 1, "updated": 0,
        "unchanged": 1, "expired": 1, "reopened": 0, "refused": 4, "approved": 0, "rejected": 0,
        "fields": {"application_url": 1.0}, "remarks": {}}]);
    assert_eq!(data["days"], expect);
    let refusals = data["refusals"].as_array().unwrap().iter().map(|of| {
        let has_errors = !of["errors"].is_null();
        json!([of["unique_source_identifier"], of["status"], has_errors])
    });
    let expect = json!([
        ["a", 415, false],
        ["absent", 404, false],
        ["other one", 403, false],
        ["a/\u{fffd}", 422, true],
    ]);
    assert_eq!(refusals.collect::<Value>(), expect);

    let reader = app.token(&[Scope::JobPostingsRead]).await;
    let own = app.get(&reader, INTEGRATION).await;
    assert_eq!(own.json()["data"]["days"], json!([]));
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
    assert_eq!(query, format!("client={id}&scopes=job-postings:read"));
    assert_eq!(made["data"]["expires_at"], "1970-01-01T00:00:00Z");
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

#[tokio::test]
async fn a_link_has_the_scopes_of_the_token_that_asks_for_it() {
    let app = TestApp::spawn();
    let all = Scope::ALL.to_vec();
    let (_, form) = app.credentials(|client| client.scopes = all).await;
    let link = format!("{INTEGRATION}/link");
    for (asked, status, scopes) in [
        ("job-postings:read", 200, "job-postings:read"),
        (
            "job-postings:read+webhooks:manage",
            200,
            "job-postings:read,webhooks:manage",
        ),
        ("webhooks:manage", 403, ""),
    ] {
        let token = app.ask_for_token(&format!("{form}&scope={asked}")).await;
        let token = token.json()["access_token"].as_str().unwrap().to_owned();
        let made = request("POST", &link).token(&token).send(&app).await;
        assert_eq!(made.status, status, "{asked}");
        if status == 200 {
            let made = made.json();
            let url = made["data"]["url"].as_str().unwrap();
            assert!(url.ends_with(&format!("&scopes={scopes}")), "{url}");
        }
    }
}

#[tokio::test]
async fn pages_share_the_limit_and_the_places_of_the_api() {
    let app = TestApp::spawn();
    let (id, token) = app
        .client(|client| client.requests_per_minute = NonZeroU32::new(4))
        .await;
    let (other, _) = app.client(|_| {}).await;
    let visit = async |client, places| {
        let path = format!("/integration/visit/{client}/{places}");
        request("GET", &path).send(&app).await
    };
    let first = visit(id, 4).await;
    assert_eq!(
        (first.text(), first.header("RateLimit")),
        ("8", Some("\"client\";r=2;t=30"))
    );
    assert_eq!(
        first.header("RateLimit-Policy"),
        Some("\"client\";q=4;w=60")
    );
    let by_api = app.get(&token, INTEGRATION).await;
    assert_eq!(by_api.header("RateLimit"), Some("\"client\";r=1;t=45"));
    assert_eq!(visit(id, 0).await.text(), "0");
    let limited = visit(id, 0).await;
    assert!(
        limited
            .text()
            .starts_with("Limited { per_minute: 4, retry_after: "),
        "{limited:?}"
    );
    assert_eq!(app.get(&token, INTEGRATION).await.status, 429);
    for (places, expect) in [(4, "8"), (5, "9 TooMany"), (9, "8 TooMany"), (4, "8")] {
        let page = visit(other, places).await;
        assert_eq!(page.text(), expect);
        assert_eq!(page.header("RateLimit"), None);
    }
}
