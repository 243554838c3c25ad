//! Which requests are admitted, and that they are remembered.

use std::time::{Duration, Instant};

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use super::{
    super::{Account, MailerLite, account::AccountData},
    Client,
};

#[tokio::test]
async fn an_account_takes_so_many_requests_a_minute() {
    let provider = MailerLite::start();
    provider.limit(Account::Old, 2);
    let client = Client::new(&provider, Account::Old);
    for remaining in ["1", "0"] {
        let response = client
            .send(Method::GET, "groups", &Value::Null)
            .await
            .unwrap();
        assert_eq!(response.headers()["x-ratelimit-limit"], "2");
        assert_eq!(response.headers()["x-ratelimit-remaining"], remaining);
    }
    let response = client
        .send(Method::GET, "groups", &Value::Null)
        .await
        .unwrap();
    assert_eq!(response.status(), StatusCode::TOO_MANY_REQUESTS);
    let seconds: u64 = response.headers()["retry-after"]
        .to_str()
        .unwrap()
        .parse()
        .unwrap();
    assert!((1..=60).contains(&seconds), "{seconds}");
    let body: Value = response.json().await.unwrap();
    assert_eq!(body, json!({"message": "Too Many Attempts."}));
    // The other account has its own limit.
    let other = Client::new(&provider, Account::New);
    assert_eq!(other.get("groups").await.0, 200);
    assert_eq!(provider.busiest_minute(Account::Old), 3);
    assert_eq!(provider.busiest_minute(Account::New), 1);
}

#[test]
fn the_minute_slides() {
    let mut data = AccountData::new("", 0);
    data.limit = 2;
    let start = Instant::now();
    let mut admit = |seconds| data.admit(start + Duration::from_secs(seconds));
    assert_eq!(admit(0), Ok(()));
    assert_eq!(admit(40), Ok(()));
    assert_eq!(admit(50), Err(11));
    // Refused requests do not count.
    assert_eq!(admit(60), Ok(()));
    assert_eq!(admit(99), Err(2));
    assert_eq!(admit(100), Ok(()));
}

#[tokio::test]
async fn strangers_are_turned_away() {
    let provider = MailerLite::start();
    let mut client = Client::new(&provider, Account::Old);
    client.key = "wrong";
    let answer = client.get("subscribers").await;
    assert_eq!(answer, (401, json!({"message": "Unauthenticated."})));
    assert_eq!(provider.calls(Account::Old).len(), 0);
    assert_eq!(provider.every_call()[0].account, None);
}

#[tokio::test]
async fn requests_are_remembered_as_they_came() {
    let provider = MailerLite::start();
    let start = Instant::now();
    let client = Client::new(&provider, Account::New);
    let body = json!({"email": "A@x.example"});
    client.upsert(body.clone()).await;
    client.get("subscribers/a%40x.example?x=1").await;
    let calls = provider.calls(Account::New);
    assert_eq!(calls.len(), 2);
    assert_eq!(calls[0].method, "POST");
    assert_eq!(calls[0].path, "/api/subscribers");
    assert_eq!(calls[0].body, body);
    assert_eq!(calls[0].status, Some(201));
    assert_eq!(calls[1].path, "/api/subscribers/a%40x.example?x=1");
    assert_eq!(calls[1].body, Value::Null);
    assert!(start <= calls[0].at && calls[0].at <= calls[1].at);
}
