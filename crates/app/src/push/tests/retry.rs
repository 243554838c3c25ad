//! Transient failures are retried; other failures are not.

use std::time::Instant;

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};

use super::*;

#[tokio::test]
async fn overload_and_failures_are_tried_again() {
    for status in [429, 500, 502, 503, 504, 408] {
        let server = service().await;
        put()
            .respond_with(answer(status))
            .up_to_n_times(2)
            .mount(&server)
            .await;
        put().respond_with(answer(201)).mount(&server).await;
        let (end, settled) = push(&server.uri(), &lines(&[("a", 0)]), 1).await;
        assert_eq!(end.unwrap(), End::Complete);
        assert_eq!(settled, [(1, "created".to_owned())], "{status}");
        assert_eq!(puts(&server).await.len(), 3, "{status}");
    }
}

#[tokio::test]
async fn retry_after_is_waited_for() {
    let server = service().await;
    let busy = answer(429).insert_header("Retry-After", "1");
    put()
        .respond_with(busy)
        .up_to_n_times(1)
        .mount(&server)
        .await;
    put().respond_with(answer(201)).mount(&server).await;
    let policy = RetryPolicy {
        limit: Duration::from_secs(5),
        ..POLICY
    };
    let url = server.uri().parse().unwrap();
    let sender = Sender::connect(&url, credentials(), 1, policy)
        .await
        .unwrap();
    let payload = serde_json::value::to_raw_value(&json!({})).unwrap();
    let started = Instant::now();
    let outcome = sender.send("a", &payload).await.unwrap();
    assert!(matches!(outcome, Outcome::Created));
    assert!(started.elapsed() >= Duration::from_secs(1));
}

#[tokio::test]
async fn refusals_are_not_tried_again() {
    for status in [400, 403, 404, 405, 409, 413, 415, 422] {
        let server = service().await;
        let body = json!({"message": "No."});
        put()
            .respond_with(ResponseTemplate::new(status).set_body_json(body))
            .mount(&server)
            .await;
        let (end, settled) = push(&server.uri(), &lines(&[("a", 0)]), 1).await;
        assert_eq!(end.unwrap(), End::Complete);
        assert_eq!(settled, [(1, "refused: No.".to_owned())], "{status}");
        assert_eq!(puts(&server).await.len(), 1, "{status}");
    }
}

#[tokio::test]
async fn one_line_that_keeps_failing_does_not_stop_the_others() {
    let server = service().await;
    Mock::given(path("/api/job-board/job-postings/bad"))
        .respond_with(answer(500))
        .mount(&server)
        .await;
    put().respond_with(answer(201)).mount(&server).await;
    let (end, settled) = push(
        &server.uri(),
        &lines(&[("bad", 0), ("bad", 1), ("a", 0)]),
        1,
    )
    .await;
    assert_eq!(end.unwrap(), End::Complete);
    let [(1, first), (2, second), (3, third)] = settled.as_slice() else {
        panic!("{settled:?}")
    };
    assert!(
        first.starts_with("failed: gave up after ") && first.contains("500"),
        "{first}"
    );
    assert!(second.starts_with("failed: gave up after "), "{second}");
    assert_eq!(third, "created");
}

#[tokio::test]
async fn a_service_that_does_not_answer_any_more_stops_the_run() {
    let server = service().await;
    put()
        .respond_with(answer(201))
        .up_to_n_times(1)
        .mount(&server)
        .await;
    put().respond_with(answer(503)).mount(&server).await;
    let many: Vec<_> = (0..500).map(|n| ("a", n)).collect();
    let (end, settled) = push(&server.uri(), &lines(&many), 1).await;
    let error = end.unwrap_err().to_string();
    assert!(
        error.contains("does not answer any more") && error.contains("503"),
        "{error}"
    );
    assert_eq!(
        settled.len(),
        2,
        "the line that was given up is reported: {settled:?}"
    );
}

#[tokio::test]
async fn a_lost_connection_is_tried_again() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let uri = format!("http://{}", listener.local_addr().unwrap());
    let service = tokio::spawn(async move {
        let mut pushes = 0;
        loop {
            let (mut connection, _) = listener.accept().await.unwrap();
            let mut buffer = vec![0; 8_192];
            let read = connection.read(&mut buffer).await.unwrap();
            let body = if buffer[..read].starts_with(b"POST") {
                r#"{"access_token":"T","token_type":"Bearer"}"#
            } else {
                pushes += 1;
                if pushes <= 2 {
                    // Hangs up without an answer, and later in the middle of the answer's head.
                    let part: &[u8] = if pushes == 1 { b"" } else { b"HTTP/1.1 20" };
                    connection.write_all(part).await.unwrap();
                    continue;
                }
                "{}"
            };
            let head = "HTTP/1.1 201 Created\r\nConnection: close\r\nContent-Length";
            let response = format!("{head}: {}\r\n\r\n{body}", body.len());
            connection.write_all(response.as_bytes()).await.unwrap();
            if pushes == 3 {
                return;
            }
        }
    });
    let (end, settled) = push(&uri, &lines(&[("a", 0)]), 1).await;
    assert_eq!(end.unwrap(), End::Complete);
    assert_eq!(settled, [(1, "created".to_owned())]);
    service.await.unwrap();
}

#[tokio::test]
async fn a_stop_ends_the_run_at_once() {
    let server = service().await;
    let slow = answer(201).set_delay(Duration::from_secs(30));
    put().respond_with(slow).mount(&server).await;
    let url = server.uri().parse().unwrap();
    let sender = Sender::connect(&url, credentials(), 4, POLICY)
        .await
        .unwrap();
    let input = read(Cursor::new(lines(&[("a", 0), ("b", 0)])));
    let stop = tokio::time::sleep(Duration::from_millis(50));
    let end = drive(input, Arc::new(sender), 4, stop, |_, _| {
        panic!("nothing is settled")
    })
    .await;
    assert_eq!(end.unwrap(), End::Stopped);
}
