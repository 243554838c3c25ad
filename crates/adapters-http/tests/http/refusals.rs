//! Every error of the contract about postings, and the precedence among them.

use access::Scope;
use domain::posting::moderation::Moderation;
use serde_json::{Value, json};

use crate::support::{
    BODY_LIMIT, PATH, TestApp, assert_is_error, check, posting, push, put, request,
};

/// Whatever is wrong with a request beside its client, and whatever its method is.
#[tokio::test]
async fn every_operation_checks_its_client_before_anything_else() {
    let app = TestApp::spawn();
    let large = "x".repeat(BODY_LIMIT + 1);
    let document = serde_json::to_value(adapters_http::openapi().unwrap()).unwrap();
    for (path, operations) in document["paths"].as_object().unwrap() {
        let operations = operations.as_object().unwrap();
        let scopes_of = |operation: &Value| -> Vec<_> {
            let security = operation["security"].as_array().into_iter().flatten();
            let scopes = security.filter_map(|one| Scope::parse(one["oauth2"][0].as_str()?));
            scopes.collect()
        };
        let scopes: Vec<_> = operations.values().flat_map(scopes_of).collect();
        if scopes.is_empty() {
            continue;
        }
        let others = Scope::ALL.iter().copied();
        let others = others.filter(|scope| !scopes.contains(scope));
        let stranger = app.token(&others.collect::<Vec<_>>()).await;
        for method in operations.keys().map(String::as_str).chain(["brew"]) {
            let sent = request(&method.to_uppercase(), &format!("{path}?x=1")).body(&*large);
            let sent = sent.header("Content-Type", "text/plain");
            for (sent, status, challenge) in [
                (sent.clone(), 401, "Bearer realm"),
                (sent.clone().token("x.y.z"), 401, "invalid_token"),
                (sent.clone().token(&stranger), 403, "insufficient_scope"),
            ] {
                let name = format!("{method} {path}: {challenge}");
                let response = sent.send(&app).await;
                assert_is_error(&response, status, &name);
                let header = response.header("WWW-Authenticate").unwrap();
                assert!(header.contains(challenge), "{name}: {header}");
            }
            for scope in operations.get(method).map(scopes_of).unwrap_or_default() {
                let friend = sent.clone().token(&app.token(&[scope]).await);
                let response = friend.send(&app).await;
                assert_ne!(response.status, 403, "{method} {path} {scope}");
            }
        }
    }
}

#[tokio::test]
async fn a_request_is_refused_with_a_reason() {
    let (app, token) = TestApp::with_writer().await;
    let table = r#"
        PUT /r                 |                         | 415 | Content-Type must
        PUT /r                 | text/json: {}           | 415 | Content-Type must
        PUT /r; Content-Encoding: gzip | {}                      | 415 | Content-Encoding | Accept-Encoding: identity
        PUT /r                 | application/json: LARGE | 413 | at most 65536 bytes
        DELETE /r              |                         | 405 | it supports GET, HEAD, PUT. PUT creates and updates a posting, with all fields or only some; {"expiration":{}} takes it down. | Allow: GET, HEAD, PUT
        PUT /r                 | application/json:       | 400 | empty
        PUT /r                 | application/json: {"title": t} | 400 | not valid JSON
        PUT /r                 | []                      | 422 | body must be a JSON object.
        PUT /r?x=1             | posting                 | 422 | x is not a known
        GET /r?x=1             |                         | 422 | x is not a known
        GET ?page=2            |                         | 422 | page is not a known
        PUT /r                 | {"expiration":{}}       | 404 | Job posting not found.
        GET /r                 |                         | 404 | Job posting not found.
        PUT /fault:overloaded  | posting                 | 503 | Too many | Retry-After: 1
        PUT /fault:unavailable | posting                 | 503 | not known | Retry-After: 5
        GET /fault:unavailable |                         | 503 | unavailable | Retry-After: 5
        PUT /                  | posting                 | 422 | unique_source_identifier
        PUT /a%0Ab             | posting                 | 422 | unique_source_identifier
        GET /%FF               |                         | 422 | unique_source_identifier
        GET /                  |                         | 404 | without a slash
        PUT /%zz               | posting                 | 400 | written %25
        PUT /a%2               | posting                 | 400 | written %25
        PUT /%+41              | posting                 | 400 | written %25
        PUT /a/b               | posting                 | 404 | A slash in an identifier is written %2F.
        PUT /a/                | posting                 | 404 | A slash in an identifier is written %2F.
        "#;
    check(&app, Some(&token), PATH, table).await;
    // From the lowest to the highest precedence, each request adds a fault to those before it.
    let table = r#"
        PUT /r   | {"expiration":{}}       | 404
        PUT /r   | {"expiration":{}, "title": 1} | 422
        PUT /r   | application/json: {"title": 1 | 400
        PUT /r   | application/json: LARGE | 413
        PUT /r   | text/plain: LARGE       | 415
        PATCH /r | text/plain: LARGE       | 405
        "#;
    check(&app, Some(&token), PATH, table).await;
}

#[tokio::test]
async fn a_failure_inside_shows_the_request_id_and_nothing_else() {
    let (app, token) = TestApp::with_writer().await;
    for faulty in [
        put(&token, "fault:broken", &posting()),
        put(&token, "fault:panic", &posting()),
        request("GET", &format!("{PATH}/fault:broken")).token(&token),
    ] {
        let faulty = faulty.header("X-Request-Id", "my-id.1");
        // Both on one connection, which must stay usable.
        let mut connection = app.connect().await;
        for _ in 0..2 {
            let response = connection.exchange(&faulty).await;
            assert_is_error(&response, 500, "a fault");
            assert_eq!(response.header("X-Request-Id"), Some("my-id.1"));
            let expect = json!({
                "message": "Something went wrong in the service. Report the request id if it happens again.",
                "request_id": "my-id.1",
            });
            assert_eq!(response.json(), expect);
        }
    }
}

#[tokio::test]
async fn a_refused_transition_names_the_states() {
    let (app, token) = TestApp::with_writer().await;
    push(&app, &token, "rejected", &posting()).await;
    let reject = Moderation::Reject {
        reason: "spam".to_owned(),
    };
    app.backend.moderate("rejected", reject).await;
    let response = put(&token, "rejected", &json!({"expiration": {}}));
    let response = response.send(&app).await;
    assert_is_error(&response, 422, "transition");
    let message = "Invalid JobPosting state transition from rejected to expired.";
    assert_eq!(response.json(), json!({"message": message}));
}
