//! Tokens: one for all requests, timely replacement, and clear errors.

use wiremock::matchers::header;

use super::*;

async fn token_requests(server: &MockServer) -> usize {
    let requests = server.received_requests().await.unwrap();
    requests
        .iter()
        .filter(|request| request.url.path() == "/oauth/token")
        .count()
}

fn many() -> String {
    let ids: Vec<_> = (0..40).map(|n| n.to_string()).collect();
    lines(&ids.iter().map(|id| (id.as_str(), 0)).collect::<Vec<_>>())
}

#[tokio::test]
async fn one_token_serves_all_lines() {
    let server = service().await;
    put()
        .and(header("Authorization", "Bearer T1"))
        .respond_with(answer(201))
        .mount(&server)
        .await;
    let (end, settled) = push(&server.uri(), &many(), 8).await;
    assert_eq!(end.unwrap(), End::Complete);
    assert!(settled.iter().all(|(_, outcome)| outcome == "created"));
    assert_eq!(token_requests(&server).await, 1);
}

#[tokio::test]
async fn a_refused_token_is_replaced_once_for_all_lines() {
    let server = MockServer::start().await;
    let endpoint = || Mock::given(method("POST")).and(path("/oauth/token"));
    endpoint()
        .respond_with(token("T1"))
        .up_to_n_times(1)
        .mount(&server)
        .await;
    endpoint().respond_with(token("T2")).mount(&server).await;
    put()
        .and(header("Authorization", "Bearer T1"))
        .respond_with(answer(401))
        .mount(&server)
        .await;
    put()
        .and(header("Authorization", "Bearer T2"))
        .respond_with(answer(201))
        .mount(&server)
        .await;
    let (end, settled) = push(&server.uri(), &many(), 8).await;
    assert_eq!(end.unwrap(), End::Complete);
    assert!(
        settled.iter().all(|(_, outcome)| outcome == "created"),
        "{settled:?}"
    );
    assert_eq!(settled.len(), 40);
    assert_eq!(token_requests(&server).await, 2);
}

#[tokio::test]
async fn a_token_that_ends_soon_is_replaced_before_it_is_refused() {
    let server = MockServer::start().await;
    let short = json!({"access_token": "T", "token_type": "Bearer", "expires_in": 0});
    Mock::given(path("/oauth/token"))
        .respond_with(ResponseTemplate::new(200).set_body_json(short))
        .mount(&server)
        .await;
    put().respond_with(answer(201)).mount(&server).await;
    push(&server.uri(), &lines(&[("a", 0), ("a", 1)]), 1)
        .await
        .0
        .unwrap();
    assert_eq!(
        token_requests(&server).await,
        3,
        "the first one, and one for each line"
    );
}

#[tokio::test]
async fn new_tokens_that_are_refused_stop_the_run() {
    let server = service().await;
    let body = json!({"message": "The token is not valid here."});
    put()
        .respond_with(ResponseTemplate::new(401).set_body_json(body))
        .mount(&server)
        .await;
    let (end, settled) = push(&server.uri(), &many(), 8).await;
    let error = end.unwrap_err().to_string();
    assert!(error.contains("The token is not valid here."), "{error}");
    assert!(settled.is_empty());
}

#[tokio::test]
async fn what_is_wrong_at_the_start_is_told_in_one_line() {
    let check = |answer: ResponseTemplate, parts: &'static [&'static str]| async move {
        let server = MockServer::start().await;
        Mock::given(path("/oauth/token"))
            .respond_with(answer)
            .mount(&server)
            .await;
        let (end, settled) = push(&server.uri(), &many(), 8).await;
        let error = format!("{:#}", end.unwrap_err());
        assert!(settled.is_empty());
        assert!(
            !error.contains('\n') && !error.contains("sesame"),
            "{error}"
        );
        for part in parts {
            assert!(error.contains(part), "{part} in {error}");
        }
        assert_eq!(puts(&server).await.len(), 0);
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
    let (end, _) = push(&format!("http://127.0.0.1:{port}"), &many(), 8).await;
    let error = format!("{:#}", end.unwrap_err());
    assert!(
        error.contains("cannot be reached: Connection refused"),
        "{error}"
    );
    assert!(!error.contains('\n'), "{error}");
}
