//! Health, unknown paths and methods, the headers of every answer.

use std::sync::atomic::Ordering;

use serde_json::json;

use adapters_http::Application;

use crate::support::{self, PATH, TestApp, request};

#[tokio::test]
async fn health_is_of_the_process_and_readiness_of_the_store() {
    let app = TestApp::spawn();
    for path in ["/healthz", "/readyz"] {
        let response = request("GET", path).send(&app).await;
        assert_eq!(
            (response.status, response.json()),
            (200, json!({"status": "ok"})),
            "{path}"
        );
    }
    app.backend.not_ready.store(true, Ordering::SeqCst);
    assert_eq!(request("GET", "/healthz").send(&app).await.status, 200);
    let response = request("GET", "/readyz").send(&app).await;
    assert_eq!(response.status, 503);
    assert_eq!(
        response.json(),
        json!({"message": "The service is not ready: its store cannot be used."})
    );
    assert!(response.header("Retry-After").is_some());
}

#[tokio::test]
async fn a_service_without_a_key_is_not_ready() {
    let keys = tempfile::tempdir().unwrap();
    let app = TestApp::spawn_with(|settings| settings.keys = keys.path().to_owned());
    assert_eq!(request("GET", "/healthz").send(&app).await.status, 200);
    let response = request("GET", "/readyz").send(&app).await;
    assert_eq!(response.status, 503);
    assert_eq!(
        response.message(),
        "The service is not ready: it has no usable token signing key."
    );
}

/// The tests of the documentation send every method to documented paths; here are the others.
#[tokio::test]
async fn reads_answer_reads_alone() {
    let app = TestApp::spawn();
    for path in [
        "/healthz",
        "/docs/",
        "/docs/swagger-ui.css",
        "/newsletter/style.css",
    ] {
        for (method, status) in [("GET", 200), ("HEAD", 200), ("POST", 405)] {
            let response = request(method, path).send(&app).await;
            assert_eq!(response.status, status, "{method} {path}");
            let allow = (status == 405).then_some("GET, HEAD");
            assert_eq!(response.header("Allow"), allow, "{method} {path}");
        }
    }
}

#[tokio::test]
async fn nothing_is_said_with_json() {
    let app = TestApp::spawn();
    for path in [
        "/",
        "/api",
        "/docs/nothing",
        "/docs/a/b",
        "/healthz/",
        "/newsletter",
        "/api/newsletter/subscribers",
        "/api/newsletter/subscribers/a/b",
        "//",
        "/%00",
        "/%FF",
    ] {
        let response = request("GET", path).send(&app).await;
        assert_eq!(response.status, 404, "{path}");
        assert_eq!(
            response.message(),
            "There is nothing at this path.",
            "{path}"
        );
    }
}

#[tokio::test]
async fn every_answer_has_a_request_id() {
    let app = TestApp::spawn();
    let token = app.writer().await;
    for path in ["/healthz", "/nothing", "/docs", PATH, "/oauth/token"] {
        let get = || request("GET", path).token(&token);
        let own = get().header("X-Request-Id", "A.b_c-1").send(&app).await;
        assert_eq!(own.header("X-Request-Id"), Some("A.b_c-1"), "{path}");
        assert_eq!(
            own.header("X-Content-Type-Options"),
            Some("nosniff"),
            "{path}"
        );
        let drawn = get().header("X-Request-Id", "a b").send(&app).await;
        let id = uuid::Uuid::parse_str(drawn.header("X-Request-Id").unwrap()).unwrap();
        assert_eq!(id.get_version_num(), 7, "{path}");
    }
}

#[tokio::test]
async fn an_address_in_use_is_told() {
    let app = TestApp::spawn();
    let taken = app.connect().await.peer();
    let keys = tempfile::tempdir().unwrap();
    let settings = support::settings(taken, keys.path());
    let error = Application::build(support::ports(&app.backend), &settings)
        .err()
        .unwrap();
    let message = error.to_string();
    assert!(
        message.starts_with(&format!("cannot listen on {taken}: ")),
        "{message}"
    );
}
