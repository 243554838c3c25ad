//! Transient failures are retried; other failures are not.

use std::time::Instant;

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};

use super::*;

fn answer(status: u16) -> ResponseTemplate {
    ResponseTemplate::new(status).set_body_json(json!({"message": "No."}))
}

#[tokio::test]
async fn overload_and_failures_are_tried_again() {
    for status in [429, 500, 502, 503, 504, 408] {
        let setting = Setting::with(lines(["a", "b"])).await;
        setting.board.answers([answer(status), answer(status)]);
        assert_eq!(setting.counts().await, "2 created", "{status}");
        let requests = setting.requests().await;
        assert_eq!(requests.len(), 3, "{status}");
        assert!(
            requests
                .iter()
                .all(|request| request.body == requests[0].body)
        );
    }
}

#[tokio::test]
async fn an_import_that_is_not_complete_is_sent_again_and_each_line_counts_once() {
    let bad = "{\"id\":\"bad\",\"payload\":{\"salary_min\":2,\"salary_max\":1}}\n";
    let content = lines(["a", "b"]) + bad + &lines(["c", "d"]);
    for status in [503, 200] {
        let mut setting = Setting::with(&content).await;
        let breaks_off = |lines| Fault::BreaksOff(status, lines);
        setting
            .board
            .fails([breaks_off(3), breaks_off(0), breaks_off(4)]);
        assert_eq!(setting.counts().await, "4 created, 1 refused", "{status}");
        assert_eq!(setting.requests().await.len(), 4);
        assert_eq!(setting.counts().await, "4 unchanged, 1 refused");
        setting.board.fails([breaks_off(3)]);
        let rejects = setting.rejects().await;
        assert_eq!(rejects.len(), 1, "{rejects:?}");
    }
}

#[tokio::test]
async fn an_answer_without_its_end_is_not_believed() {
    let setting = Setting::with(lines(["a"])).await;
    let receipt = "{\"line\":1,\"id\":\"a\",\"outcome\":\"refused\",\"status\":422}\n";
    let cut = ResponseTemplate::new(200).set_body_raw(receipt, "application/x-ndjson");
    setting.board.answers([cut]);
    assert_eq!(setting.counts().await, "1 created");
}

#[tokio::test]
async fn retry_after_is_waited_for() {
    let mut setting = Setting::with(lines(["a"])).await;
    setting
        .board
        .answers([answer(429).insert_header("Retry-After", "1")]);
    setting.args.dry_run = true;
    let started = Instant::now();
    let policy = RetryPolicy {
        limit: Duration::from_secs(5),
        ..POLICY
    };
    let (mut report, progress) = (Report::new(), Progress::new());
    push(&setting.args, policy, &mut report, &progress)
        .await
        .unwrap();
    assert_eq!(report.counts().created, 1);
    assert!(started.elapsed() >= Duration::from_secs(1));
}

#[tokio::test]
async fn a_refused_import_stops_the_run() {
    for status in [400, 403, 404, 405, 415, 422] {
        let setting = Setting::with(lines(["a"])).await;
        setting.board.answers([answer(status)]);
        let error = format!("{:#}", setting.push().await.0.unwrap_err());
        assert!(error.contains("No."), "{status}: {error}");
        assert_eq!(setting.requests().await.len(), 1, "{status}");
    }
}

#[tokio::test]
async fn lines_that_are_given_up_are_kept() {
    let mut setting = Setting::with(lines(0..300)).await;
    setting.board.answers((0..1_000).map(|_| answer(503)));
    let rejects = setting.rejects().await;
    assert_eq!(rejects.len(), 200, "the first chunk");
    let message = rejects[0]["message"].as_str().unwrap();
    assert!(
        message.starts_with("gave up after ") && message.ends_with("503"),
        "{message}"
    );
    let (ended, summary) = setting.push().await;
    let error = format!("{:#}", ended.unwrap_err());
    assert!(
        error.contains("does not answer any more: gave up after"),
        "{error}"
    );
    assert_eq!(shown(&summary.counts), "200 failed");
    let text = summary.to_string();
    assert!(
        text.contains("200 × gave up: the service kept answering 503"),
        "{text}"
    );
}

#[tokio::test]
async fn lines_that_the_service_fails_on_do_not_stop_the_others() {
    let setting = Setting::with(lines(0..300)).await;
    let policy = RetryPolicy {
        limit: Duration::ZERO,
        ..POLICY
    };
    setting.board.answers([answer(500)]);
    let mut report = Report::new();
    push(&setting.args, policy, &mut report, &Progress::new())
        .await
        .unwrap();
    assert_eq!(shown(report.counts()), "100 created, 200 failed");
}

/// A service that treats its pushes so, one after the other: hangs up after the head and so many
/// bytes of an answer, or never answers.
async fn unsound(pushes: Vec<Option<&'static str>>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let uri = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut pushes, mut open) = (pushes.into_iter(), Vec::new());
        loop {
            let (mut connection, _) = listener.accept().await.unwrap();
            let mut buffer = vec![0; 65_536];
            let read = connection.read(&mut buffer).await.unwrap();
            let body = if buffer[..read].starts_with(b"POST /oauth") {
                r#"{"access_token":"T","token_type":"Bearer"}"#
            } else {
                match pushes.next() {
                    Some(Some(part)) => {
                        connection.write_all(part.as_bytes()).await.unwrap();
                        continue;
                    }
                    Some(None) => {
                        open.push(connection);
                        continue;
                    }
                    None => r#"{"summary":{"lines":1,"created":1,"complete":true}}"#,
                }
            };
            let head = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length";
            let response = format!("{head}: {}\r\n\r\n{body}", body.len());
            connection.write_all(response.as_bytes()).await.unwrap();
        }
    });
    uri
}

#[tokio::test]
async fn a_lost_connection_is_tried_again() {
    let half = "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{\"summary\"";
    let uri = unsound(vec![Some(""), Some("HTTP/1.1 20"), Some(half), None]).await;
    let mut setting = Setting::with(lines(["a"])).await;
    setting.args.url = uri.parse().unwrap();
    let policy = RetryPolicy {
        patience: Duration::from_millis(100),
        limit: Duration::from_secs(10),
        ..POLICY
    };
    let mut report = Report::new();
    push(&setting.args, policy, &mut report, &Progress::new())
        .await
        .unwrap();
    assert_eq!(shown(report.counts()), "1 created");
}
