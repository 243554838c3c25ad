use super::*;

async fn attempt_at(answer: &str, then: Then) -> Attempt {
    let receiver = Receiver::new(answer, then).await;
    let attempt = send(&local(), &receiver.url).await;
    assert_eq!(receiver.requests().len(), 1, "one request to {answer:?}");
    attempt
}

#[tokio::test]
async fn the_status_is_the_outcome() {
    let refused = |status, retry_after| Outcome::Refused {
        status,
        retry_after,
    };
    let minutes = Some(Duration::from_mins(2));
    for (status, header, expect) in [
        (200, "", Outcome::Delivered(200)),
        (299, "", Outcome::Delivered(299)),
        (410, "", Outcome::Gone),
        (429, "Retry-After: 120\r\n", refused(429, minutes)),
        (500, "", refused(500, None)),
    ] {
        let answer = format!("HTTP/1.1 {status} So\r\n{header}Content-Length: 0\r\n\r\n");
        let attempt = attempt_at(&answer, Then::Stays).await;
        assert_eq!(attempt.outcome, expect);
        assert_eq!(attempt.error.is_none(), expect.is_delivered());
    }
}

#[tokio::test]
async fn no_redirect_is_followed() {
    let elsewhere = Receiver::new("HTTP/1.1 200 OK\r\n\r\n", Then::Closes).await;
    for status in [301, 302, 303, 307, 308] {
        let location = elsewhere.url.as_str();
        let answer =
            format!("HTTP/1.1 {status} Go\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n");
        let outcome = attempt_at(&answer, Then::Stays).await.outcome;
        assert_eq!(outcome.status(), Some(status));
        assert!(!outcome.is_delivered(), "{status}");
    }
    assert_eq!(elsewhere.connections(), 0);
}

#[tokio::test]
async fn the_status_decides_without_the_body() {
    let endless = "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n";
    let receiver = Receiver::new(endless, Then::GoesOn).await;
    let client = local();
    for connections in 1..=2 {
        let outcome = send(&client, &receiver.url).await.outcome;
        assert_eq!(outcome, Outcome::Delivered(200));
        assert_eq!(receiver.connections(), connections, "not used again");
    }
    let cut = "HTTP/1.1 202 OK\r\nContent-Length: 500\r\n\r\n{";
    let outcome = attempt_at(cut, Then::Closes).await.outcome;
    assert_eq!(outcome, Outcome::Delivered(202));
    let garbled = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nmany\r\n";
    let outcome = attempt_at(garbled, Then::Closes).await.outcome;
    assert_eq!(outcome, Outcome::Delivered(200));
}

#[tokio::test]
async fn a_body_that_does_not_come_is_not_waited_for() {
    let late = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n";
    let receiver = Receiver::new(late, Then::Stays).await;
    let limits = Limits {
        rest: Duration::from_millis(20),
        ..PATIENT
    };
    let attempt = send(&client(PrivateAddresses::Allow, limits), &receiver.url).await;
    assert_eq!(attempt.outcome, Outcome::Delivered(200));
}

#[tokio::test]
async fn an_answer_that_is_not_http_is_broken() {
    for answer in [
        "SSH-2.0-OpenSSH\r\n",
        "HTTP/1.1 abc\r\n\r\n",
        "\0\u{1}\r\n\r\n",
    ] {
        let attempt = attempt_at(answer, Then::Closes).await;
        assert_eq!(reason(&attempt), Some(NoAnswer::Broken), "{attempt:?}");
    }
    let headers = "x: y\r\n".repeat(1_000);
    let attempt = attempt_at(&format!("HTTP/1.1 200 OK\r\n{headers}\r\n"), Then::Closes).await;
    assert_eq!(reason(&attempt), Some(NoAnswer::Broken), "{attempt:?}");
}

#[tokio::test]
async fn a_connection_that_is_refused_or_closed_is_no_answer() {
    for answer in ["", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Le"] {
        let attempt = attempt_at(answer, Then::Closes).await;
        assert_eq!(reason(&attempt), Some(NoAnswer::Connection), "{attempt:?}");
    }
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = stored(&format!("http://{}/", free.local_addr().unwrap()));
    drop(free);
    let attempt = send(&local(), &url).await;
    assert_eq!(reason(&attempt), Some(NoAnswer::Connection));
    let error = attempt.error.unwrap();
    assert!(
        error.contains("refused") && !error.contains(url.as_str()),
        "{error}"
    );
}

#[tokio::test]
async fn a_receiver_without_tls_is_none_over_https() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = stored(&format!("https://{}/", listener.local_addr().unwrap()));
    let receiver = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
        stream
    };
    let client = local();
    let (attempt, _stream) = tokio::join!(send(&client, &url), receiver);
    assert_eq!(reason(&attempt), Some(NoAnswer::Tls), "{attempt:?}");
}

#[tokio::test]
async fn a_receiver_that_does_not_answer_is_not_waited_for() {
    let receiver = Receiver::new("", Then::Stays).await;
    let limits = Limits {
        answer: Duration::from_millis(50),
        ..PATIENT
    };
    let attempt = send(&client(PrivateAddresses::Allow, limits), &receiver.url).await;
    assert_eq!(reason(&attempt), Some(NoAnswer::Timeout));
    assert!(attempt.duration >= limits.answer, "{attempt:?}");
}
