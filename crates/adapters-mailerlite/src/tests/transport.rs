use std::time::Instant;

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};

use super::*;

async fn saying(bytes: &'static str) -> MailerLite {
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
            stream.shutdown().await.unwrap();
            // This server closes after the client: an earlier close could become a reset.
            let mut rest = Vec::new();
            _ = stream.read_to_end(&mut rest).await;
        }
    });
    provider(&format!("http://127.0.0.1:{port}/api"))
}

fn retry(error: ProviderError) -> String {
    match error {
        ProviderError::Retry {
            message,
            after: None,
        } => message,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn half_an_answer_is_none() {
    for status in ["200 OK", "401 No", "404 Nobody", "422 No"] {
        let bytes = format!("HTTP/1.1 {status}\r\nContent-Length: 500\r\n\r\n{{\"data\":");
        let provider = saying(bytes.leak()).await;
        let message = retry(said_by(&provider).await.error());
        assert!(message.contains("broke off"), "{message}");
    }
}

#[tokio::test]
async fn an_answer_without_end_is_none() {
    let body = "x".repeat(4 * 1024 * 1024 + 1);
    let error = said_of(ResponseTemplate::new(400).set_body_string(body)).await;
    let message = retry(error.error());
    assert!(message.ends_with("is too long"), "{message}");
}

#[tokio::test]
async fn a_slow_answer_is_not_waited_for() {
    let slow = ResponseTemplate::new(204).set_delay(Duration::from_mins(1));
    let (_, server) = answering(slow).await;
    let timeouts = Timeouts {
        answer: Duration::from_millis(50),
        ..TIMEOUTS
    };
    let provider = MailerLite::with_timeouts(&settings(&server.uri()), timeouts).unwrap();
    let message = retry(said_by(&provider).await.error());
    let expect = "new account: no answer from the provider: the answer timed out";
    assert_eq!(message, expect);
}

#[tokio::test]
async fn a_call_is_one_request_and_no_redirect_is_followed() {
    let elsewhere = MockServer::start().await;
    for status in [200, 301, 307, 401, 408, 429, 503] {
        let answer = ResponseTemplate::new(status).insert_header("Location", elsewhere.uri());
        let (provider, server) = answering(answer).await;
        let result = provider.find(Account::New, &profile().email).await;
        assert!(result.is_err(), "{status}");
        only_request(&server).await;
    }
    assert_eq!(elsewhere.received_requests().await.unwrap().len(), 0);
}

#[tokio::test]
async fn every_request_waits_for_the_limit() {
    let (_, server) = answering(ResponseTemplate::new(204)).await;
    let mut settings = settings(&server.uri());
    settings.requests_per_minute = 1200.try_into().unwrap();
    let provider = MailerLite::with_timeouts(&settings, TIMEOUTS).unwrap();
    let start = Instant::now();
    said_by(&provider).await;
    // Three calls, and two gaps between them.
    let elapsed = start.elapsed();
    assert!(elapsed >= Duration::from_millis(100), "{elapsed:?}");
}
