//! Variables that change the answers of the service. Parsing them is tested in `app`.

use serde_json::{Value, json};

use crate::harness::{Api, App, Site, Store, fresh, jwt::Jwt, minimal, raw};

on_sqlite! {
    the_public_url_is_issuer_and_audience,
    tokens_expire_when_they_are_told_to,
    bodies_are_as_large_as_the_variable_says,
}

async fn the_public_url_is_issuer_and_audience(store: Store) {
    let site = Site::new(store).with("POSTHASTE_PUBLIC_URL", "https://jobs.example");
    let _server = site.serve(&["--no-worker"]);
    let app = App::at(site);
    let claims = Jwt::parse(app.api.token()).claims;
    assert_eq!(claims["iss"], "https://jobs.example");
    let path = "/.well-known/oauth-authorization-server";
    let answer = raw::exchange(&app.site.host(), raw::request("GET", path, &[], ""));
    let metadata: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(metadata["issuer"], "https://jobs.example");
    assert_eq!(
        metadata["token_endpoint"],
        "https://jobs.example/oauth/token"
    );
    assert_eq!(app.api.get(Api::LIST).await.status, 200);
}

async fn tokens_expire_when_they_are_told_to(store: Store) {
    let site = Site::new(store).with("POSTHASTE_TOKEN_TTL", "3");
    let _server = site.serve(&["--no-worker"]);
    let app = App::at(site);
    assert_eq!(app.api.get(Api::LIST).await.status, 200);
    tokio::time::sleep(std::time::Duration::from_millis(4_100)).await;
    app.api.get(Api::LIST).await.error(401);
    let renewed = app.api.with_token(&app.token());
    assert_eq!(renewed.get(Api::LIST).await.status, 200);
}

async fn bodies_are_as_large_as_the_variable_says(store: Store) {
    let site = Site::new(store).with("POSTHASTE_BODY_LIMIT", "2000");
    let _server = site.serve(&["--no-worker"]);
    let app = App::at(site);
    let body_of = |length: usize| {
        let mut payload = minimal();
        payload["metadata"] = json!({"padding": ""});
        let padding = "x".repeat(length - payload.to_string().len());
        payload["metadata"]["padding"] = Value::String(padding);
        payload.to_string()
    };
    app.api
        .put_text(&fresh("small"), body_of(2_000))
        .await
        .created();
    app.api
        .put_text(&fresh("small"), body_of(2_001))
        .await
        .error(413);
}
