//! Tokens: issued for a client's credentials, used, and refused if another service issued them.

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{Api, App, SCOPES, Store, jwt::Jwt};

on_every_store! {
    a_client_gets_a_token_by_either_method_and_uses_it,
}

/// Requests a token with a form, and with HTTP Basic if there are credentials. Returns status and
/// body.
async fn ask(app: &App, form: &[(&str, &str)], basic: Option<(&str, &str)>) -> (u16, Value) {
    let mut request = app.api.request(Method::POST, "/oauth/token").form(form);
    if let Some((id, secret)) = basic {
        request = request.basic_auth(id, Some(secret));
    }
    let response = request.send().await.unwrap();
    assert_eq!(response.headers()["cache-control"], "no-store");
    (response.status().as_u16(), response.json().await.unwrap())
}

async fn a_client_gets_a_token_by_either_method_and_uses_it(store: Store) {
    let app = App::quiet(store);
    let (id, secret) = (app.client_id.as_str(), app.client_secret.as_str());
    let grant = ("grant_type", "client_credentials");
    let in_body = [grant, ("client_id", id), ("client_secret", secret)];
    let keys = app.api.get("/.well-known/jwks.json").await.json();
    for (form, basic) in [(&in_body[..], None), (&[grant], Some((id, secret)))] {
        let (status, body) = ask(&app, form, basic).await;
        assert_eq!((status, &body["expires_in"]), (200, &json!(3600)), "{body}");
        let text = body["access_token"].as_str().unwrap();
        let token = Jwt::parse(text);
        assert_eq!(token.header["alg"], "ES256");
        assert_eq!(token.header["typ"], "at+jwt");
        assert!(token.is_signed_by(&keys), "{keys}");
        assert_eq!(token.claims["iss"], json!(app.site.url()));
        assert_eq!(token.claims["client_id"], json!(id));
        let mut scopes: Vec<_> = token.claims["scope"].as_str().unwrap().split(' ').collect();
        scopes.sort_unstable();
        let mut expect = SCOPES;
        expect.sort_unstable();
        assert_eq!(scopes, expect);
        let api = app.api.with_token(text);
        assert_eq!(api.get(Api::LIST).await.status, 200);
    }
    let (status, body) = ask(&app, &[grant], Some((id, "wrong"))).await;
    assert_eq!((status, &body["error"]), (401, &json!("invalid_client")));
}
