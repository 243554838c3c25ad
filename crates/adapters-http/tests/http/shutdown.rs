//! A graceful stop: accepted requests are answered before the server ends.

use std::time::Duration;

use crate::support::{PATH, TestApp, posting, request};

#[tokio::test]
async fn what_was_accepted_is_answered_and_nothing_else_accepted() {
    let (app, token) = TestApp::with_writer().await;
    let mut busy = app.connect().await;
    let put = request("PUT", &format!("{PATH}/slow"))
        .token(&token)
        .json(&posting());
    busy.write(put.head().as_bytes()).await;
    busy.write(posting().to_string().as_bytes()).await;
    let mut idle = app.connect().await;
    assert_eq!(idle.exchange(&request("GET", "/healthz")).await.status, 200);

    // By then, the request has begun but not ended.
    tokio::time::sleep(Duration::from_millis(200)).await;
    let stop = app.stop.clone();
    let stopping = tokio::spawn(async move { stop.stop().await });

    let answer = busy.read(false).await;
    assert_eq!(answer.status, 201);
    assert!(idle.is_closed().await);
    tokio::time::timeout(Duration::from_secs(5), stopping)
        .await
        .expect("it ends")
        .unwrap();
    app.serving.await.unwrap().unwrap();
}
