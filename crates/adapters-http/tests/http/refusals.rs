//! Every error of the contract about postings, and the precedence among these errors.

use domain::posting::{Ground, moderation::Moderation};
use serde_json::json;

use crate::support::{PATH, TestApp, assert_is_error, check, posting, push, put, request};

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
        PUT /r                 | application/json: {"x": NaN}   | 400 | NaN is not JSON; send null (column 7)
        PUT /r                 | []                      | 422 | body must be a JSON object.
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
    push(&app, &token, "rejected", &posting()).await;
    let reason = "spam".to_owned();
    app.backend
        .moderate(
            "rejected",
            Moderation::Reject {
                reason,
                ground: Ground::Terms,
            },
        )
        .await;
    let transition = r#"
        PUT /rejected | {"expiration":{}} | 422 | transition from rejected to expired.
        "#;
    check(&app, Some(&token), PATH, transition).await;
    // Each request adds a fault, from the lowest precedence to the highest.
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
        // All requests use one connection, which must stay usable.
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
