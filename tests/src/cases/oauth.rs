//! The token endpoint (RFC 6749 §4.4) and what describes it.

use reqwest::{Method, header::HeaderMap};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::harness::{App, SCOPES, Site, Store, create_client, jwt::Jwt, raw};

on_every_store! {
    a_client_may_authenticate_in_the_body_or_by_basic,
    a_token_is_an_rfc_9068_access_token,
    a_token_is_signed_by_a_key_of_the_key_set,
    the_key_set_has_public_keys_only,
    no_scope_means_all_scopes_of_the_client,
    a_token_has_the_scopes_that_were_asked_for,
    scopes_that_are_not_the_clients_are_refused,
    other_grants_are_refused,
    bad_credentials_are_401_invalid_client,
    what_is_no_token_request_is_refused,
    basic_with_the_same_client_in_the_body_is_one_client,
    basic_values_are_percent_decoded,
    no_answer_may_be_stored,
    the_metadata_describes_the_service,
    public_url_is_issuer_and_audience,
}

/// An answer of the token endpoint.
struct Granted {
    status: u16,
    headers: HeaderMap,
    body: Value,
}

impl Granted {
    #[track_caller]
    fn is_error(&self, status: u16, error: &str) {
        assert_eq!(
            (self.status, &self.body["error"]),
            (status, &json!(error)),
            "{}",
            self.body
        );
        let description = self.body["error_description"].as_str().unwrap_or_default();
        // RFC 6749 §5.2: the characters that it may have.
        let fits = |c: char| matches!(c, ' ' | '!' | '#'..='[' | ']'..='~');
        assert!(
            !description.is_empty() && description.chars().all(fits),
            "{description:?}"
        );
    }

    fn token(&self) -> String {
        assert_eq!(self.status, 200, "{}", self.body);
        self.body["access_token"].as_str().unwrap().to_owned()
    }
}

/// Asks for a token with a form, and by Basic if there are credentials.
async fn ask(app: &App, form: &[(&str, &str)], basic: Option<(&str, &str)>) -> Granted {
    let mut request = app.api.request(Method::POST, "/oauth/token").form(form);
    if let Some((id, secret)) = basic {
        request = request.basic_auth(id, Some(secret));
    }
    granted(request).await
}

async fn granted(request: reqwest::RequestBuilder) -> Granted {
    let response = request.send().await.unwrap();
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let text = response.text().await.unwrap();
    let body = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert!(headers.contains_key("x-request-id"));
    Granted {
        status,
        headers,
        body,
    }
}

const GRANT: (&str, &str) = ("grant_type", "client_credentials");

/// A form with the credentials of the app's client.
fn form<'a>(app: &'a App, more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let own = [
        GRANT,
        ("client_id", &app.client_id),
        ("client_secret", &app.client_secret),
    ];
    [&own[..], more].concat()
}

async fn a_client_may_authenticate_in_the_body_or_by_basic(store: Store) {
    let app = App::quiet(store);
    let scope = ("scope", "job-postings:write");
    let in_body = ask(&app, &form(&app, &[scope]), None).await;
    let by_basic = ask(
        &app,
        &[GRANT, scope],
        Some((&app.client_id, &app.client_secret)),
    )
    .await;
    for granted in [in_body, by_basic] {
        assert_eq!(granted.status, 200, "{}", granted.body);
        assert_eq!(
            granted.body["token_type"].as_str().unwrap().to_lowercase(),
            "bearer"
        );
        assert_eq!(granted.body["expires_in"], 3600);
        assert_eq!(granted.body["scope"], "job-postings:write");
        assert_eq!(granted.body.get("refresh_token"), None);
        let api = app.api.with_token(&granted.token());
        assert_eq!(api.get(crate::harness::Api::LIST).await.status, 200);
    }
}

async fn a_token_is_an_rfc_9068_access_token(store: Store) {
    let app = App::quiet(store);
    let (first, second) = (Jwt::parse(&app.token()), Jwt::parse(&app.token()));
    assert_eq!(first.header["alg"], "ES256");
    assert_eq!(first.header["typ"], "at+jwt");
    assert!(
        first.header["kid"]
            .as_str()
            .unwrap()
            .parse::<Uuid>()
            .is_ok()
    );
    let claims = &first.claims;
    assert_eq!(claims["iss"], json!(app.site.url()));
    let audience = &claims["aud"];
    assert!(
        *audience == json!(app.site.url()) || *audience == json!([app.site.url()]),
        "{audience}"
    );
    assert_eq!(claims["sub"], json!(app.client_id));
    assert_eq!(claims["client_id"], json!(app.client_id));
    let (issued, expires) = (
        claims["iat"].as_i64().unwrap(),
        claims["exp"].as_i64().unwrap(),
    );
    assert_eq!(expires - issued, 3600);
    assert!((time::OffsetDateTime::now_utc().unix_timestamp() - issued).abs() < 60);
    let mut scopes: Vec<&str> = claims["scope"].as_str().unwrap().split(' ').collect();
    scopes.sort_unstable();
    let mut expect = SCOPES;
    expect.sort_unstable();
    assert_eq!(scopes, expect);
    assert_ne!(claims["jti"], Value::Null);
    assert_ne!(claims["jti"], second.claims["jti"]);
}

async fn a_token_is_signed_by_a_key_of_the_key_set(store: Store) {
    let app = App::quiet(store);
    let keys = app.api.get("/.well-known/jwks.json").await.json();
    assert!(Jwt::parse(app.api.token()).is_signed_by(&keys), "{keys}");
}

async fn the_key_set_has_public_keys_only(store: Store) {
    let app = App::quiet(store);
    let answer = app
        .api
        .request(Method::GET, "/.well-known/jwks.json")
        .send()
        .await
        .unwrap();
    let keys: Value = answer.json().await.unwrap();
    for key in keys["keys"].as_array().unwrap() {
        assert_eq!((&key["kty"], &key["crv"]), (&json!("EC"), &json!("P-256")));
        assert_eq!((&key["use"], &key["alg"]), (&json!("sig"), &json!("ES256")));
        assert!(key["kid"].is_string() && key["x"].is_string() && key["y"].is_string());
        assert_eq!(key.get("d"), None);
    }
}

async fn no_scope_means_all_scopes_of_the_client(store: Store) {
    let app = App::quiet(store);
    let (id, secret) = create_client(&app.site, &["job-postings:read", "job-postings:write"]);
    for more in [&[][..], &[("scope", "")]] {
        let form = [
            &[GRANT, ("client_id", &id), ("client_secret", &secret)],
            more,
        ]
        .concat();
        let granted = ask(&app, &form, None).await;
        assert_eq!(granted.status, 200, "{}", granted.body);
        let mut scopes: Vec<&str> = granted.body["scope"].as_str().unwrap().split(' ').collect();
        scopes.sort_unstable();
        assert_eq!(scopes, ["job-postings:read", "job-postings:write"]);
    }
}

async fn a_token_has_the_scopes_that_were_asked_for(store: Store) {
    let app = App::quiet(store);
    for scope in ["job-postings:read", "job-postings:write job-postings:read"] {
        let granted = ask(&app, &form(&app, &[("scope", scope)]), None).await;
        let claims = Jwt::parse(&granted.token()).claims;
        let sorted = |text: &Value| {
            let mut scopes: Vec<String> = text
                .as_str()
                .unwrap()
                .split(' ')
                .map(str::to_owned)
                .collect();
            scopes.sort();
            scopes
        };
        assert_eq!(sorted(&claims["scope"]), sorted(&json!(scope)));
    }
}

async fn scopes_that_are_not_the_clients_are_refused(store: Store) {
    let app = App::quiet(store);
    let (id, secret) = create_client(&app.site, &["job-postings:read"]);
    for scope in [
        "job-postings:write",
        "job-postings:read job-postings:write",
        "unheard",
        "*",
        "job-postings:read unheard",
        "job-postings:READ",
        "\"",
    ] {
        let form = [
            GRANT,
            ("client_id", &id),
            ("client_secret", &secret),
            ("scope", scope),
        ];
        ask(&app, &form, None).await.is_error(400, "invalid_scope");
    }
}

async fn other_grants_are_refused(store: Store) {
    let app = App::quiet(store);
    for grant in [
        "password",
        "authorization_code",
        "refresh_token",
        "CLIENT_CREDENTIALS",
        "x y",
    ] {
        let mut form = form(&app, &[]);
        form[0].1 = grant;
        ask(&app, &form, None)
            .await
            .is_error(400, "unsupported_grant_type");
    }
    ask(&app, &form(&app, &[])[1..], None)
        .await
        .is_error(400, "invalid_request");
}

async fn bad_credentials_are_401_invalid_client(store: Store) {
    let app = App::quiet(store);
    let (id, secret) = (app.client_id.as_str(), app.client_secret.as_str());
    let nobody = Uuid::new_v4().to_string();
    let wrong = format!("{secret}x");
    let shouted = secret.to_uppercase();
    for (id, secret) in [
        (id, "wrong"),
        (id, ""),
        (id, wrong.as_str()),
        (id, shouted.as_str()),
        (&nobody, secret),
        ("x", "y"),
        ("'", "'"),
        ("\0", "\0"),
    ] {
        let form = [GRANT, ("client_id", id), ("client_secret", secret)];
        ask(&app, &form, None).await.is_error(401, "invalid_client");
        if id != "\0" {
            let granted = ask(&app, &[GRANT], Some((id, secret))).await;
            granted.is_error(401, "invalid_client");
            let challenge = granted.headers["www-authenticate"].to_str().unwrap();
            assert!(challenge.starts_with("Basic"), "{challenge}");
        }
    }
    // Nobody at all, or half of somebody.
    ask(&app, &[GRANT], None)
        .await
        .is_error(401, "invalid_client");
    ask(&app, &[GRANT, ("client_id", id)], None)
        .await
        .is_error(401, "invalid_client");
    for authorization in ["Basic", "Basic !", "Basic Zm9v", "Bearer x", "Digest x"] {
        let request = app.api.request(Method::POST, "/oauth/token").form(&[GRANT]);
        let granted = granted(request.header("authorization", authorization)).await;
        granted.is_error(401, "invalid_client");
    }
}

async fn what_is_no_token_request_is_refused(store: Store) {
    let app = App::quiet(store);
    for more in [
        [GRANT],
        [("client_id", app.client_id.as_str())],
        [("client_secret", app.client_secret.as_str())],
    ] {
        ask(&app, &form(&app, &more), None)
            .await
            .is_error(400, "invalid_request");
    }
    let twice = [
        ("scope", "job-postings:read"),
        ("scope", "job-postings:read"),
    ];
    ask(&app, &form(&app, &twice), None)
        .await
        .is_error(400, "invalid_request");
    ask(&app, &[], None).await.is_error(400, "invalid_request");

    let request = app.api.request(Method::POST, "/oauth/token");
    let request = request
        .header("content-type", "text/plain")
        .body("grant_type=client_credentials");
    let answer = request.send().await.unwrap();
    assert!([400, 415].contains(&answer.status().as_u16()), "{answer:?}");
}

async fn basic_with_the_same_client_in_the_body_is_one_client(store: Store) {
    let app = App::quiet(store);
    let basic = Some((app.client_id.as_str(), app.client_secret.as_str()));
    // Some clients send this.
    ask(&app, &[GRANT, ("client_id", &app.client_id)], basic)
        .await
        .token();
    // Two clients, or two methods (RFC 6749 §2.3), are one too many.
    let other = Uuid::new_v4().to_string();
    let granted = ask(&app, &[GRANT, ("client_id", &other)], basic).await;
    assert!([400, 401].contains(&granted.status), "{}", granted.body);
}

async fn basic_values_are_percent_decoded(store: Store) {
    use base64::{Engine, prelude::BASE64_STANDARD};

    let app = App::quiet(store);
    // RFC 6749 §2.3.1: both are encoded as in a form, and some clients encode it all.
    let encoded = |text: &str| {
        let octets: Vec<String> = text.bytes().map(|byte| format!("%{byte:02x}")).collect();
        octets.concat()
    };
    let pair = format!(
        "{}:{}",
        encoded(&app.client_id),
        encoded(&app.client_secret)
    );
    let authorization = format!("Basic {}", BASE64_STANDARD.encode(pair));
    let request = app.api.request(Method::POST, "/oauth/token").form(&[GRANT]);
    granted(request.header("authorization", authorization))
        .await
        .token();
}

async fn no_answer_may_be_stored(store: Store) {
    let app = App::quiet(store);
    for granted in [
        ask(&app, &form(&app, &[]), None).await,
        ask(&app, &[GRANT], None).await,
    ] {
        let control = granted.headers["cache-control"].to_str().unwrap();
        assert!(control.contains("no-store"), "{control}");
    }
}

async fn the_metadata_describes_the_service(store: Store) {
    let app = App::quiet(store);
    let path = "/.well-known/oauth-authorization-server";
    let answer = app.api.request(Method::GET, path).send().await.unwrap();
    let metadata: Value = answer.json().await.unwrap();
    let url = app.site.url();
    assert_eq!(metadata["issuer"], json!(url));
    assert_eq!(
        metadata["token_endpoint"],
        json!(format!("{url}/oauth/token"))
    );
    assert_eq!(
        metadata["jwks_uri"],
        json!(format!("{url}/.well-known/jwks.json"))
    );
    assert_eq!(
        metadata["grant_types_supported"],
        json!(["client_credentials"])
    );
    let has = |list: &str, item: &str| metadata[list].as_array().unwrap().contains(&json!(item));
    for scope in SCOPES {
        assert!(has("scopes_supported", scope), "{metadata}");
    }
    for method in ["client_secret_basic", "client_secret_post"] {
        assert!(
            has("token_endpoint_auth_methods_supported", method),
            "{metadata}"
        );
    }
}

async fn public_url_is_issuer_and_audience(store: Store) {
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
    assert_eq!(app.api.get(crate::harness::Api::LIST).await.status, 200);
}
