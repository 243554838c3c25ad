//! Faults and outages that a test asks for.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use super::{
    super::{Account, Fault, MailerLite},
    Client,
};

#[tokio::test]
async fn the_next_requests_fail_as_told() {
    let provider = MailerLite::start();
    let client = Client::new(&provider, Account::Old);
    let body = json!({"email": "a@x.example"});
    provider.fail(Account::Old, 2, Fault::Answer(500, None));
    provider.fail(Account::Old, 1, Fault::Answer(429, Some(7)));
    provider.fail(Account::Old, 1, Fault::Close);
    for status in [500, 500] {
        assert_eq!(client.upsert(body.clone()).await.0, status);
    }
    let busy = client
        .send(Method::POST, "subscribers", &body)
        .await
        .unwrap();
    assert_eq!(busy.status(), 429);
    assert_eq!(busy.headers()["retry-after"], "7");
    assert!(
        client
            .send(Method::POST, "subscribers", &body)
            .await
            .is_err()
    );
    assert_eq!(provider.count(Account::Old), 0);

    provider.fail(Account::Old, 1, Fault::LoseAnswer);
    assert!(
        client
            .send(Method::POST, "subscribers", &body)
            .await
            .is_err()
    );
    assert_eq!(provider.count(Account::Old), 1);
    assert_eq!(client.upsert(body).await.0, 200);
    let statuses: Vec<_> = provider
        .calls(Account::Old)
        .iter()
        .map(|call| call.status)
        .collect();
    let expect = [Some(500), Some(500), Some(429), None, None, Some(200)];
    assert_eq!(statuses, expect);
}

#[tokio::test]
async fn others_may_answer_in_the_provider_s_place() {
    let provider = MailerLite::start();
    let client = Client::new(&provider, Account::Old);
    provider.fail(Account::Old, 1, Fault::Page(404));
    let page = client
        .send(Method::GET, "groups", &Value::Null)
        .await
        .unwrap();
    assert_eq!(page.status(), 404);
    assert_eq!(page.headers()["content-type"], "text/html");
    assert!(page.text().await.unwrap().starts_with("<html>"));
    let words = r#"{"message":"Not found."}"#;
    provider.fail(Account::Old, 1, Fault::Words(404, words));
    let answer = client.get("groups").await;
    assert_eq!(answer, (404, json!({"message": "Not found."})));
}

#[tokio::test]
async fn a_fault_may_wait_for_a_method() {
    let provider = MailerLite::start();
    let client = Client::new(&provider, Account::Old);
    provider.fail_on(Account::Old, "POST", 1, Fault::Answer(500, None));
    provider.fail(Account::Old, 1, Fault::Answer(503, None));
    assert_eq!(client.get("groups").await.0, 503);
    assert_eq!(client.get("groups").await.0, 200);
    let body = json!({"email": "a@x.example"});
    assert_eq!(client.upsert(body.clone()).await.0, 500);
    assert_eq!(provider.id(Account::Old, "a@x.example"), "");
    assert_eq!(client.upsert(body).await.0, 201);
    assert_ne!(provider.id(Account::Old, "A@x.example"), "");
}

#[tokio::test]
async fn what_is_done_may_not_be_answered() {
    let provider = MailerLite::start();
    let client = Client::new(&provider, Account::Old);
    provider.fail(Account::Old, 1, Fault::WithholdAnswer);
    tokio::select! {
        answer = client.upsert(json!({"email": "a@x.example"})) => panic!("{answer:?}"),
        () = async {
            while provider.count(Account::Old) == 0 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        } => {}
    }
    assert_eq!(provider.calls(Account::Old)[0].status, None);
}

#[tokio::test]
async fn a_request_may_hang() {
    let provider = MailerLite::start();
    let client = Client::new(&provider, Account::Old);
    provider.fail(Account::Old, 1, Fault::Hang);
    let hanging = client.send(Method::GET, "groups", &Value::Null);
    tokio::select! {
        answer = hanging => panic!("{answer:?}"),
        () = async {
            while provider.calls(Account::Old).is_empty() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            // Other requests are answered meanwhile.
            assert_eq!(client.get("groups").await.0, 200);
        } => {}
    }
}

#[tokio::test]
async fn an_outage_lasts_until_it_is_over() {
    let provider = MailerLite::start();
    let client = Client::new(&provider, Account::Old);
    provider.outage(Some(Fault::Answer(503, None)));
    for _ in 0..3 {
        assert_eq!(client.get("groups").await.0, 503);
    }
    provider.outage(Some(Fault::Close));
    let refused = client.send(Method::GET, "groups", &Value::Null).await;
    assert!(refused.is_err());
    provider.outage(None);
    assert_eq!(client.get("groups").await.0, 200);
}
