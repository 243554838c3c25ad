//! The export. Its lines are those of the list, and its end shows whether it is complete.

use std::sync::atomic::Ordering;

use access::Scope;
use domain::posting::moderation::Moderation;
use serde_json::Value;

use crate::support::{self, Request, Response, TestApp, check, posting, push, request};

const PATH: &str = "/api/job-board/export";

fn get(token: &str, query: &str) -> Request {
    request("GET", &format!("{PATH}?{query}")).token(token)
}

async fn export(app: &TestApp, token: &str, query: &str) -> (Response, Vec<Value>) {
    let response = get(token, query).send(app).await;
    assert_eq!(response.status, 200, "{query}: {response:?}");
    let lines = response.text().lines();
    let postings = lines.map(|line| serde_json::from_str(line).unwrap());
    let postings = postings.collect();
    (response, postings)
}

#[tokio::test]
async fn every_posting_is_a_line_as_in_the_list() {
    let (app, token) = TestApp::with_writer().await;
    let (response, nothing) = export(&app, &token, "").await;
    assert_eq!(nothing, [Value::Null; 0]);
    assert_eq!(
        response.header("Content-Type"),
        Some("application/x-ndjson")
    );
    assert_eq!(response.header("Cache-Control"), Some("no-store"));

    for n in 0..3 {
        push(&app, &token, &format!("n{n}"), &posting()).await;
    }
    app.backend.moderate("n1", Moderation::Approve).await;
    *app.backend.export_pages.lock().unwrap() = Some(usize::MAX);
    let (response, all) = export(&app, &token, "").await;
    *app.backend.export_pages.lock().unwrap() = None;
    let list = app.get(&token, support::PATH).await.json();
    let mut listed = list["data"].as_array().unwrap().clone();
    listed.sort_by_key(|posting| posting["uuid"].to_string());
    assert_eq!(all, listed);

    let reader = app.token(&[Scope::JobPostingsRead]).await;
    let (_, approved) = export(&app, &reader, "status=approved&texts=redacted").await;
    assert_eq!(approved.len(), 1);
    assert_eq!(approved[0]["unique_source_identifier"], "n1");
    assert_eq!(approved[0].get("raw_description"), None);

    // Later changes are among the events.
    let cursor = response.header("Posthaste-Events-Cursor").unwrap();
    push(&app, &token, "later", &posting()).await;
    let events = format!("/api/job-board/events?after={cursor}");
    let events = app.get(&token, &events).await.json();
    assert_eq!(events["data"].as_array().unwrap().len(), 1);
    let later = &events["data"][0]["data"];
    assert_eq!(later["unique_source_identifier"], "later");

    let head = request("HEAD", PATH).token(&token).send(&app).await;
    assert_eq!(head.status, 200);
    assert!(head.header("Posthaste-Events-Cursor").is_some());
}

#[tokio::test]
async fn an_export_that_breaks_off_does_not_end_properly() {
    let (app, token) = TestApp::with_writer().await;
    for n in 0..3 {
        push(&app, &token, &n.to_string(), &posting()).await;
    }
    let pages = |count| *app.backend.export_pages.lock().unwrap() = Some(count);

    for coding in ["identity", "gzip"] {
        pages(2);
        let mut connection = app.connect().await;
        let get = get(&token, "").header("Accept-Encoding", coding);
        connection.write(get.head().as_bytes()).await;
        let answer = connection.rest_of_bytes().await;
        assert!(answer.starts_with(b"HTTP/1.1 200"));
        assert!(!answer.ends_with(b"\r\n0\r\n\r\n"), "{coding}");
    }

    pages(0);
    check(&app, Some(&token), PATH, "GET ? | | 503 | | Retry-After: 5").await;
}

#[tokio::test]
async fn wrong_requests_are_refused() {
    let (app, token) = TestApp::with_writer().await;
    let table = "
        GET ?status=open |  | 422 | must be one of PendingEnrichment
        GET ?texts=some  |  | 422 | must be one of all, redacted, none
        GET ?form=xml    |  | 422 | form must be one of json, jsonld.
        ";
    check(&app, Some(&token), PATH, table).await;
    app.backend.log_is_away.store(true, Ordering::SeqCst);
    check(&app, Some(&token), PATH, "GET ? | | 503 | | Retry-After: 5").await;

    // In HTTP/1.0, the end of the connection would look like the end of the answer.
    let mut connection = app.connect().await;
    let head = get(&token, "").head().replace("HTTP/1.1", "HTTP/1.0");
    connection.write(head.as_bytes()).await;
    let answer = connection.read(false).await;
    assert_eq!(answer.status, 505, "{answer:?}");
    assert!(answer.message().contains("HTTP/1.1"), "{answer:?}");
}
