//! Requests on the wire: early refusals, streamed bodies, requests sent in pieces.

use crate::support::{BODY_LIMIT, Connection, PATH, TestApp, posting, request};

async fn still_works(connection: &mut Connection) -> bool {
    connection
        .exchange(&request("GET", "/healthz"))
        .await
        .status
        == 200
}

/// Sends the head of a push with one more header.
async fn begin(app: &TestApp, (name, value): (&str, &str)) -> Connection {
    let head = request("PUT", &format!("{PATH}/x"))
        .token(&app.writer().await)
        .header("Content-Type", "application/json")
        .header(name, value)
        .head();
    let mut connection = app.connect().await;
    connection.write(head.as_bytes()).await;
    connection
}

#[tokio::test]
async fn a_refused_request_leaves_the_connection_usable() {
    let app = TestApp::spawn();
    let token = app.writer().await;
    let path = format!("{PATH}/x");
    let body = "x".repeat(4_000);
    let too_large = "x".repeat(BODY_LIMIT + 1);
    let json = |token: &str, body: &str| {
        request("PUT", &path)
            .token(token)
            .header("Content-Type", "application/json")
            .body(body)
    };
    let cases = [
        ("401", 401, json("nonsense", &body)),
        ("413", 413, json(&token, &too_large)),
        ("415", 415, request("PUT", &path).token(&token).body(&*body)),
        (
            "405",
            405,
            request("PATCH", &path).token(&token).body(&*body),
        ),
    ];
    let mut connection = app.connect().await;
    for (name, status, request) in cases {
        assert_eq!(connection.exchange(&request).await.status, status, "{name}");
        assert!(still_works(&mut connection).await, "{name}");
    }
}

#[tokio::test]
async fn a_stream_is_refused_once_it_is_too_long() {
    let app = TestApp::spawn();
    let mut connection = begin(&app, ("Transfer-Encoding", "chunked")).await;
    let chunk = format!("{:x}\r\n{}\r\n", 1 << 10, "x".repeat(1 << 10));
    for _ in 0..BODY_LIMIT >> 10 {
        connection.write(chunk.as_bytes()).await;
    }
    connection.write(chunk.as_bytes()).await;
    connection.write(b"0\r\n\r\n").await;
    assert_eq!(connection.read(false).await.status, 413);
    assert!(still_works(&mut connection).await);
}

#[tokio::test]
async fn a_stream_in_small_pieces_is_read() {
    let app = TestApp::spawn();
    let mut connection = begin(&app, ("Transfer-Encoding", "chunked")).await;
    for piece in posting().to_string().as_bytes().chunks(7) {
        let chunk = [format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat();
        connection.write(&chunk).await;
    }
    connection.write(b"0\r\n\r\n").await;
    assert_eq!(connection.read(false).await.status, 201);
}

#[tokio::test]
async fn the_limit_itself_is_accepted() {
    let app = TestApp::spawn();
    let token = app.writer().await;
    let body = posting().to_string();
    for (size, status) in [(BODY_LIMIT, 201), (BODY_LIMIT + 1, 413)] {
        let padded = format!("{body}{}", " ".repeat(size - body.len()));
        let request = request("PUT", &format!("{PATH}/limit"))
            .token(&token)
            .header("Content-Type", "application/json")
            .body(padded);
        assert_eq!(request.send(&app).await.status, status, "{size}");
    }
}

#[tokio::test]
async fn requests_in_a_row_are_answered_in_a_row() {
    let app = TestApp::spawn();
    let token = app.writer().await;
    let mut connection = app.connect().await;
    let mut bytes = Vec::new();
    for n in 0..5 {
        let body = posting().to_string();
        let put = request("PUT", &format!("{PATH}/row{n}"))
            .token(&token)
            .json(&posting());
        bytes.extend(put.head().bytes().chain(body.bytes()));
    }
    connection.write(&bytes).await;
    for _ in 0..5 {
        assert_eq!(connection.read(false).await.status, 201);
    }
}

#[tokio::test]
async fn a_broken_stream_is_refused() {
    let app = TestApp::spawn();
    let mut connection = begin(&app, ("Transfer-Encoding", "chunked")).await;
    connection.write(b"2\r\n{\"\r\nnonsense\r\n").await;
    let answer = connection.read(false).await;
    assert_eq!(answer.status, 400);
    assert!(answer.message().contains("transfer encoding"), "{answer:?}");
}
