//! Tokens: issued for a client's credentials, used, and refused if another service issued them.

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{
    Answer, Api, App, SCOPES, Site, Store, WITHIN_TEN_SECONDS, create_client, encode, eventually,
    fresh,
    jwt::{self, Jwt},
    minimal, raw,
};

on_every_store! {
    a_client_gets_a_token_by_either_method_and_uses_it,
    a_token_opens_what_its_scope_says,
    what_the_service_did_not_sign_is_no_token,
    a_revoked_clients_token_stops_working_within_ten_seconds,
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

async fn a_token_opens_what_its_scope_says(store: Store) {
    let app = App::quiet(store);
    let known = fresh("known");
    app.put(&known, &minimal()).await.created();
    let reader = app.restricted("job-postings:read");
    assert_eq!(reader.get(&Api::path(&known)).await.status, 200);
    let patch = json!({"title": "Changed"});
    reader.put(&known, &patch).await.error(403);
    let stranger = app.restricted("newsletter-subscribers:write");
    stranger.get(&Api::path("unknown")).await.error(403);
    app.restricted("job-postings:write")
        .put(&known, &json!({}))
        .await
        .updated();
    let request = app.api.request(Method::GET, &Api::path(&known));
    Answer::of(request.send().await.unwrap()).await.error(401);
    assert_eq!(app.show(&known).await["title"], "Gardener");
}

async fn what_the_service_did_not_sign_is_no_token(store: Store) {
    let app = App::quiet(store);
    let token = Jwt::parse(app.api.token());
    let kid = token.header["kid"].as_str().unwrap();
    let key = jwt::read_key(&app.site.data().join("keys").join(kid));
    // Signed with the service's key, it is valid like the original.
    let same = app.api.with_token(&token.signed_by(&key));
    assert_eq!(same.get(Api::LIST).await.status, 200);
    let mut expired = token.clone();
    expired.claims["exp"] = expired.claims["iat"].clone();
    // Another installation of the same service.
    let site = Site::new(store);
    let _server = site.serve(&["--no-worker"]);
    let elsewhere = App::at(site).token();
    for bad in [
        token.with_broken_signature(),
        expired.signed_by(&key),
        elsewhere,
    ] {
        let answer = app.api.with_token(&bad).get(Api::LIST).await;
        answer.error(401);
        let challenge = answer.header("www-authenticate");
        assert!(
            challenge.contains(r#"error="invalid_token""#),
            "{challenge}"
        );
    }
}

async fn a_revoked_clients_token_stops_working_within_ten_seconds(store: Store) {
    let app = App::quiet(store);
    let (id, secret) = create_client(&app.site, &["job-postings:write"]);
    let form = format!(
        "grant_type=client_credentials&client_id={}&client_secret={}",
        encode(&id),
        encode(&secret)
    );
    let ask = || {
        let headers = [("Content-Type", "application/x-www-form-urlencoded")];
        raw::exchange(
            &app.site.host(),
            raw::request("POST", "/oauth/token", &headers, &form),
        )
    };
    let token = ask().json()["access_token"].as_str().unwrap().to_owned();
    let api = app.api.with_token(&token);
    assert_eq!(api.get(Api::LIST).await.status, 200);

    app.run(&["clients", "revoke", &id]).succeeded();
    let api = &api;
    eventually("the token is refused", WITHIN_TEN_SECONDS, || async move {
        (api.get(Api::LIST).await.status == 401).then_some(())
    })
    .await;
    let answer = ask();
    assert_eq!(
        (answer.status, &answer.json()["error"]),
        (401, &json!("invalid_client"))
    );
    // Other clients are not affected.
    assert_eq!(app.api.get(Api::LIST).await.status, 200);
}
