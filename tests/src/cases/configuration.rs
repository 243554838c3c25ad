use serde_json::{Value, json};

use crate::harness::{App, Site, Store, fresh, jwt::Jwt, minimal};

on_sqlite! {
    variables_change_tokens_and_limits,
}

async fn variables_change_tokens_and_limits(store: Store) {
    let site = Site::new(store)
        .with("POSTHASTE_PUBLIC_URL", "https://jobs.example")
        .with("POSTHASTE_TOKEN_TTL", "300")
        .with("POSTHASTE_BODY_LIMIT", "2000");
    let _server = site.serve(&["--no-worker"]);
    let app = App::at(site);
    let claims = Jwt::parse(app.api.token()).claims;
    let lifetime = claims["exp"].as_i64().unwrap() - claims["iat"].as_i64().unwrap();
    assert_eq!(
        (&claims["iss"], lifetime),
        (&json!("https://jobs.example"), 300)
    );
    let body_of = |length: usize| {
        let mut payload = minimal();
        payload["metadata"] = json!({"padding": ""});
        let padding = "x".repeat(length - payload.to_string().len());
        payload["metadata"]["padding"] = Value::String(padding);
        payload.to_string()
    };
    let put = async |length| app.api.put_text(&fresh("small"), body_of(length)).await;
    put(2_000).await.created();
    put(2_001).await.error(413);
}
