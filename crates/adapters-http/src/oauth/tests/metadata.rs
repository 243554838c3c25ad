use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::json;

use super::*;

fn part(token: &str, n: usize) -> Vec<u8> {
    URL_SAFE_NO_PAD
        .decode(token.split('.').nth(n).unwrap())
        .unwrap()
}

#[actix_web::test]
async fn a_token_names_its_key_and_has_the_claims_of_rfc_9068() {
    let harness = Harness::new();
    let (client, token) = harness.token(&[Scope::JobPostingsWrite]).await;
    let answer = harness
        .send(TestRequest::get().uri("/.well-known/jwks.json"))
        .await;
    let key = &answer.body["keys"][0];
    assert_eq!(answer.header("cache-control"), Some("public, max-age=20"));
    let expect = json!({"kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig",
        "kid": key["kid"], "x": key["x"], "y": key["y"]});
    assert_eq!(*key, expect, "nothing private");

    let header: Value = serde_json::from_slice(&part(&token, 0)).unwrap();
    assert_eq!(
        header,
        json!({ "alg": "ES256", "typ": "at+jwt", "kid": key["kid"] })
    );

    let mut claims: Value = serde_json::from_slice(&part(&token, 1)).unwrap();
    let id = claims.as_object_mut().unwrap().remove("jti").unwrap();
    assert_eq!(id.as_str().unwrap().len(), 22, "128 bits");
    let (_, other) = harness.token(&[Scope::JobPostingsWrite]).await;
    let other: Value = serde_json::from_slice(&part(&other, 1)).unwrap();
    assert_ne!(id, other["jti"]);
    assert_eq!(
        claims,
        json!({
            "iss": ISSUER,
            "aud": ISSUER,
            "sub": client.to_string(),
            "client_id": client.to_string(),
            "scope": "job-postings:write",
            "iat": START,
            "exp": START + TTL,
        })
    );
}

#[actix_web::test]
async fn the_metadata_is_that_of_rfc_8414() {
    let harness = Harness::new();
    let uri = "/.well-known/oauth-authorization-server";
    let answer = harness.send(TestRequest::get().uri(uri)).await;
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(
        answer.body,
        json!({
            "issuer": ISSUER,
            "token_endpoint": format!("{ISSUER}/oauth/token"),
            "jwks_uri": format!("{ISSUER}/.well-known/jwks.json"),
            "grant_types_supported": ["client_credentials"],
            "response_types_supported": [],
            "scopes_supported":
                ["job-postings:write", "job-postings:read", "newsletter-subscribers:write",
                 "webhooks:manage", "reports:write"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
        })
    );
    assert_eq!(harness.send(TestRequest::post().uri(uri)).await.status, 405);
}

#[test]
fn an_issuer_with_a_slash_gives_no_double_one() {
    let metadata = Metadata::new("https://jobs.example/x/");
    let metadata = serde_json::to_value(metadata).unwrap();
    assert_eq!(
        metadata["token_endpoint"],
        "https://jobs.example/x/oauth/token"
    );
}
