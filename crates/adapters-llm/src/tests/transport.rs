use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};

use super::*;

const LONG: Duration = Duration::from_mins(1);
const SHORT: Duration = Duration::from_millis(100);

/// The result if a server reads a request's head, sends these bytes, and then closes or hangs.
async fn said_by(bytes: &'static str, hangs: bool) -> Result<Draft, DraftError> {
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
            if !hangs {
                stream.shutdown().await.unwrap();
            }
            // Wait for the client to close first. Otherwise closing could reset the connection.
            let mut rest = Vec::new();
            _ = stream.read_to_end(&mut rest).await;
        }
    });
    let model = model_with(&format!("http://127.0.0.1:{port}/v1"), |settings| {
        settings.timeout = if hangs { SHORT } else { LONG };
    });
    draft_of(&input(), &model).await
}

#[tokio::test]
async fn a_refused_connection_is_the_endpoints_trouble() {
    let model = model("http://127.0.0.1:1/v1?key=hidden");
    let (message, after) = unavailable(draft_of(&input(), &model).await);
    assert!(
        message.contains("refused") && !message.contains("hidden"),
        "{message}"
    );
    assert_eq!(after, None);
}

#[tokio::test]
async fn a_cut_connection_is_the_endpoints_failure_and_a_hanging_one_times_out() {
    let half = "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{\"choices\":";
    let (no_answer, broke_off) = (
        "no answer from the model: ",
        "the model's answer (200 OK) broke off: ",
    );
    for (bytes, expect) in [
        ("", no_answer),
        ("HTTP/1.1 200", no_answer),
        ("HTTP/1.1 200 OK\r\nContent-Le", no_answer),
        (half, broke_off),
    ] {
        let (message, _) = unavailable(said_by(bytes, false).await);
        assert!(message.starts_with(expect), "{message}");
    }
    for (bytes, expect) in [("", no_answer), (half, broke_off)] {
        let message = retry(said_by(bytes, true).await);
        assert_eq!(message, format!("{expect}the answer timed out (0.1 s)"));
    }
}

#[tokio::test]
async fn a_slow_answer_gets_more_time_twice_and_then_fails() {
    let slow = ok(&saying(&approval().to_string())).set_delay(LONG);
    let (_, server) = answering(slow).await;
    let model = model_with(&server.uri(), |settings| settings.timeout = SHORT);
    for within in ["0.1", "0.2"] {
        let message = retry(draft_of(&input(), &model).await);
        assert!(message.ends_with(&format!("({within} s)")), "{message}");
    }
    let message = permanent(draft_of(&input(), &model).await);
    assert_eq!(
        message,
        "no answer from the model: the answer timed out (0.4 s)"
    );
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
