//! Access tokens: only what the service signed, for this service, and not too long ago.

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{
    Answer, Api, App, Site, Store, WITHIN_TEN_SECONDS, create_client, encode, eventually, fresh,
    jwt::{self, Jwt},
    minimal, raw,
};

on_every_store! {
    without_a_token_nothing_is_told,
    what_is_no_token_is_401,
    a_token_in_the_query_is_no_token,
    two_authorization_headers_are_no_token,
    the_scheme_is_read_in_any_case,
    a_token_that_was_changed_is_401,
    a_token_of_another_key_is_401,
    a_token_without_a_signature_is_401,
    a_token_signed_with_the_public_key_as_a_secret_is_401,
    a_token_of_ours_with_other_claims_is_401,
    a_token_expires,
    a_scope_that_is_missing_is_403,
    a_revoked_clients_token_stops_working_within_ten_seconds,
}

/// Reads the list with a header, which must be refused; the refusal.
async fn refused(app: &App, authorization: &str) -> Answer {
    let request = app
        .api
        .request(Method::GET, Api::LIST)
        .header("authorization", authorization);
    let answer = Answer::of(request.send().await.unwrap()).await;
    assert_eq!(answer.status, 401, "{authorization}: {answer:#?}");
    answer.error(401);
    answer
}

async fn refuses(app: &App, token: &str) {
    let answer = refused(app, &format!("Bearer {token}")).await;
    let challenge = answer.header("www-authenticate");
    assert!(
        challenge.contains(r#"error="invalid_token""#),
        "{token}: {challenge}"
    );
}

/// The key set of the service.
async fn jwks(app: &App) -> Value {
    app.api.get("/.well-known/jwks.json").await.json()
}

async fn without_a_token_nothing_is_told(store: Store) {
    let app = App::quiet(store);
    let known = fresh("known");
    app.put(&known, &minimal()).await.created();
    for (method, path) in [
        (Method::GET, Api::path(&known)),
        (Method::GET, Api::path("unknown")),
        (Method::PUT, Api::path(&known)),
        (Method::DELETE, Api::path(&known)),
        (Method::GET, Api::LIST.to_owned()),
        (Method::POST, Api::LIST.to_owned()),
    ] {
        let answer = Answer::of(app.api.request(method, &path).send().await.unwrap()).await;
        answer.error(401);
        // RFC 6750 §3.1: who sends no credentials is told of no error.
        assert!(
            !answer.header("www-authenticate").contains("error"),
            "{answer:#?}"
        );
    }
}

async fn what_is_no_token_is_401(store: Store) {
    let app = App::quiet(store);
    for token in [
        "x",
        "a.b.c",
        "..",
        "e30.e30.",
        "e30.e30.AAAA",
        "eyJ9.eyJ9.eyJ9",
        &"x".repeat(6000),
    ] {
        refused(&app, &format!("Bearer {token}")).await;
    }
    let token = app.api.token();
    for authorization in [
        "Bearer".to_owned(),
        "Bearer ".to_owned(),
        "Basic Zm9vOmJhcg==".to_owned(),
        format!("Token {token}"),
        token.to_owned(),
        format!("Bearer{token}"),
        format!("Bearer {token}x"),
        format!("Bearer {token} {token}"),
        format!("Bearer {token},"),
        format!("Bearer \"{token}\""),
        format!("Bearer {}", &token[..token.len() - 1]),
        format!("Bearer {token}="),
    ] {
        refused(&app, &authorization).await;
    }
}

async fn a_token_in_the_query_is_no_token(store: Store) {
    let app = App::quiet(store);
    let path = format!("{}?access_token={}", Api::LIST, app.api.token());
    Answer::of(app.api.request(Method::GET, &path).send().await.unwrap())
        .await
        .error(401);
}

async fn two_authorization_headers_are_no_token(store: Store) {
    let app = App::quiet(store);
    let bearer = format!("Bearer {}", app.api.token());
    let headers = [
        ("Authorization", bearer.as_str()),
        ("Authorization", "Bearer x"),
    ];
    let answer = raw::exchange(
        &app.site.host(),
        raw::request("GET", Api::LIST, &headers, ""),
    );
    assert_eq!(answer.status, 400, "{answer:#?}");
}

async fn the_scheme_is_read_in_any_case(store: Store) {
    let app = App::quiet(store);
    for scheme in ["bearer", "BEARER"] {
        let authorization = format!("{scheme} {}", app.api.token());
        let request = app.api.request(Method::GET, Api::LIST);
        let answer = request
            .header("authorization", authorization)
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), 200, "{scheme}");
    }
}

async fn a_token_that_was_changed_is_401(store: Store) {
    let app = App::quiet(store);
    let token = Jwt::parse(app.api.token());
    refuses(&app, &token.with_broken_signature()).await;
    for (claim, value) in [
        ("scope", json!("job-postings:write job-postings:read")),
        ("exp", json!(4_000_000_000_u32)),
        ("sub", json!("somebody")),
    ] {
        let mut changed = token.clone();
        changed.claims[claim] = value;
        refuses(&app, &changed.with_old_signature()).await;
    }
    let mut changed = token.clone();
    changed.header["extra"] = json!(1);
    refuses(&app, &changed.with_old_signature()).await;
}

async fn a_token_of_another_key_is_401(store: Store) {
    let app = App::quiet(store);
    let token = Jwt::parse(app.api.token());
    let key = jwt::new_key();
    refuses(&app, &token.signed_by(&key)).await;
    for kid in [
        json!("0190a0a0-0000-7000-8000-000000000000"),
        json!("../../etc/passwd"),
        json!(""),
        json!(null),
        json!(5),
    ] {
        let mut other = token.clone();
        other.header["kid"] = kid;
        refuses(&app, &other.signed_by(&key)).await;
    }
    // A key that the token brings along is nobody's word (RFC 8725 §3.5).
    let mut bringing = token.clone();
    let known = jwks(&app).await;
    for name in ["jwk", "jku", "x5c", "x5u"] {
        bringing.header[name] = known["keys"][0].clone();
    }
    refuses(&app, &bringing.signed_by(&key)).await;
    // Another service of the same kind.
    let site = Site::new(store);
    let _server = site.serve(&["--no-worker"]);
    refuses(&app, App::at(site).api.token()).await;
}

async fn a_token_without_a_signature_is_401(store: Store) {
    let app = App::quiet(store);
    for alg in ["none", "None", "NONE", "nOnE", ""] {
        let mut token = Jwt::parse(app.api.token());
        token.header["alg"] = json!(alg);
        refuses(&app, &token.unsigned()).await;
        refuses(&app, &token.with_old_signature()).await;
    }
    refuses(&app, &Jwt::parse(app.api.token()).unsigned()).await;
}

async fn a_token_signed_with_the_public_key_as_a_secret_is_401(store: Store) {
    let app = App::quiet(store);
    let mut token = Jwt::parse(app.api.token());
    let keys = jwks(&app).await;
    let key = &keys["keys"][0];
    for secret in [
        jwt::point(key),
        jwt::spki(key),
        jwt::pem(key).into_bytes(),
        key.to_string().into_bytes(),
    ] {
        for alg in ["HS256", "ES256"] {
            token.header["alg"] = json!(alg);
            refuses(&app, &token.signed_by_secret(&secret)).await;
        }
    }
}

async fn a_token_of_ours_with_other_claims_is_401(store: Store) {
    let app = App::quiet(store);
    let token = Jwt::parse(app.api.token());
    let kid = token.header["kid"].as_str().unwrap();
    let key = jwt::read_key(&app.site.data().join("keys").join(kid));
    // Signed by the right key, it is as good as the original.
    let same = app.api.with_token(&token.signed_by(&key));
    assert_eq!(same.get(Api::LIST).await.status, 200);
    let iat = token.claims["iat"].as_i64().unwrap();
    for (claim, values) in [
        ("iss", vec![json!("https://other.example"), json!(null)]),
        (
            "aud",
            vec![json!("https://other.example"), json!([]), json!(null)],
        ),
        (
            "exp",
            vec![json!(iat - 1), json!(0), json!(null), json!("4000000000")],
        ),
        (
            "client_id",
            vec![json!("0190a0a0-0000-7000-8000-000000000000"), json!(null)],
        ),
    ] {
        for value in values {
            let mut other = token.clone();
            if value.is_null() {
                other.claims.as_object_mut().unwrap().remove(claim);
            } else {
                other.claims[claim] = value;
            }
            refuses(&app, &other.signed_by(&key)).await;
        }
    }
    // RFC 9068 §4: other kinds of tokens are no access tokens.
    for typ in [json!("JWT"), json!("id+jwt"), json!(null)] {
        let mut other = token.clone();
        other.header["typ"] = typ;
        refuses(&app, &other.signed_by(&key)).await;
    }
    for alg in ["ES384", "RS256", "HS256", "none"] {
        let mut other = token.clone();
        other.header["alg"] = json!(alg);
        refuses(&app, &other.signed_by(&key)).await;
    }
    // RFC 7515 §4.1.11: what a token calls critical has to be understood.
    let mut critical = token.clone();
    critical.header["crit"] = json!(["unheard"]);
    critical.header["unheard"] = json!(true);
    refuses(&app, &critical.signed_by(&key)).await;
}

async fn a_token_expires(store: Store) {
    let site = Site::new(store).with("POSTHASTE_TOKEN_TTL", "3");
    let _server = site.serve(&["--no-worker"]);
    let app = App::at(site);
    let claims = Jwt::parse(app.api.token()).claims;
    assert_eq!(
        claims["exp"].as_i64().unwrap() - claims["iat"].as_i64().unwrap(),
        3
    );
    assert_eq!(app.api.get(Api::LIST).await.status, 200);
    tokio::time::sleep(std::time::Duration::from_millis(4_100)).await;
    refuses(&app, app.api.token()).await;
    assert_eq!(
        app.api.with_token(&app.token()).get(Api::LIST).await.status,
        200
    );
}

async fn a_scope_that_is_missing_is_403(store: Store) {
    let app = App::quiet(store);
    let known = fresh("known");
    app.put(&known, &minimal()).await.created();
    let (reader, writer) = (
        app.restricted("job-postings:read"),
        app.restricted("job-postings:write"),
    );
    let stranger = app.restricted("newsletter-subscribers:write");

    for api in [&reader, &writer] {
        assert_eq!(api.get(&Api::path(&known)).await.status, 200);
        assert_eq!(api.get(Api::LIST).await.status, 200);
    }
    writer.put(&known, &json!({})).await.updated();
    for answer in [
        reader.put(&known, &json!({"title": "Changed"})).await,
        stranger.put(&known, &json!({"title": "Changed"})).await,
        stranger.get(&Api::path(&known)).await,
        stranger.get(&Api::path("unknown")).await,
        stranger.get(Api::LIST).await,
    ] {
        answer.error(403);
        let challenge = answer.header("www-authenticate");
        assert!(
            challenge.contains(r#"error="insufficient_scope""#),
            "{challenge}"
        );
    }
    assert_eq!(app.show(&known).await["title"], "Gardener");
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
    // Nobody else is concerned.
    assert_eq!(app.api.get(Api::LIST).await.status, 200);
}
