use std::{sync::atomic::Ordering, time::Duration};

use access::Scope;
use domain::posting::moderation::Moderation;
use kernel::event::EventLog;
use serde_json::{Value, json};
use time::OffsetDateTime;
use tokio::time::{sleep, timeout};

use crate::support::{Connection, Request, TestApp, check, posting, push, request};

const PATH: &str = "/api/job-board/events";

const WAIT: &str = "after=latest&wait=30";

const SOON: Duration = Duration::from_secs(10);

fn get(token: &str, query: &str) -> Request {
    request("GET", &format!("{PATH}?{query}")).token(token)
}

async fn page(app: &TestApp, token: &str, query: &str) -> Value {
    let response = get(token, query).send(app).await;
    assert_eq!(response.status, 200, "{query}: {response:?}");
    response.json()
}

fn types(page: &Value) -> Vec<&str> {
    let events = page["data"].as_array().unwrap();
    let types = events.iter().map(|event| event["type"].as_str().unwrap());
    types.collect()
}

async fn wait(app: &TestApp, token: &str, others: usize) -> Connection {
    let mut connection = app.connect().await;
    connection.write(get(token, WAIT).head().as_bytes()).await;
    followed_by(app, others + 1).await;
    connection
}

async fn followed_by(app: &TestApp, readers: usize) {
    let followers = &app.backend.followers;
    let all = async {
        while followers.load(Ordering::SeqCst) != readers {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(SOON, all).await.expect("as many readers");
}

#[tokio::test]
async fn a_walk_shows_what_happened() {
    let (app, token) = TestApp::with_writer().await;
    let reader = app.token(&[Scope::JobPostingsRead]).await;
    let nothing = page(&app, &reader, "").await;
    assert_eq!(nothing["data"], json!([]));

    let uuid = push(&app, &token, "one", &posting()).await;
    app.backend.moderate("one", Moderation::Approve).await;
    push(&app, &token, "one", &json!({"company": {"name": "New"}})).await;

    let response = get(&reader, "").send(&app).await;
    assert_eq!(response.header("Cache-Control"), Some("no-store"));
    let all = response.json();
    assert_eq!(
        types(&all),
        ["JobPostingCreated", "JobPostingApproved", "CompanyUpdated"]
    );
    let approved = &all["data"][1];
    let data = json!({"uuid": uuid, "unique_source_identifier": "one", "version": 2,
        "status": "approved", "status_reason": null, "code": "operator", "automated": false});
    assert_eq!(approved["data"], data);
    assert!(approved["timestamp"].as_str().unwrap().ends_with('Z'));
    assert_eq!(all["data"][2]["id"], all["next_cursor"]);

    let (mut after, mut walk) = (String::new(), Vec::new());
    loop {
        let next = page(&app, &reader, &format!("limit=1{after}")).await;
        let events = next["data"].as_array().unwrap();
        let cursor = format!("&after={}", next["next_cursor"].as_str().unwrap());
        if events.is_empty() {
            assert_eq!(cursor, after, "the end");
            break;
        }
        walk.extend(events.clone());
        after = cursor;
    }
    assert_eq!(json!(walk), all["data"]);

    let some = page(&app, &reader, "types=CompanyUpdated,JobPostingApproved").await;
    assert_eq!(types(&some), ["JobPostingApproved", "CompanyUpdated"]);
    let latest = page(&app, &reader, "after=latest").await;
    assert_eq!(
        latest,
        json!({"data": [], "next_cursor": all["next_cursor"]})
    );
}

#[tokio::test]
async fn an_answer_waits_for_an_event() {
    let (app, token) = TestApp::with_writer().await;
    push(&app, &token, "before", &posting()).await;
    let mut waiting = wait(&app, &token, 0).await;
    push(&app, &token, "after", &posting()).await;
    let answer = waiting.read(false).await.json();
    assert_eq!(types(&answer), ["JobPostingCreated"]);
    let data = &answer["data"][0]["data"];
    assert_eq!(data["unique_source_identifier"], "after");
}

#[tokio::test]
async fn nothing_waits_for_a_client_that_hung_up() {
    let (app, token) = TestApp::with_writer().await;
    let waiting = wait(&app, &token, 0).await;
    drop(waiting);
    followed_by(&app, 0).await;
}

#[tokio::test]
async fn a_client_has_64_waits_at_a_time() {
    let (app, token) = TestApp::with_writer().await;
    let mut waiting = Vec::new();
    for others in 0..64 {
        waiting.push(wait(&app, &token, others).await);
    }
    let refused = get(&token, WAIT).send(&app).await;
    assert_eq!(
        (refused.status, refused.header("Retry-After")),
        (429, Some("1"))
    );
    // Requests that do not wait take no place.
    page(&app, &token, "").await;
    drop(waiting.pop());
    followed_by(&app, 63).await;
    wait(&app, &token, 63).await;
}

#[tokio::test]
async fn a_stop_is_not_held_up() {
    let (app, token) = TestApp::with_writer().await;
    let mut waiting = wait(&app, &token, 0).await;
    let stop = app.stop.clone();
    let stopping = tokio::spawn(async move { stop.stop().await });
    let answer = waiting.read(false).await;
    assert_eq!(answer.json()["data"], json!([]));
    timeout(SOON, stopping).await.expect("it ends").unwrap();
}

#[tokio::test]
async fn wrong_requests_are_refused() {
    let (app, token) = TestApp::with_writer().await;
    push(&app, &token, "one", &posting()).await;
    let first = page(&app, &token, "limit=1").await;
    push(&app, &token, "two", &posting()).await;
    let tomorrow = OffsetDateTime::now_utc() + time::Duration::days(1);
    app.backend.store.forget(tomorrow, 100).await.unwrap();
    let table = format!(
        "
        GET ?after=x      |  | 422 | after is not a cursor
        GET ?after={gone} |  | 410 | no longer kept
        ",
        gone = first["next_cursor"].as_str().unwrap()
    );
    check(&app, Some(&token), PATH, &table).await;
    assert_eq!(page(&app, &token, "").await["data"], json!([]));

    app.backend.log_is_away.store(true, Ordering::SeqCst);
    let table = "
        GET ?             |  | 503 |  | Retry-After: 5
        GET ?after=latest |  | 503 |  | Retry-After: 5
        GET ?wait=30      |  | 503 |  | Retry-After: 5
        ";
    check(&app, Some(&token), PATH, table).await;
}
