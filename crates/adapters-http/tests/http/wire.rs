//! Bytes of requests: refusals before the end of a body, streamed bodies, and consecutive requests.

use crate::support::{BODY_LIMIT, Connection, TestApp, posting, put, request};

async fn begin(app: &TestApp) -> Connection {
    let push = put(&app.writer().await, "x", &posting()).header("Transfer-Encoding", "chunked");
    let mut connection = app.connect().await;
    connection.write(push.head().as_bytes()).await;
    connection
}

#[tokio::test]
async fn a_body_may_be_this_long() {
    let (app, token) = TestApp::with_writer().await;
    let body = posting().to_string();
    for (size, status) in [(BODY_LIMIT, 201), (BODY_LIMIT + 1, 413)] {
        let padded = format!("{body}{}", " ".repeat(size - body.len()));
        let sized = put(&token, "limit", &posting()).body(padded);
        assert_eq!(sized.send(&app).await.status, status, "{size}");
    }
    let mut connection = begin(&app).await;
    let chunk = format!("{:x}\r\n{}\r\n", 1 << 10, "x".repeat(1 << 10));
    let body = chunk.repeat((BODY_LIMIT >> 10) + 1) + "0\r\n\r\n";
    connection.write(body.as_bytes()).await;
    assert_eq!(connection.read(false).await.status, 413);
    let health = connection.exchange(&request("GET", "/healthz")).await;
    assert_eq!(health.status, 200, "it is usable");
}

#[tokio::test]
async fn a_stream_in_small_pieces_is_read_and_a_broken_one_refused() {
    let app = TestApp::spawn();
    let mut connection = begin(&app).await;
    for piece in posting().to_string().as_bytes().chunks(7) {
        let chunk = [format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat();
        connection.write(&chunk).await;
    }
    connection.write(b"0\r\n\r\n").await;
    assert_eq!(connection.read(false).await.status, 201);

    let mut connection = begin(&app).await;
    connection.write(b"2\r\n{\"\r\nnonsense\r\n").await;
    let answer = connection.read(false).await;
    assert_eq!(answer.status, 400);
    assert!(answer.message().contains("transfer encoding"), "{answer:?}");
}
