//! Tokens: one for all requests, timely replacement, and clear errors.

use wiremock::matchers::{header, path_regex};

use super::*;

/// A service that gives out these tokens and takes the last one.
async fn setting(tokens: Vec<ResponseTemplate>, accepted: &str) -> Setting {
    let mut setting = Setting::with(lines(0..300)).await;
    let server = MockServer::start().await;
    let last = tokens.len() - 1;
    for (place, token) in tokens.into_iter().enumerate() {
        let times = if place == last { u64::MAX } else { 1 };
        Mock::given(path("/oauth/token"))
            .respond_with(token)
            .up_to_n_times(times)
            .mount(&server)
            .await;
    }
    let accepted = format!("Bearer {accepted}");
    Mock::given(path_regex("/imports$"))
        .and(header("Authorization", accepted))
        .respond_with(setting.board.clone())
        .mount(&server)
        .await;
    let refusal = json!({"message": "The token is not valid here."});
    Mock::given(path_regex("/imports$"))
        .respond_with(ResponseTemplate::new(401).set_body_json(refusal))
        .mount(&server)
        .await;
    setting.args.url = server.uri().parse().unwrap();
    setting.server = server;
    setting
}

async fn token_requests(setting: &Setting) -> usize {
    let requests = setting.server.received_requests().await.unwrap();
    requests.len() - setting.requests().await.len()
}

#[tokio::test]
async fn one_token_serves_all_imports() {
    let setting = setting(vec![token("T1")], "T1").await;
    assert_eq!(setting.counts().await, "300 created");
    assert_eq!(
        (
            setting.requests().await.len(),
            token_requests(&setting).await
        ),
        (2, 1)
    );
}

#[tokio::test]
async fn a_refused_token_is_replaced_once() {
    let setting = setting(vec![token("T1"), token("T2")], "T2").await;
    assert_eq!(setting.counts().await, "300 created");
    assert_eq!(
        (
            setting.requests().await.len(),
            token_requests(&setting).await
        ),
        (3, 2)
    );
}

#[tokio::test]
async fn a_token_that_ends_soon_is_replaced_before_it_is_refused() {
    let short = json!({"access_token": "T", "token_type": "Bearer", "expires_in": 0});
    let setting = setting(vec![ResponseTemplate::new(200).set_body_json(short)], "T").await;
    assert_eq!(setting.counts().await, "300 created");
    assert_eq!(
        token_requests(&setting).await,
        3,
        "the first one, and one for each import"
    );
}

#[tokio::test]
async fn new_tokens_that_are_refused_stop_the_run() {
    let setting = setting(vec![token("T1")], "another").await;
    let error = format!("{:#}", setting.push().await.0.unwrap_err());
    assert!(error.contains("The token is not valid here."), "{error}");
}

#[tokio::test]
async fn what_is_wrong_at_the_start_is_told_in_one_line() {
    let check = |answer: ResponseTemplate, parts: &'static [&'static str]| async move {
        let setting = setting(vec![answer], "T1").await;
        let error = format!("{:#}", setting.push().await.0.unwrap_err());
        assert!(
            !error.contains('\n') && !error.contains("sesame"),
            "{error}"
        );
        for part in parts {
            assert!(error.contains(part), "{part} in {error}");
        }
        assert!(setting.requests().await.is_empty());
    };
    let json = |status, body| ResponseTemplate::new(status).set_body_json(body);
    let denied = json!({"error": "invalid_client", "error_description": "Unknown client."});
    check(
        json(401, denied),
        &["--client-id", "--client-secret", "Unknown client."],
    )
    .await;
    let scope = json!({"error": "invalid_scope"});
    check(
        json(400, scope),
        &["someone may not push", "job-postings:write"],
    )
    .await;
    check(
        json(400, json!({"error": "invalid_request"})),
        &["invalid_request"],
    )
    .await;
    check(ResponseTemplate::new(404), &["no token endpoint", "--url"]).await;
    check(
        ResponseTemplate::new(200).set_body_string("<html>"),
        &["did not answer with a token"],
    )
    .await;
    let elsewhere =
        ResponseTemplate::new(308).insert_header("Location", "https://h.example/oauth/token");
    check(
        elsewhere,
        &["redirects to https://h.example/oauth/token", "--url"],
    )
    .await;
    check(ResponseTemplate::new(503), &["gave up after", "503"]).await;
}

#[tokio::test]
async fn a_service_that_is_not_there_is_told_in_one_line() {
    // A port that was free a moment ago.
    let port = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port()
    };
    let mut setting = Setting::with(lines(["a"])).await;
    setting.args.url = format!("http://127.0.0.1:{port}").parse().unwrap();
    let error = format!("{:#}", setting.push().await.0.unwrap_err());
    assert!(
        error.contains("cannot be reached: Connection refused"),
        "{error}"
    );
    assert!(!error.contains('\n'), "{error}");
}
