//! Imports: receipts in order, and bodies of every kind.

use std::{
    num::NonZeroU32,
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use async_compression::tokio::bufread::{GzipEncoder, ZstdEncoder};
use kernel::Prefixes;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _},
    time::sleep,
};

use crate::support::{
    self, IMPORT_LIMIT, QUICK, Request, Response, TestApp, check, posting, request,
};

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
        .map(|of| json!([of["line"], of["outcome"], of["status"]]))
        .collect();
    let expect = json!([
        [1, "created", 201],
        [3, "refused", 403],
        [4, "unchanged", 200],
        [5, "refused", 400],
        [6, "refused", 422],
        [7, "refused", 404],
        [8, "failed", 500],
        [9, "updated", 200],
        [10, "refused", 413],
        [11, "expired", 200],
        [12, "reopened", 200],
    ]);
    assert_eq!(json!(shown), expect);
    let posting = app.get(&token, &format!("{}/a1", support::PATH)).await;
    let posting = posting.json()["data"].take();
    assert_eq!(
        all[0],
        json!({"line": 1, "id": "a1", "outcome": "created", "status": 201, "uuid": posting["uuid"]})
    );
    assert_eq!((&all[3]["id"], all[3].get("uuid")), (&Value::Null, None));
    let wrong = json!(["must be a string, not a number"]);
    assert_eq!(all[4]["errors"]["title"], wrong);
    for (n, part) in [(1, "begin with"), (3, "The line is not valid JSON: ")] {
        assert!(
            all[n]["message"].as_str().unwrap().contains(part),
            "{}",
            all[n]
        );
    }
    assert!(!answer.text().contains(support::INTERNALS));

    let answer = import(&token, IMPORTS, body.concat()).send(&app).await;
    let refused = lines(&answer).len() - 1;
    assert_eq!(
        refused, 6,
        "without a wish, lines that were taken have none"
    );
    // The activity shows refused lines like other refused pushes.
    let activity = app.get(&token, "/api/job-board/integration").await.json();
    let newest = activity["data"]["refusals"][0]["request_id"].as_str();
    assert_eq!(newest, answer.header("X-Request-Id"));
}

#[tokio::test]
async fn receipts_and_summary_have_the_notices() {
    let (app, token) = TestApp::with_writer().await;
    let mut body = posting();
    body["titel"] = "T".into();
    let body = line("a", &body);
    let field = json!({"code": "unknown_field", "field": "titel", "nearest": "title",
        "message": "titel is not a known field, and was left out; the nearest one is title."});
    // The third time, the line is recognised as unchanged.
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
    let (app, token) = TestApp::with_writer().await;
    let body = line("a", &posting());
    let dry = format!("{IMPORTS}?receipts=all&dry_run=true");
    let answer = import(&token, &dry, &*body).send(&app).await;
    assert_eq!(
        lines(&answer)[0],
        json!({"line": 1, "id": "a", "outcome": "created", "status": 201, "uuid": null})
    );
    let preview = format!("{IMPORTS}?dry_run=true");
    let preview = import(&token, &preview, &*body).header("Prefer", "return=representation");
    let answer = preview.send(&app).await;
    let receipt = lines(&answer)[0].clone();
    assert_eq!(receipt["preview"]["verdict"]["by"], "rules", "{receipt}");
    assert_eq!(receipt["preview"].get("json_ld"), None, "{receipt}");
    let written = app.get(&token, &format!("{}/a", support::PATH)).await;
    assert_eq!(written.status, 404);

    let misspelt = line("a", &json!({"tittle": "T"}));
    let strict = import(&token, IMPORTS, &*misspelt).header("Prefer", "handling=strict");
    let answer = strict.send(&app).await;
    assert_eq!(answer.header("Preference-Applied"), Some("handling=strict"));
    assert!(lines(&answer)[0]["errors"].get("tittle").is_some());

    let wrong = line("a", &json!({"title": "T", "location_country_code": "UK"}));
    let lenient = format!("{IMPORTS}?receipts=all&dry_run=true");
    let lenient = import(&token, &lenient, &*wrong).header("Prefer", "handling=lenient");
    let answer = lenient.send(&app).await;
    assert_eq!(
        answer.header("Preference-Applied"),
        Some("handling=lenient")
    );
    let errors = lines(&answer)[0]["errors"].clone();
    assert_eq!(errors.get("location_country_code"), None, "{errors}");

    let table = "
        POST ?receipts=some |                      | 422 | receipts must be all or refused
        POST ?dry_run=1     |                      | 422 | dry_run must be true or false
        POST ?max_missing=1 |                      | 422 | max_missing is not a known parameter
        POST ?misses=1      |                      | 422 | misses is not a known parameter
        POST                | application/json: {} | 415 | application/x-ndjson
        POST ; Content-Encoding: br |                      | 415 |  | Accept-Encoding: gzip, zstd, identity
        ";
    check(&app, Some(&token), IMPORTS, table).await;
}

async fn packed(mut encoder: impl AsyncRead + Unpin) -> Vec<u8> {
    let mut packed = Vec::new();
    encoder.read_to_end(&mut packed).await.unwrap();
    packed
}

async fn gzip(text: &str) -> Vec<u8> {
    packed(GzipEncoder::new(text.as_bytes())).await
}

async fn zstd(text: &str) -> Vec<u8> {
    packed(ZstdEncoder::new(text.as_bytes())).await
}

#[tokio::test]
async fn bodies_are_unpacked() {
    let (app, token) = TestApp::with_writer().await;
    let [one, two] = ["a", "b"].map(|id| line(id, &posting()));
    let [gzip_one, gzip_two] = [gzip(&one).await, gzip(&two).await];
    let [zstd_one, zstd_two] = [zstd(&one).await, zstd(&two).await];
    let cut = |packed: &[u8]| packed[..packed.len() - 3].to_vec();
    let both = |one: &[u8], two: &[u8]| [one, two].concat();
    for (encoding, body, status, most) in [
        ("identity", both(one.as_bytes(), two.as_bytes()), 200, 2),
        ("identity", Vec::new(), 200, 0),
        ("gzip", both(&gzip_one, &gzip_two), 200, 2),
        ("GZIP", gzip_one.clone(), 200, 1),
        ("zstd", both(&zstd_one, &zstd_two), 200, 2),
        ("gzip", cut(&gzip_one), 400, 1),
        ("gzip", both(&gzip_one, &cut(&gzip_two)), 400, 2),
        ("zstd", cut(&zstd_one), 400, 0),
        ("gzip", both(&gzip_one, b"rest"), 400, 1),
        ("gzip", one.clone().into_bytes(), 400, 0),
        ("zstd", gzip_one.clone(), 400, 0),
    ] {
        let request = import(&token, IMPORTS, body).header("Content-Encoding", encoding);
        let answer = request.send(&app).await;
        assert_eq!(answer.status, status, "{encoding}: {answer:?}");
        let summary = summary(&answer);
        let (lines, _, is_complete) = counted(&summary);
        // Lines that were unpacked before the break may or may not count.
        assert!(
            lines == most || status != 200 && lines <= most,
            "{encoding}: {summary}"
        );
        assert_eq!(is_complete, status == 200, "{encoding}: {summary}");
        assert_eq!(summary.get("message").is_some(), !is_complete);
    }
    // `curl -T` sends no type.
    let untyped = request("POST", IMPORTS).token(&token).body(one);
    assert_eq!(untyped.send(&app).await.status, 200);
}

#[tokio::test]
async fn an_import_has_a_largest_size() {
    let (app, token) = TestApp::with_writer().await;
    let limit = usize::try_from(IMPORT_LIMIT).unwrap();
    let announced = import(&token, IMPORTS, "").header("Content-Length", &(limit + 1).to_string());
    assert_eq!(announced.send(&app).await.status, 413);

    let blank = " ".repeat(255) + "\n";
    let body = gzip(&(line("a", &posting()) + &blank.repeat(limit / blank.len()))).await;
    let request = import(&token, IMPORTS, body).header("Content-Encoding", "gzip");
    let answer = request.send(&app).await;
    assert_eq!(answer.status, 413, "{answer:?}");
    let summary = summary(&answer);
    assert_eq!(counted(&summary), (1, 1, false));
    let message = "The import is too large; at most 4194304 bytes are accepted, unpacked.";
    assert_eq!(summary["message"], message);
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
    let (app, token) = TestApp::with_writer().await;
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
async fn an_import_waits_for_the_limit_of_its_client() {
    let app = TestApp::spawn();
    let (_, token) = app
        .client(|client| client.requests_per_minute = NonZeroU32::new(60))
        .await;
    let body = (0..60).map(|n| line(&format!("n{n}"), &posting()));
    let began = Instant::now();
    let answer = import(&token, IMPORTS, body.collect::<String>());
    let answer = answer.send(&app).await;
    // The import counts 61 times: for its request and its 60 lines.
    let took = began.elapsed();
    assert!(took >= Duration::from_millis(500), "{took:?}");
    assert_eq!(counted(&summary(&answer)), (60, 60, true));
    assert_eq!(
        answer.header("RateLimit-Policy"),
        Some("\"client\";q=60;w=60")
    );
    let left = answer.header("RateLimit").unwrap();
    assert!(left.starts_with("\"client\";r=0;"), "{left}");
}

#[tokio::test]
async fn imports_that_wait_for_their_limit_have_places_too() {
    let app = TestApp::spawn();
    let (_, token) = app
        .client(|client| client.requests_per_minute = NonZeroU32::new(1))
        .await;
    // The token request has used up the limit.
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
