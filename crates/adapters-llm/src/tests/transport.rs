//! Connections that are refused, slow, hanging or cut.

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};

use super::*;

/// What a server does once it has said its bytes.
#[derive(Clone, Copy)]
enum Then {
    Close,
    Hang,
}

/// The address of a server that reads a request's head, says these bytes, and then closes or hangs.
async fn server(bytes: &'static str, then: Then) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(stream.read_u8().await.unwrap());
            }
            stream.write_all(bytes.as_bytes()).await.unwrap();
            if let Then::Close = then {
                stream.shutdown().await.unwrap();
            }
            // Close only after the other side, or it might be a reset.
            let mut rest = Vec::new();
            _ = stream.read_to_end(&mut rest).await;
        }
    });
    format!("http://127.0.0.1:{port}/v1")
}

async fn said_by(base_url: &str, timeout: Duration) -> Result<Draft, DraftError> {
    let model = model_with(base_url, |settings| settings.timeout = timeout);
    draft_of(&input(), &model).await
}

async fn trouble_of(base_url: &str) -> String {
    let (message, after) = unavailable(said_by(base_url, LONG).await);
    assert_eq!(after, None);
    message
}

const LONG: Duration = Duration::from_mins(1);
const SHORT: Duration = Duration::from_millis(100);

#[tokio::test]
async fn a_refused_connection_is_the_endpoints_trouble() {
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let message = trouble_of(&format!("http://127.0.0.1:{port}/v1?key=hidden")).await;
    assert!(message.contains("refused"), "{message}");
    assert!(!message.contains("hidden"), "{message}");
}

#[tokio::test]
async fn a_connection_that_is_cut_is_the_endpoints_trouble() {
    for bytes in ["", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Le"] {
        let message = trouble_of(&server(bytes, Then::Close).await).await;
        assert!(
            message.starts_with("no answer from the model: "),
            "{message}"
        );
    }
    let half = "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{\"choices\":";
    let message = trouble_of(&server(half, Then::Close).await).await;
    let expect = "the model's answer (200 OK) broke off: ";
    assert!(message.starts_with(expect), "{message}");
}

#[tokio::test]
async fn a_connection_that_hangs_is_given_up() {
    let message = retry(said_by(&server("", Then::Hang).await, SHORT).await);
    assert_eq!(message, "no answer from the model: not in time (0.1 s)");
    let half = "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{\"choices\":";
    let message = retry(said_by(&server(half, Then::Hang).await, SHORT).await);
    assert_eq!(
        message,
        "the model's answer (200 OK) broke off: not in time (0.1 s)"
    );
}

#[tokio::test]
async fn a_slow_answer_gets_more_time_twice_and_is_then_given_up() {
    let slow = ok(&saying(&approval().to_string())).set_delay(LONG);
    let (_, server) = answering(slow).await;
    let model = model_with(&server.uri(), |settings| settings.timeout = SHORT);
    for within in ["0.1", "0.2"] {
        let message = retry(draft_of(&input(), &model).await);
        assert!(message.ends_with(&format!("({within} s)")), "{message}");
    }
    let message = permanent(draft_of(&input(), &model).await);
    assert_eq!(message, "no answer from the model: not in time (0.4 s)");
}

#[tokio::test]
async fn an_answer_without_end_is_none() {
    let body = "x".repeat(4 * 1024 * 1024 + 1);
    let answer = ResponseTemplate::new(200).set_body_string(body);
    let (message, _) = unavailable(said_of(answer).await);
    assert_eq!(message, "the model's answer (200 OK) is too long");
}

#[tokio::test]
async fn a_call_is_one_request() {
    for status in [200, 401, 408, 429, 500, 503] {
        let (model, server) = answering(ResponseTemplate::new(status)).await;
        draft_of(&input(), &model).await.unwrap_err();
        only_request(&server).await;
    }
}
