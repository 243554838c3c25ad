//! Imports: receipts in order, and bodies of every kind.

use std::{
    num::NonZeroU32,
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use access::Scope;
use async_compression::tokio::bufread::{GzipEncoder, ZstdEncoder};
use kernel::Prefixes;
use serde_json::{Value, json};
use tokio::{io::AsyncReadExt as _, time::sleep};

use crate::support::{self, IMPORT_LIMIT, QUICK, Request, Response, TestApp, posting, request};

pub const IMPORTS: &str = "/api/job-board/imports";
pub const CATALOGUES: &str = "/api/job-board/catalogues";

pub fn import(token: &str, target: &str, body: impl Into<Vec<u8>>) -> Request {
    let method = if target.starts_with(CATALOGUES) {
        "PUT"
    } else {
        "POST"
    };
    request(method, target)
        .token(token)
        .header("Content-Type", "application/x-ndjson")
        .body(body)
}

pub fn line(id: &str, payload: &Value) -> String {
    format!("{}\n", json!({"id": id, "payload": payload}))
}

/// The lines of an answer.
pub fn lines(answer: &Response) -> Vec<Value> {
    assert_eq!(
        answer.header("Content-Type"),
        Some("application/x-ndjson"),
        "{answer:?}"
    );
    let lines = answer.text().lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The summary, which is the last line.
pub fn summary(answer: &Response) -> Value {
    lines(answer).pop().unwrap()["summary"].take()
}

fn counted(summary: &Value) -> (u64, u64, bool) {
    let number = |name: &str| summary[name].as_u64().unwrap();
    let is_complete = summary["complete"].as_bool().unwrap();
    (number("lines"), number("created"), is_complete)
}

#[tokio::test]
async fn each_line_is_a_push_with_a_receipt() {
    let app = TestApp::spawn();
    let (_, token) = app
        .client(|client| client.prefixes = Prefixes::new(&["a", "fault:"]).unwrap())
        .await;
    let body = [
        line("a1", &posting()),
        "\r\n".to_owned(),
        line("b1", &posting()),
        line("a1", &posting()),
        "nonsense\n".to_owned(),
        line("a2", &json!({"title": 7})),
        line("a/3", &json!({"expiration": {}})),
        line("fault:broken", &posting()),
        line("a1", &json!({"title": "Other"})),
        format!("{{\"id\":\"{}\"}}\n", "x".repeat(support::BODY_LIMIT)),
        line("a1", &json!({"expiration": {}})),
        line("a1", &json!({"expiration": null}))
            .trim_end()
            .to_owned(),
    ];
    let target = format!("{IMPORTS}?receipts=all");
    let answer = import(&token, &target, body.concat()).send(&app).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.header("Cache-Control"), Some("no-store"));
    let mut all = lines(&answer);
    let summary = all.pop().unwrap();
    assert_eq!(
        summary,
        json!({"summary": {
            "lines": 11, "created": 1, "updated": 1, "unchanged": 1, "expired": 1, "reopened": 1,
            "refused": 5, "failed": 1, "complete": true
        }})
    );
    let shown: Vec<_> = all
        .iter()
        .map(|of| {
            (
                of["line"].as_u64().unwrap(),
                of["outcome"].as_str().unwrap(),
                of["status"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            (1, "created", 201),
            (3, "refused", 403),
            (4, "unchanged", 200),
            (5, "refused", 400),
            (6, "refused", 422),
            (7, "refused", 404),
            (8, "failed", 500),
            (9, "updated", 200),
            (10, "refused", 413),
            (11, "expired", 200),
            (12, "reopened", 200),
        ]
    );
    let get = request("GET", &format!("{}/a1", support::PATH)).token(&token);
    let posting = get.send(&app).await.json()["data"].take();
    assert_eq!(
        all[0],
        json!({"line": 1, "id": "a1", "outcome": "created", "status": 201, "uuid": posting["uuid"]})
    );
    assert_eq!((&all[3]["id"], all[3].get("uuid")), (&Value::Null, None));
    let wrong = json!(["must be a string, not a number"]);
    assert_eq!(all[4]["errors"]["title"], wrong);
    let not_json = all[3]["message"].as_str().unwrap();
    assert!(
        not_json.starts_with("The line is not valid JSON: "),
        "{not_json}"
    );
    assert!(all[1]["message"].as_str().unwrap().contains("begin with"));
    assert!(!answer.text().contains(support::INTERNALS));

    let answer = import(&token, IMPORTS, body.concat()).send(&app).await;
    let refused = lines(&answer).len() - 1;
    assert_eq!(
        refused, 6,
        "without a wish, lines that were taken have none"
    );

    // The outcomes and refusals of lines are in the client's activity, as those of pushes are.
    let activity = request("GET", "/api/job-board/integration").token(&token);
    let activity = activity.send(&app).await.json()["data"].take();
    let today = &activity["days"][0];
    assert_eq!(
        (&today["created"], &today["refused"]),
        (&json!(1), &json!(10))
    );
    let refusals = activity["refusals"].as_array().unwrap();
    assert_eq!(refusals.len(), 10);
    let newest = refusals[0]["request_id"].as_str();
    assert_eq!(newest, answer.header("X-Request-Id"));
}

#[tokio::test]
async fn receipts_and_summary_have_the_notices() {
    let app = TestApp::spawn();
    let token = app.writer().await;
    let mut body = posting();
    body["titel"] = "T".into();
    let body = line("a", &body);
    let field = json!({"code": "unknown_field", "field": "titel", "nearest": "title",
        "message": "titel is not a known field, and was left out; the nearest one is title."});
    // The third time it is known to change nothing.
    for outcome in ["created", "unchanged", "unchanged"] {
        let all = format!("{IMPORTS}?receipts=all");
        let answer = import(&token, &all, &*body).send(&app).await;
        let [receipt, summary] = &lines(&answer)[..] else {
            panic!("{}", answer.text());
        };
        assert_eq!(receipt["outcome"], outcome);
        assert_eq!(receipt["notices"], json!([field]));
        let notices = json!({"unknown_field": 1});
        assert_eq!(summary["summary"]["notices"], notices);
    }
}

#[tokio::test]
async fn the_wishes_of_a_push_are_those_of_an_import() {
    let app = TestApp::spawn();
    let token = app.writer().await;
    let body = line("a", &posting());
    let dry = format!("{IMPORTS}?receipts=all&dry_run=true");
    let answer = import(&token, &dry, &*body).send(&app).await;
    assert_eq!(
        lines(&answer)[0],
        json!({"line": 1, "id": "a", "outcome": "created", "status": 201, "uuid": null})
    );
    let get = request("GET", &format!("{}/a", support::PATH)).token(&token);
    assert_eq!(get.send(&app).await.status, 404);

    let misspelt = line("a", &json!({"tittle": "T"}));
    let strict = import(&token, IMPORTS, &*misspelt).header("Prefer", "handling=strict");
    let answer = strict.send(&app).await;
    assert_eq!(answer.header("Preference-Applied"), Some("handling=strict"));
    assert!(lines(&answer)[0]["errors"].get("tittle").is_some());

    for (query, field) in [
        ("receipts=some", "receipts"),
        ("dry_run=1", "dry_run"),
        ("max_missing=1", "max_missing"),
        ("min_missing=1", "min_missing"),
        ("misses=1", "misses"),
        ("x=1", "x"),
    ] {
        let target = format!("{IMPORTS}?{query}");
        let refused = import(&token, &target, &*body).send(&app).await;
        assert_eq!(refused.status, 422, "{query}");
        assert!(refused.json()["errors"].get(field).is_some(), "{query}");
    }
}

async fn gzip(text: &str) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut encoder = GzipEncoder::new(text.as_bytes());
    encoder.read_to_end(&mut packed).await.unwrap();
    packed
}

async fn zstd(text: &str) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut encoder = ZstdEncoder::new(text.as_bytes());
    encoder.read_to_end(&mut packed).await.unwrap();
    packed
}

#[tokio::test]
async fn bodies_are_unpacked() {
    let app = TestApp::spawn();
    let token = app.writer().await;
    let [one, two] = ["a", "b"].map(|id| line(id, &posting()));
    let [gzip_one, gzip_two] = [gzip(&one).await, gzip(&two).await];
    let [zstd_one, zstd_two] = [zstd(&one).await, zstd(&two).await];
    let cut = |packed: &[u8]| packed[..packed.len() - 3].to_vec();
    let both = |one: &[u8], two: &[u8]| [one, two].concat();
    for (encoding, body, status, expect) in [
        (
            "identity",
            both(one.as_bytes(), two.as_bytes()),
            200,
            (2, true),
        ),
        ("gzip", both(&gzip_one, &gzip_two), 200, (2, true)),
        ("GZIP", gzip_one.clone(), 200, (1, true)),
        ("zstd", both(&zstd_one, &zstd_two), 200, (2, true)),
        ("gzip", cut(&gzip_one), 400, (1, false)),
        ("gzip", both(&gzip_one, &cut(&gzip_two)), 400, (2, false)),
        ("zstd", cut(&zstd_one), 400, (0, false)),
        ("gzip", both(&gzip_one, b"rest"), 400, (1, false)),
        ("gzip", one.clone().into_bytes(), 400, (0, false)),
        ("zstd", gzip_one.clone(), 400, (0, false)),
        ("identity", Vec::new(), 200, (0, true)),
    ] {
        let request = import(&token, IMPORTS, body).header("Content-Encoding", encoding);
        let answer = request.send(&app).await;
        assert_eq!(answer.status, status, "{encoding}: {answer:?}");
        let summary = summary(&answer);
        let (lines, _, is_complete) = counted(&summary);
        // Whatever was unpacked before a break may have been taken or not.
        assert_eq!(is_complete, expect.1, "{encoding}: {summary}");
        assert!(
            lines == expect.0 || !is_complete && lines <= expect.0,
            "{encoding}: {summary}"
        );
        assert_eq!(summary.get("message").is_some(), !is_complete);
    }
    for (name, value, accepted) in [
        ("Content-Encoding", "br", true),
        ("Content-Type", "application/json", false),
    ] {
        let refused = request("POST", IMPORTS)
            .token(&token)
            .header(name, value)
            .body("{}");
        let refused = refused.send(&app).await;
        assert_eq!(refused.status, 415, "{refused:?}");
        let is_told = refused.header("Accept-Encoding") == Some("gzip, zstd, identity");
        assert_eq!(is_told, accepted);
    }
    // curl -T declares no type.
    let untyped = request("POST", IMPORTS).token(&token).body(one);
    assert_eq!(untyped.send(&app).await.status, 200);
}

#[tokio::test]
async fn an_import_has_a_largest_size() {
    let app = TestApp::spawn();
    let token = app.writer().await;
    let limit = usize::try_from(IMPORT_LIMIT).unwrap();
    let announced = request("POST", IMPORTS)
        .token(&token)
        .header("Content-Length", &(limit + 1).to_string());
    assert_eq!(announced.send(&app).await.status, 413);

    let first = line("a", &posting());
    let blank = "\n".repeat(limit);
    let packed = gzip(&format!("{first}{blank}")).await;
    let request = import(&token, IMPORTS, packed).header("Content-Encoding", "gzip");
    let answer = request.send(&app).await;
    assert_eq!(answer.status, 413, "{answer:?}");
    let summary = summary(&answer);
    assert_eq!(counted(&summary), (1, 1, false));
    assert!(
        summary["message"]
            .as_str()
            .unwrap()
            .contains(&IMPORT_LIMIT.to_string())
    );
}

#[tokio::test]
async fn an_answer_has_a_limited_number_of_receipts() {
    let app = TestApp::spawn();
    let token = app.writer().await;
    let body = format!("{}{}", "x\n".repeat(100_003), line("a", &posting()));
    let packed = gzip(&body).await;
    let request = import(&token, IMPORTS, packed).header("Content-Encoding", "gzip");
    let answer = request.send(&app).await;
    assert_eq!(answer.status, 200);
    let mut lines = answer.text().lines();
    let last: Value = serde_json::from_str(lines.next_back().unwrap()).unwrap();
    let summary = &last["summary"];
    let numbers = ["refused", "receipts_omitted", "created"].map(|name| &summary[name]);
    assert_eq!(numbers, [100_003, 3, 1]);
    assert_eq!(summary["complete"], true);
    assert_eq!(lines.count(), 100_000);
}

#[tokio::test]
async fn a_body_that_breaks_off_is_not_complete() {
    let app = TestApp::spawn_with(|settings| settings.timeouts = QUICK);
    let token = app.writer().await;
    let first = line("a", &posting());
    let chunk = format!("{:x}\r\n{first}\r\n", first.len());
    let sized = ("Content-Length", "1000000", first.clone());
    let chunked = ("Transfer-Encoding", "chunked", chunk.clone());
    let begin = async |(name, value, body): (&str, &str, String)| {
        let request = import(&token, IMPORTS, "").header(name, value);
        let mut connection = app.connect().await;
        connection.write(request.head().as_bytes()).await;
        connection.write(body.as_bytes()).await;
        connection
    };
    for body in [sized.clone(), chunked.clone()] {
        let mut connection = begin(body.clone()).await;
        connection.end().await;
        let answer = connection.read(false).await;
        assert_eq!((answer.status, counted(&summary(&answer)).2), (400, false));
        let answer = begin(body).await.read(false).await;
        assert_eq!(answer.status, 408, "{answer:?}");
        assert_eq!(counted(&summary(&answer)), (1, 0, false));
    }
    for body in [sized, chunked] {
        drop(begin(body).await);
    }
    let deadline = Instant::now() + Duration::from_secs(10);
    while app.backend.imports.load(Ordering::SeqCst) > 0 {
        assert!(
            Instant::now() < deadline,
            "an import outlives its connection"
        );
        sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn an_import_that_cannot_go_on_has_the_receipts_so_far() {
    let app = TestApp::spawn();
    let token = app.writer().await;
    let body = ["a", "fault:unavailable", "b"].map(|id| line(id, &posting()));
    let target = format!("{IMPORTS}?receipts=all");
    let answer = import(&token, &target, body.concat()).send(&app).await;
    assert_eq!(answer.status, 503);
    assert!(answer.header("Retry-After").is_some());
    let lines = lines(&answer);
    assert_eq!(
        (&lines[0]["outcome"], &lines[1]["outcome"]),
        (&json!("created"), &json!("failed"))
    );
    assert_eq!(lines[1]["status"], 503);
    assert_eq!(counted(&lines[2]["summary"]), (2, 1, false));
    assert!(!answer.text().contains(support::INTERNALS));
}

#[tokio::test]
async fn a_client_is_checked_before_its_body() {
    let app = TestApp::spawn();
    let reader = app.token(&[Scope::JobPostingsRead]).await;
    for (token, status) in [("none", 401), (&*reader, 403)] {
        for target in [IMPORTS, "/api/job-board/catalogues/x"] {
            let request = import(token, target, "").header("Content-Length", "100");
            let mut connection = app.connect().await;
            let head = request.header("Expect", "100-continue").head();
            connection.write(head.as_bytes()).await;
            assert_eq!(connection.read(false).await.status, status, "{target}");
        }
    }
    let token = app.writer().await;
    let body = line("a", &posting());
    let request = import(&token, IMPORTS, "")
        .header("Content-Length", &body.len().to_string())
        .header("Expect", "100-continue");
    let mut connection = app.connect().await;
    connection.write(request.head().as_bytes()).await;
    assert!(connection.is_told_to_continue().await);
    connection.write(body.as_bytes()).await;
    assert_eq!(connection.read(false).await.status, 200);
}

#[tokio::test]
async fn an_import_waits_for_the_limit_of_its_client() {
    let app = TestApp::spawn();
    let (_, token) = app
        .client(|client| client.requests_per_minute = NonZeroU32::new(60))
        .await;
    let body: String = (0..60)
        .map(|n| line(&format!("n{n}"), &posting()))
        .collect();
    let began = Instant::now();
    let answer = import(&token, IMPORTS, body).send(&app).await;
    // The request and its lines are 61.
    assert!(
        began.elapsed() >= Duration::from_millis(500),
        "{:?}",
        began.elapsed()
    );
    assert_eq!(counted(&summary(&answer)), (60, 60, true));
    assert_eq!(
        answer.header("RateLimit-Policy"),
        Some("\"client\";q=60;w=60")
    );
    let left = answer.header("RateLimit").unwrap();
    assert!(left.starts_with("\"client\";r=0;"), "{left}");
}

#[tokio::test]
async fn a_client_has_few_imports_at_a_time() {
    let app = TestApp::spawn();
    let token = app.writer().await;
    let mut held = Vec::new();
    for _ in 0..4 {
        let request = import(&token, IMPORTS, "").header("Content-Length", "100");
        let mut connection = app.connect().await;
        connection.write(request.head().as_bytes()).await;
        held.push(connection);
    }
    while app.backend.imports.load(Ordering::SeqCst) < 4 {
        sleep(Duration::from_millis(5)).await;
    }
    let refused = import(&token, IMPORTS, "").send(&app).await;
    assert_eq!(refused.status, 429);
    assert!(refused.header("Retry-After").is_some());
    let other = app.writer().await;
    assert_eq!(import(&other, IMPORTS, "").send(&app).await.status, 200);
}

#[tokio::test]
async fn imports_that_wait_for_their_limit_have_places_too() {
    let app = TestApp::spawn();
    let (_, token) = app
        .client(|client| client.requests_per_minute = NonZeroU32::new(1))
        .await;
    // The token was the one request.
    let mut waiting = Vec::new();
    for _ in 0..4 {
        let mut connection = app.connect().await;
        let head = import(&token, IMPORTS, "").head();
        connection.write(head.as_bytes()).await;
        waiting.push(connection);
    }
    sleep(Duration::from_millis(300)).await;
    let refused = import(&token, IMPORTS, "").send(&app).await;
    assert_eq!(refused.status, 429);
    assert!(refused.message().contains("under way"), "{refused:?}");
}
