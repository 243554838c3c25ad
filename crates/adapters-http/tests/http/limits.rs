//! Tests that no client can fill the memory or use all connections of a process.

use std::time::Duration;

use tokio::{
    net::TcpSocket,
    time::{sleep, timeout},
};

use crate::support::{
    BODY_LIMIT, Connection, PATH, Request, Response, TestApp, posting, push, put, request,
};

/// This is so long that no deadline ends a waiting connection.
const EVER: Duration = Duration::from_mins(10);
const SOON: Duration = Duration::from_secs(8);

fn app(change: impl FnOnce(&mut adapters_http::HttpSettings)) -> TestApp {
    TestApp::spawn_with(|settings| {
        settings.timeouts.body = EVER;
        settings.timeouts.anonymous_body = EVER;
        settings.timeouts.head = EVER;
        settings.timeouts.keep_alive = EVER;
        settings.timeouts.linger = EVER;
        change(settings);
    })
}

async fn stall(app: &TestApp, request: &Request) -> Connection {
    let mut connection = app.connect().await;
    connection.try_write(request.head().as_bytes()).await;
    let body = request.content();
    connection.try_write(&body[..body.len() - 1]).await;
    connection
}

async fn until_not(status: u16, app: &TestApp, request: &Request) -> Response {
    let repeated = async {
        loop {
            let answer = request.send(app).await;
            if answer.status != status {
                return answer;
            }
            sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(SOON, repeated).await.expect("always the same")
}

fn large(token: &str, identifier: &str) -> Request {
    let mut large = posting();
    large["raw_description"] = "x".repeat(BODY_LIMIT - 1_000).into();
    put(token, identifier, &large)
}

#[tokio::test]
async fn a_client_has_few_requests_under_way_and_others_are_not_held_up() {
    let app = app(|settings| settings.client_requests = 2);
    let (token, other) = (app.writer().await, app.writer().await);
    let small = |token: &str| put(token, "small", &posting());
    let mut first = stall(&app, &small(&token)).await;
    let second = stall(&app, &small(&token)).await;
    let list = request("GET", PATH).token(&token);
    until_not(200, &app, &list).await;

    let refused = list.send(&app).await;
    assert_eq!(refused.status, 429);
    assert_eq!(refused.header("Retry-After"), Some("1"));
    assert!(refused.message().contains("too many"), "{refused:?}");
    let wait = request("GET", "/api/job-board/events?after=latest&wait=1").token(&token);
    assert_eq!(wait.send(&app).await.status, 429, "it begins as a request");
    assert_eq!(small(&other).send(&app).await.status, 201);

    // A place is free again when its client disconnects or its answer ends.
    drop(second);
    assert_eq!(until_not(429, &app, &list).await.status, 200);
    first.write(b"}").await;
    assert_eq!(first.read(false).await.status, 200);
    // While a request waits for events, others can use its place.
    let mut waiting = Vec::new();
    for _ in 0..4 {
        let long = request("GET", "/api/job-board/events?after=latest&wait=30").token(&token);
        let mut connection = app.connect().await;
        connection.write(long.head().as_bytes()).await;
        waiting.push(connection);
        assert_eq!(until_not(429, &app, &list).await.status, 200);
    }
}

#[tokio::test]
async fn an_answer_that_is_not_read_keeps_its_place_until_the_client_is_gone() {
    let app = app(|settings| settings.client_requests = 1);
    let (token, writer) = (app.writer().await, app.writer().await);
    for n in 0..100 {
        let large = large(&writer, &n.to_string());
        assert_eq!(large.send(&app).await.status, 201);
    }
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let address = app.connect().await.peer();
    let unread = socket.connect(address).await.unwrap();
    let list = request("GET", &format!("{PATH}?limit=100")).token(&token);
    unread.writable().await.unwrap();
    unread.try_write(list.head().as_bytes()).unwrap();
    let one = request("GET", &format!("{PATH}/0")).token(&token);
    assert_eq!(until_not(200, &app, &one).await.status, 429);
    drop(unread);
    assert_eq!(until_not(429, &app, &one).await.status, 200);
}

#[tokio::test]
async fn bodies_share_a_budget_that_is_returned_and_small_ones_find_room() {
    let app = app(|settings| settings.memory_budget = 16 * BODY_LIMIT);
    let (token, other) = (app.writer().await, app.writer().await);
    let large = |token: &str| large(token, "large");
    let mut stalled = Vec::new();
    // Uses three quarters of the client's half.
    for _ in 0..6 {
        stalled.push(stall(&app, &large(&token)).await);
    }
    let refused = until_not(200, &app, &large(&token)).await;
    assert_eq!(refused.status, 503);
    assert_eq!(refused.header("Retry-After"), Some("5"));
    assert!(refused.message().contains("for this client"), "{refused:?}");
    // Any list, however small, is refused before it is read.
    let list = request("GET", PATH).token(&token).send(&app).await;
    assert_eq!(list.status, 503);
    assert_eq!(push_status(&app, &token).await, 201);
    for _ in 0..6 {
        stalled.push(stall(&app, &large(&other)).await);
    }
    let refused = until_not(200, &app, &large(&other)).await;
    assert_eq!(refused.status, 503);
    assert_eq!(push_status(&app, &other).await, 200);
    // When a client closes its connections, the service frees what the client held.
    drop(stalled);
    for token in [&token, &other] {
        let answer = until_not(503, &app, &large(token)).await;
        assert!(matches!(answer.status, 200 | 201), "{answer:?}");
    }
}

async fn push_status(app: &TestApp, token: &str) -> u16 {
    put(token, "small", &posting()).send(app).await.status
}

#[tokio::test]
async fn strangers_share_the_budget_and_keep_no_client_out() {
    let app = app(|settings| settings.memory_budget = 16 * BODY_LIMIT);
    let (_, form) = app.credentials(|_| {}).await;
    let webhook = request("POST", "/api/webhooks/newsletter/update-subscriber-status")
        .header("Signature", &"a".repeat(64))
        .body("x".repeat(BODY_LIMIT - 1));
    let mut stalled = Vec::new();
    for _ in 0..20 {
        stalled.push(stall(&app, &webhook).await);
    }
    let mut refused = until_not(401, &app, &webhook).await;
    assert_eq!(refused.status, 503);
    refused = webhook.send(&app).await;
    assert_eq!(refused.header("Retry-After"), Some("5"));
    assert_eq!(app.ask_for_token(&form).await.status, 200);
    let token = app.writer().await;
    let answer = large(&token, "large").send(&app).await;
    assert_eq!(answer.status, 201, "{answer:?}");
}

#[tokio::test]
async fn health_checks_find_a_place_when_all_others_are_taken() {
    let app = app(|settings| settings.max_connections = 40);
    let token = app.writer().await;
    push(&app, &token, "small", &posting()).await;
    let admitted = put(&token, "small", &posting());
    let mut busy = stall(&app, &admitted).await;
    let of_token = request("POST", "/oauth/token").body("grant_type=client_credentials");
    let healthz = request("GET", "/healthz");
    let mut idle = Vec::new();
    for _ in 0..100 {
        let mut connection = app.connect().await;
        let answer = timeout(SOON, connection.exchange(&healthz)).await;
        assert_eq!(answer.expect("no place").status, 200);
        idle.push(connection);
    }
    // The connections that have waited longest are closed.
    for connection in &mut idle[..60] {
        assert!(connection.is_closed().await);
    }
    assert_eq!(idle[99].exchange(&healthz).await.status, 200);
    for stalling in [&admitted, &of_token, &put("none", "small", &posting())] {
        let mut stalled = Vec::new();
        for _ in 0..100 {
            stalled.push(stall(&app, stalling).await);
        }
        for probe in [&healthz, &request("GET", "/readyz")] {
            let answer = timeout(SOON, probe.send(&app)).await;
            assert_eq!(answer.expect("no place").status, 200);
        }
    }
    // The oldest connection belongs to a known client, so it keeps its place.
    busy.write(b"}").await;
    assert_eq!(busy.read(false).await.status, 200);
}
