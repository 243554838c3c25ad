//! Pushes against a service that answers as each case needs it.

mod command;
mod order;
mod retry;
mod token;

use std::{future, io::Cursor, sync::Arc, time::Duration};

use secrecy::SecretString;
use serde_json::{Value, json};
use wiremock::{
    Mock, MockServer, Request, ResponseTemplate,
    matchers::{body_string_contains, method, path, path_regex},
};

use super::*;

/// The line numbers and outcomes, in the order of settling.
type Settled = Vec<(u64, String)>;

/// A retry policy that is fast enough for tests.
const POLICY: RetryPolicy = RetryPolicy {
    first_wait: Duration::from_millis(5),
    longest_wait: Duration::from_millis(50),
    limit: Duration::from_millis(400),
};

fn credentials() -> Credentials {
    Credentials {
        client_id: "someone".to_owned(),
        client_secret: SecretString::from("sesame".to_owned()),
    }
}

fn token(value: &str) -> ResponseTemplate {
    ResponseTemplate::new(200)
        .set_body_json(json!({"access_token": value, "token_type": "Bearer", "expires_in": 3600}))
}

/// A service with a token endpoint.
async fn service() -> MockServer {
    let server = MockServer::start().await;
    Mock::given(method("POST"))
        .and(path("/oauth/token"))
        .and(body_string_contains("grant_type=client_credentials"))
        .and(body_string_contains("client_id=someone"))
        .and(body_string_contains("client_secret=sesame"))
        .and(body_string_contains("scope=job-postings%3Awrite"))
        .respond_with(token("T1"))
        .mount(&server)
        .await;
    server
}

fn put() -> wiremock::MockBuilder {
    Mock::given(method("PUT")).and(path_regex("^/api/job-board/job-postings/"))
}

fn answer(status: u16) -> ResponseTemplate {
    ResponseTemplate::new(status)
        .set_body_json(json!({"data": {"uuid": "019a0000-0000-7000-8000-000000000000"}}))
}

/// Lines `(id, n)` with the payload `{"n":n}`.
fn lines(ids: &[(&str, u32)]) -> String {
    ids.iter()
        .map(|(id, n)| json!({"id": id, "payload": {"n": n}}).to_string() + "\n")
        .collect()
}

fn n(request: &Request) -> u64 {
    request.body_json::<Value>().unwrap()["n"].as_u64().unwrap()
}

async fn push(uri: &str, input: &str, concurrency: usize) -> (anyhow::Result<End>, Settled) {
    let url = uri.parse().unwrap();
    let mut settled = Vec::new();
    let sender = match Sender::connect(&url, credentials(), concurrency, POLICY).await {
        Ok(sender) => Arc::new(sender),
        Err(error) => return (Err(error), settled),
    };
    let input = read(Cursor::new(input.to_owned()));
    let end = drive(
        input,
        sender,
        concurrency,
        future::pending(),
        |line, outcome| {
            let outcome = match outcome {
                Outcome::Created => "created".to_owned(),
                Outcome::Updated => "updated".to_owned(),
                Outcome::Refused(refusal) => format!("refused: {}", refusal.message),
                Outcome::Failed { refusal, .. } => format!("failed: {}", refusal.message),
            };
            settled.push((line.number, outcome));
            Ok(())
        },
    );
    (end.await, settled)
}

async fn puts(server: &MockServer) -> Vec<Request> {
    let requests = server.received_requests().await.unwrap();
    requests
        .into_iter()
        .filter(|request| request.method.as_str() == "PUT")
        .collect()
}
