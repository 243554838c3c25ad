//! Every error of the contract, and the precedence among them.

use access::Scope;
use domain::posting::moderation::Moderation;
use serde_json::json;

use crate::support::{
    BODY_LIMIT, PATH, Request, TestApp, assert_is_error, case, check, posting, push, request,
};

const JSON: &str = "application/json";
const CHALLENGE: &str = "WWW-Authenticate";

fn put(token: &str) -> Request {
    request("PUT", &format!("{PATH}/refused")).token(token)
}

fn to(method: &str, path: &str) -> Request {
    request(method, &format!("{PATH}{path}"))
}

/// Whatever is wrong with a request beside its client, and whatever its method is.
#[tokio::test]
async fn every_operation_checks_its_client_before_anything_else() {
    let app = TestApp::spawn();
    let large = "x".repeat(BODY_LIMIT + 1);
    let document = serde_json::to_value(adapters_http::openapi().unwrap()).unwrap();
    for (path, operations) in document["paths"].as_object().unwrap() {
        let operations = operations.as_object().unwrap();
        let security = operations.values().map(|of| of["security"].as_array());
        let scopes = security.flatten().flatten();
        let scopes = scopes.filter_map(|one| Scope::parse(one["oauth2"][0].as_str()?));
        let scopes: Vec<_> = scopes.collect();
        if scopes.is_empty() {
            continue;
        }
        let mut others = Scope::ALL.to_vec();
        others.retain(|scope| !scopes.contains(scope));
        let stranger = app.token(&others).await;
        for method in operations.keys().map(String::as_str).chain(["brew"]) {
            let sent = request(&method.to_uppercase(), &format!("{path}?x=1")).body(&*large);
            let sent = sent.header("Content-Type", "text/plain");
            let cases = [
                case("no token", sent.clone(), 401).with(CHALLENGE, "Bearer realm"),
                case("a bad token", sent.clone().token("x.y.z"), 401)
                    .with(CHALLENGE, "invalid_token"),
                case("another scope", sent.token(&stranger), 403)
                    .with(CHALLENGE, "insufficient_scope"),
            ];
            check(&app, cases).await;
        }
    }
}

#[tokio::test]
async fn bodies_that_are_not_read() {
    let app = TestApp::spawn();
    let writer = app.writer().await;
    let body = posting().to_string();
    let too_large = json!({"title": "x".repeat(BODY_LIMIT)});
    let of_type = |content_type: &str| {
        put(&writer)
            .header("Content-Type", content_type)
            .body(body.clone())
    };
    let json = |body: &str| put(&writer).header("Content-Type", JSON).body(body);
    let cases = [
        case("no content type", put(&writer).body(body.clone()), 415)
            .says("Content-Type must be application/json"),
        case("merge-patch", of_type("application/merge-patch+json"), 415).says("Content-Type"),
        case(
            "compressed",
            of_type(JSON).header("Content-Encoding", "gzip"),
            415,
        )
        .says("Content-Encoding")
        .with("Accept-Encoding", "identity"),
        case("too large", put(&writer).json(&too_large), 413).says("at most 65536 bytes"),
        case("DELETE", to("DELETE", "/a").token(&writer), 405).says(
            "it supports GET, HEAD, PUT. PUT creates and updates a posting, with all fields or \
                   only some; {\"expiration\":{}} takes it down.",
        ),
        case("empty", json(""), 400).says("empty"),
        case("not JSON", json("{\"title\": tru}"), 400).says("not valid JSON"),
        case("not an object", json("[]"), 422).says("body must be a JSON object."),
    ];
    check(&app, cases).await;
}

#[tokio::test]
async fn what_is_not_there_or_not_now() {
    let app = TestApp::spawn();
    let writer = app.writer().await;
    let retry = "Retry-After";
    let push = |path: &str| to("PUT", path).token(&writer).json(&posting());
    let read = |path: &str| to("GET", path).token(&writer);
    let cases = [
        case(
            "nothing to expire",
            put(&writer).json(&json!({"expiration": {}})),
            404,
        )
        .says("Job posting not found."),
        case("unknown", read("/unknown"), 404).says("Job posting not found."),
        case("overloaded", push("/fault:overloaded"), 503)
            .says("Too many")
            .with(retry, "1"),
        case("away", push("/fault:unavailable"), 503)
            .says("not known")
            .with(retry, "5"),
        case("away for reading", read("/fault:unavailable"), 503)
            .says("unavailable")
            .with(retry, "5"),
    ];
    check(&app, cases).await;
}

#[tokio::test]
async fn a_failure_inside_shows_the_request_id_and_nothing_else() {
    let app = TestApp::spawn();
    let token = app.writer().await;
    for (method, identifier) in [
        ("PUT", "fault:broken"),
        ("PUT", "fault:panic"),
        ("GET", "fault:broken"),
    ] {
        let mut request = request(method, &format!("{PATH}/{identifier}"))
            .token(&token)
            .header("X-Request-Id", "my-id.1");
        if method == "PUT" {
            request = request.json(&posting());
        }
        // All on one connection, which must stay usable.
        let mut connection = app.connect().await;
        for _ in 0..2 {
            let response = connection.exchange(&request).await;
            assert_is_error(&response, 500, identifier);
            assert_eq!(response.header("X-Request-Id"), Some("my-id.1"));
            let expect = json!({
                "message": "Something went wrong in the service. Report the request id if it happens again.",
                "request_id": "my-id.1",
            });
            assert_eq!(response.json(), expect, "{method} {identifier}");
        }
    }
}

#[tokio::test]
async fn the_first_of_two_errors_is_told() {
    let app = TestApp::spawn();
    let writer = app.writer().await;
    // From the lowest to the highest precedence, each request adds a fault to those before it.
    let nowhere = |method: &str, content_type: &str, body: &str| {
        request(method, &format!("{PATH}/nowhere"))
            .header("Content-Type", content_type)
            .body(body)
    };
    let (plain, large) = ("text/plain", "x".repeat(BODY_LIMIT + 1));
    let bad_field = r#"{"expiration": {}, "title": 1}"#;
    let cases = [
        case(
            "404",
            nowhere("PUT", JSON, r#"{"expiration": {}}"#).token(&writer),
            404,
        ),
        case(
            "422 before 404",
            nowhere("PUT", JSON, bad_field).token(&writer),
            422,
        ),
        case(
            "400 before 422",
            nowhere("PUT", JSON, r#"{"title": 1"#).token(&writer),
            400,
        ),
        case(
            "413 before 400",
            nowhere("PUT", JSON, &large).token(&writer),
            413,
        ),
        case(
            "415 before 413",
            nowhere("PUT", plain, &large).token(&writer),
            415,
        ),
        case(
            "405 before 415",
            nowhere("PATCH", plain, &large).token(&writer),
            405,
        ),
    ];
    check(&app, cases).await;
}

#[tokio::test]
async fn a_refused_transition_names_the_states() {
    let app = TestApp::spawn();
    let token = app.writer().await;
    push(&app, &token, "rejected", &posting()).await;
    app.backend
        .moderate(
            "rejected",
            Moderation::Reject {
                reason: "spam".to_owned(),
            },
        )
        .await;

    let response = request("PUT", &format!("{PATH}/rejected"))
        .token(&token)
        .json(&json!({"expiration": {}}))
        .send(&app)
        .await;
    assert_is_error(&response, 422, "transition");
    let expect =
        json!({"message": "Invalid JobPosting state transition from rejected to expired."});
    assert_eq!(response.json(), expect);
}
