use std::sync::atomic::Ordering;

use serde_json::json;

use crate::support::{TestApp, check, request};

#[tokio::test]
async fn health_is_of_the_process_and_readiness_of_the_store_and_the_keys() {
    let app = TestApp::spawn();
    for path in ["/healthz", "/readyz"] {
        let response = request("GET", path).send(&app).await;
        assert_eq!(
            (response.status, response.text()),
            (200, r#"{"status":"ok"}"#)
        );
    }
    app.backend.not_ready.store(true, Ordering::SeqCst);
    let keys = tempfile::tempdir().unwrap();
    let without_key = TestApp::spawn_with(|settings| settings.keys = keys.path().to_owned());
    for (app, message) in [
        (app, "The service is not ready: its store cannot be used."),
        (
            without_key,
            "The service is not ready: it has no usable token signing key.",
        ),
    ] {
        assert_eq!(request("GET", "/healthz").send(&app).await.status, 200);
        let response = request("GET", "/readyz").send(&app).await;
        assert_eq!(
            (response.status, response.json()),
            (503, json!({"message": message}))
        );
        assert_eq!(response.header("Retry-After"), Some("5"));
    }
}

#[tokio::test]
async fn nothing_is_said_with_json() {
    let app = TestApp::spawn();
    let table = "
        GET /             |  | 404 | There is nothing at this path.
        GET /docs/nothing |  | 404 | There is nothing at this path.
        GET /docs/a/b     |  | 404 | There is nothing at this path.
        GET /healthz/     |  | 404 | There is nothing at this path.
        GET /api/newsletter/subscribers |  | 404 | There is nothing at this path.
        GET /api/newsletter/subscribers/a/b |  | 404 | There is nothing at this path.
        GET /%00          |  | 404 | There is nothing at this path.
        GET /%FF          |  | 404 | There is nothing at this path.
        ";
    check(&app, None, "", table).await;
}
