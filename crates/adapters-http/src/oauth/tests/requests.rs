//! Token requests and their exact answers.

use std::num::NonZeroU32;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::*;

/// Requests and their answers: name, `Authorization` (`&` between two), form, status, error.
/// Words in capitals are placeholders that [`filled`] replaces; text in braces is sent as base64.
const TABLE: &str = "
post                                             |                   | GRANT&POST                                                  | 200 |
basic                                            | BASIC             | GRANT                                                       | 200 |
basic, scheme in another case                    | bAsIc {ID:SECRET} | GRANT                                                       | 200 |
basic, percent-encoded                           | Basic {ENCODED}   | GRANT                                                       | 200 |
basic without padding                            | UNPADDED          | GRANT                                                       | 200 |
basic and the same id in the form                | BASIC             | GRANT&client_id=ID                                          | 200 |
basic and another id in the form                 | BASIC             | GRANT&client_id=OTHER                                       | 400 | invalid_request
basic and the secret in the form                 | BASIC             | GRANT&POST                                                  | 400 | invalid_request
two authorization headers                        | BASIC & BASIC     | GRANT                                                       | 400 | invalid_request
an empty scope                                   |                   | GRANT&POST&scope=                                           | 200 |
a blank scope                                    |                   | GRANT&POST&scope=+                                          | 200 |
unknown parameters                               |                   | GRANT&POST&foo=1&resource=a&resource=b                      | 200 |
nothing                                          |                   |                                                             | 400 | invalid_request
no grant                                         | BASIC             | scope=job-postings%3Aread                                   | 400 | invalid_request
an empty grant                                   | BASIC             | grant_type=                                                 | 400 | invalid_request
no grant and no credentials                      |                   | scope=job-postings%3Aread                                   | 400 | invalid_request
no grant and broken credentials                  | Basic ###         |                                                             | 400 | invalid_request
another grant                                    | BASIC             | grant_type=password&username=a&password=b                   | 400 | unsupported_grant_type
another grant and no credentials                 |                   | grant_type=authorization_code                               | 400 | unsupported_grant_type
a grant in another case                          | BASIC             | grant_type=Client_Credentials                               | 400 | unsupported_grant_type
no credentials                                   |                   | GRANT                                                       | 401 | invalid_client
an id alone                                      |                   | GRANT&client_id=ID                                          | 401 | invalid_client
a secret alone                                   |                   | GRANT&client_secret=SECRET                                  | 401 | invalid_client
an empty secret                                  |                   | GRANT&client_id=ID&client_secret=                           | 401 | invalid_client
a wrong secret                                   |                   | GRANT&POSTx                                                 | 401 | invalid_client
an unknown id                                    |                   | GRANT&client_id=OTHER&client_secret=SECRET                  | 401 | invalid_client
an id that is no UUID                            |                   | GRANT&client_id=scraper&client_secret=SECRET                | 401 | invalid_client
basic, broken base64                             | Basic ###         | GRANT                                                       | 401 | invalid_client
basic, not UTF-8                                 | Basic /////w==    | GRANT                                                       | 401 | invalid_client
basic, no colon                                  | Basic {ID}        | GRANT                                                       | 401 | invalid_client
basic, nothing                                   | Basic             | GRANT                                                       | 401 | invalid_client
basic, no secret                                 | Basic {ID:}       | GRANT                                                       | 401 | invalid_client
basic, broken, with good credentials in the form | Basic ###         | GRANT&POST                                                  | 401 | invalid_client
another scheme                                   | Bearer abc        | GRANT                                                       | 401 | invalid_client
a scope it may have                              | BASIC             | GRANT&scope=job-postings%3Awrite                            | 200 |
a scope it may not have                          | BASIC             | GRANT&scope=newsletter-subscribers%3Awrite                  | 400 | invalid_scope
one scope it may have and one not                | BASIC             | GRANT&scope=job-postings:write+newsletter-subscribers:write | 400 | invalid_scope
an unknown scope                                 | BASIC             | GRANT&scope=everything                                      | 400 | invalid_scope
a malformed scope                                | BASIC             | GRANT&scope=%22                                             | 400 | invalid_scope
a scope with a tab                               | BASIC             | GRANT&scope=job-postings:write%09job-postings:read          | 400 | invalid_scope
a wrong secret with an unknown scope             |                   | GRANT&client_id=ID&client_secret=x&scope=everything         | 401 | invalid_client
grant_type twice                                 | BASIC             | GRANT&GRANT                                                 | 400 | invalid_request
scope twice                                      | BASIC             | GRANT&scope=job-postings:read&scope=job-postings:write      | 400 | invalid_request
scope twice, once empty                          | BASIC             | GRANT&scope=&scope=job-postings:write                       | 400 | invalid_request
client_id twice                                  |                   | GRANT&client_id=ID&POST                                     | 400 | invalid_request
an unknown parameter twice                       | BASIC             | GRANT&foo=1&foo=2                                           | 400 | invalid_request
not UTF-8                                        | BASIC             | GRANT&scope=%ff                                             | 400 | invalid_request
";

/// The id of no client.
const OTHER: &str = "01234567-89ab-4cde-8f01-23456789abcd";

fn filled(text: &str, id: ClientId, secret: &str) -> String {
    let id = id.to_string();
    let encoded = |text| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    let unpadded = STANDARD.encode(format!("{id}:{secret}"));
    // What is random comes last: a secret may well contain one of the words.
    let text = text
        .replace("GRANT", "grant_type=client_credentials")
        .replace("POST", "client_id=ID&client_secret=SECRET")
        .replace("BASIC", "Basic {ID:SECRET}")
        .replace("OTHER", OTHER)
        .replace("ID", &id)
        .replace("ENCODED", &format!("{}:{}", encoded(&id), encoded(secret)))
        .replace(
            "UNPADDED",
            &format!("Basic {}", unpadded.trim_end_matches('=')),
        )
        .replace("SECRET", secret);
    let Some((before, rest)) = text.split_once('{') else {
        return text;
    };
    let (pair, after) = rest.split_once('}').unwrap();
    format!("{before}{}{after}", STANDARD.encode(pair))
}

#[actix_web::test]
async fn every_request_gets_its_answer() {
    let harness = Harness::new();
    let (id, secret) = harness
        .client(&[Scope::JobPostingsRead, Scope::JobPostingsWrite])
        .await;
    for line in TABLE.trim().lines() {
        let columns: Vec<&str> = line.split('|').map(str::trim).collect();
        let &[name, authorization, form, status, error] = &columns[..] else {
            panic!("{line}")
        };
        let headers: Vec<String> = authorization
            .split('&')
            .filter(|header| !header.is_empty())
            .map(|header| filled(header.trim(), id, &secret))
            .collect();
        let headers: Vec<(&str, &str)> = headers
            .iter()
            .map(|header| ("authorization", header.as_str()))
            .collect();
        let answer = harness.post(&headers, &filled(form, id, &secret)).await;

        assert_eq!(answer.status.to_string(), status, "{name}: {}", answer.body);
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{name}");
        assert_eq!(answer.header("pragma"), Some("no-cache"), "{name}");
        assert_eq!(
            answer.header("content-type"),
            Some("application/json"),
            "{name}"
        );
        if error.is_empty() {
            assert_eq!(answer.body["token_type"], "Bearer", "{name}");
            assert_eq!(answer.body["expires_in"], TTL, "{name}");
        } else {
            assert_eq!(answer.body["error"], error, "{name}");
            assert!(answer.body["error_description"].is_string(), "{name}");
            let message = &answer.body["message"];
            assert_eq!(message, &answer.body["error_description"], "{name}");
            assert_eq!(answer.body.as_object().unwrap().len(), 3, "{name}");
        }
        let challenge = (answer.status == 401).then_some("Basic realm=\"posthaste\"");
        assert_eq!(answer.header("www-authenticate"), challenge, "{name}");
    }
}

#[actix_web::test]
async fn only_a_form_is_read() {
    let harness = Harness::new();
    let (id, secret) = harness.client(&[Scope::JobPostingsRead]).await;
    for (content_type, status) in [
        (Some("application/x-www-form-urlencoded"), 200),
        (
            Some("application/x-www-form-urlencoded; charset=UTF-8"),
            200,
        ),
        (Some("Application/X-WWW-Form-URLencoded"), 200),
        (Some("application/json"), 400),
        (Some("multipart/form-data; boundary=x"), 400),
        (Some(""), 400),
        (None, 400),
    ] {
        let mut request = TestRequest::post().uri(token::PATH);
        if let Some(content_type) = content_type {
            request = request.insert_header(("content-type", content_type));
        }
        let answer = harness
            .send(request.set_payload(filled("GRANT&POST", id, &secret)))
            .await;
        assert_eq!(answer.status, status, "{content_type:?}");
        if status == 400 {
            assert_eq!(answer.body["error"], "invalid_request", "{content_type:?}");
        }
    }
}

#[actix_web::test]
async fn json_says_the_same_as_a_form() {
    let harness = Harness::new();
    let (id, secret) = harness.client(&[Scope::JobPostingsRead]).await;
    let id = id.to_string();
    let good = serde_json::json!({"grant_type": "client_credentials", "client_id": id,
        "client_secret": secret, "scope": null, "x": "y"});
    let with = |name: &str, value: Value| {
        let mut body = good.clone();
        body[name] = value;
        body.to_string()
    };
    let twice = good.to_string().replacen('{', r#"{"client_id":"x","#, 1);
    for (body, status, error) in [
        (good.to_string(), 200, None),
        (with("scope", "job-postings:read".into()), 200, None),
        (
            with("client_secret", "wrong".into()),
            401,
            Some("invalid_client"),
        ),
        (with("scope", 5.into()), 400, Some("invalid_request")),
        (
            with("scope", "everything".into()),
            400,
            Some("invalid_scope"),
        ),
        (twice, 400, Some("invalid_request")),
        ("[]".to_owned(), 400, Some("invalid_request")),
        ("{".to_owned(), 400, Some("invalid_request")),
    ] {
        let request = TestRequest::post()
            .uri(token::PATH)
            .insert_header(("content-type", "application/json"))
            .set_payload(body.clone());
        let answer = harness.send(request).await;
        assert_eq!(answer.status, status, "{body}: {}", answer.body);
        assert_eq!(answer.body["error"].as_str(), error, "{body}");
    }
}

#[actix_web::test]
async fn a_scope_that_is_not_granted_is_named_with_those_that_the_client_has() {
    let harness = Harness::new();
    let scopes = [Scope::JobPostingsRead, Scope::WebhooksManage];
    let (id, secret) = harness.client(&scopes).await;
    let has = "the client has: job-postings:read, webhooks:manage.";
    for (scope, problem) in [
        (
            "job-postings:raed",
            "is unknown (is 'job-postings:read' meant?)",
        ),
        ("job-postings:write", "is not one of the client's"),
        ("x", "is unknown"),
    ] {
        let form = format!("{}&scope={scope}", filled("GRANT&POST", id, &secret));
        let answer = harness.post(&[], &form).await;
        let expect = format!("The scope '{scope}' {problem}; {has}");
        assert_eq!(answer.body["error_description"], expect);
    }
}

#[actix_web::test]
async fn a_compressed_form_is_not_read() {
    let harness = Harness::new();
    let (id, secret) = harness.client(&[Scope::JobPostingsRead]).await;
    let form = filled("GRANT&POST", id, &secret);
    for (encoding, status) in [("gzip", 415), ("identity", 200)] {
        let answer = harness.post(&[("content-encoding", encoding)], &form).await;
        assert_eq!(answer.status, status, "{encoding}");
    }
}

#[actix_web::test]
async fn the_token_has_the_scopes_that_were_asked_for_or_all() {
    let harness = Harness::new();
    let (id, secret) = harness
        .client(&[Scope::JobPostingsRead, Scope::JobPostingsWrite])
        .await;
    for (asked, granted) in [
        ("", "job-postings:write job-postings:read"),
        ("&scope=", "job-postings:write job-postings:read"),
        ("&scope=job-postings:read", "job-postings:read"),
        (
            "&scope=job-postings:read+job-postings:write",
            "job-postings:write job-postings:read",
        ),
        (
            "&scope=job-postings:read++job-postings:read",
            "job-postings:read",
        ),
    ] {
        let form =
            format!("grant_type=client_credentials&client_id={id}&client_secret={secret}{asked}");
        let answer = harness.post(&[], &form).await;
        assert_eq!(answer.body["scope"], granted, "{asked}");
    }
}

#[actix_web::test]
async fn a_client_without_scopes_gets_no_token() {
    let harness = Harness::new();
    let (id, secret) = harness.client(&[]).await;
    let form = format!("grant_type=client_credentials&client_id={id}&client_secret={secret}");
    let answer = harness.post(&[], &form).await;
    assert_eq!(
        (answer.status, &answer.body["error"]),
        (400, &Value::from("invalid_scope"))
    );
}

#[actix_web::test]
async fn two_secrets_are_live_and_a_new_one_works_at_once() {
    let harness = Harness::new();
    let (id, first) = harness.client(&[Scope::JobPostingsRead]).await;
    let post = async |secret: &str| {
        let form = format!("grant_type=client_credentials&client_id={id}&client_secret={secret}");
        harness.post(&[], &form).await.status
    };
    let rotate = |seconds| {
        let secret = ClientSecret::generate().unwrap();
        harness.clients.change(id, |client| {
            let overlap = Duration::seconds(60);
            let write = client.rotate(secret.digest(), overlap, at(seconds));
            *client = write.client;
        });
        secret.expose().to_owned()
    };
    assert_eq!(post(&first).await, 200);
    let second = rotate(0);
    for (seconds, of_first) in [(0, 200), (59, 200), (60, 401)] {
        harness.set_clock(seconds);
        assert_eq!(post(&first).await, of_first, "after {seconds} s");
        assert_eq!(post(&second).await, 200);
        assert_eq!(post("another").await, 401);
    }
    let third = rotate(60);
    let fourth = rotate(60);
    for (secret, status) in [(second, 401), (third.clone(), 200), (fourth.clone(), 200)] {
        assert_eq!(post(&secret).await, status);
    }
    let uses = harness.uses.0.lock().unwrap();
    let last: Vec<_> = uses.iter().rev().take(2).rev().copied().collect();
    let digest = |secret: &str| tokens::secret_digest(secret.as_bytes());
    let expect = [third, fourth].map(|secret| (id, digest(&secret), at(60)));
    assert_eq!(last, expect);
    assert_eq!(uses.len(), 8, "the issued tokens alone");
}

#[actix_web::test]
async fn a_revoked_client_gets_no_token_at_once() {
    let harness = Harness::new();
    let (id, secret) = harness.client(&[Scope::JobPostingsRead]).await;
    let form = format!("grant_type=client_credentials&client_id={id}&client_secret={secret}");
    assert_eq!(harness.post(&[], &form).await.status, 200);
    harness.clients.revoke(id);
    let answer = harness.post(&[], &form).await;
    assert_eq!(
        (answer.status, &answer.body["error"]),
        (401, &Value::from("invalid_client"))
    );
}

#[actix_web::test]
async fn what_cannot_be_checked_is_503_and_tells_no_internals() {
    let harness = Harness::new();
    let (id, secret) = harness.client(&[Scope::JobPostingsRead]).await;
    harness.clients.down.store(true, Ordering::SeqCst);
    let form = format!("grant_type=client_credentials&client_id={id}&client_secret={secret}");
    let answer = harness.post(&[], &form).await;
    assert_eq!(answer.status, 503);
    assert_eq!(answer.header("retry-after"), Some("5"));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert!(!answer.body.to_string().contains("internals"));
}

#[actix_web::test]
async fn without_a_key_there_is_no_token_until_there_is_one() {
    let harness = Harness::without_key();
    let (id, secret) = harness.client(&[Scope::JobPostingsRead]).await;
    let form = format!("grant_type=client_credentials&client_id={id}&client_secret={secret}");
    let answer = harness.post(&[], &form).await;
    assert_eq!(
        (answer.status, answer.header("retry-after")),
        (503, Some("5"))
    );

    harness.folder.generate(key_id(at(0), 0)).unwrap();
    harness.authorizer.keys().reload();
    assert_eq!(harness.post(&[], &form).await.status, 200);
}

#[actix_web::test]
async fn a_body_past_16_kib_is_413() {
    let harness = Harness::new();
    let answer = harness.post(&[], &"x".repeat(16 * 1024 + 1)).await;
    assert_eq!(
        (answer.status, &answer.body["error"]),
        (413, &Value::from("invalid_request"))
    );
    assert_eq!(answer.header("cache-control"), Some("no-store"));
}

#[actix_web::test]
async fn credentials_in_the_query_count_for_nothing() {
    let harness = Harness::new();
    let (id, secret) = harness.client(&[Scope::JobPostingsRead]).await;
    let uri = format!("{}?client_id={id}&client_secret={secret}", token::PATH);
    let request = TestRequest::post()
        .uri(&uri)
        .insert_header(("content-type", "application/x-www-form-urlencoded"))
        .set_payload("grant_type=client_credentials");
    assert_eq!(harness.send(request).await.status, 401);
}

/// Asks for a token with a wrong secret.
async fn guess(harness: &Harness, id: impl std::fmt::Display, n: usize) -> u16 {
    let form = format!("grant_type=client_credentials&client_id={id}&client_secret={n}");
    harness.post(&[], &form).await.status
}

#[actix_web::test]
async fn wrong_secrets_cost_the_store_next_to_nothing() {
    let harness = Harness::new();
    let (id, secret) = harness.client(&[Scope::JobPostingsRead]).await;
    let form = format!("grant_type=client_credentials&client_id={id}&client_secret={secret}");
    assert_eq!(harness.post(&[], &form).await.status, 200);
    let finds = || harness.clients.finds.swap(0, Ordering::SeqCst);
    finds();
    for n in 0..100 {
        assert_eq!(guess(&harness, id, n).await, 401);
    }
    let asked = finds();
    assert!((1..=6).contains(&asked), "{asked}");
    // Who knows the secret is not held up.
    assert_eq!(harness.post(&[], &form).await.status, 200);
    assert_eq!(finds(), 1);
    // A new secret works by the next look at the latest.
    let secret = ClientSecret::generate().unwrap();
    harness.clients.change(id, |client| {
        *client = client.rotate(secret.digest(), Duration::ZERO, at(0)).client;
    });
    harness.set_clock(5);
    let form = filled("GRANT&POST", id, secret.expose());
    assert_eq!(harness.post(&[], &form).await.status, 200);
}

#[actix_web::test]
async fn unknown_clients_cost_the_store_a_limited_number_of_reads() {
    let harness = Harness::new();
    let (id, token) = harness.token(&[Scope::JobPostingsRead]).await;
    let (new, secret) = harness.client(&[Scope::JobPostingsRead]).await;
    let finds = || harness.clients.finds.swap(0, Ordering::SeqCst);
    finds();
    for n in 0..10 {
        assert_eq!(guess(&harness, OTHER, n).await, 401);
    }
    assert_eq!(finds(), 1);
    let mut refused = 0;
    for n in 0..1_000 {
        match guess(&harness, Uuid::from_u128(n), 0).await {
            401 => {}
            503 => refused += 1,
            other => panic!("{other}"),
        }
    }
    assert!((500..=600).contains(&finds()));
    assert!(refused >= 400, "{refused}");
    // Known clients are not held up, nor are others once that is over.
    let scopes = &[Scope::JobPostingsRead];
    assert_eq!(harness.authorize(&bearer(&token), scopes).await, Ok(id));
    assert_eq!(guess(&harness, id, 0).await, 401);
    harness.set_clock(60);
    let form = filled("GRANT&POST", new, &secret);
    assert_eq!(harness.post(&[], &form).await.status, 200);
}

#[actix_web::test]
async fn a_token_counts_as_a_request_of_its_client() {
    let harness = Harness::new();
    let (id, secret) = harness.client(&[Scope::JobPostingsRead]).await;
    let limit = NonZeroU32::new(3);
    harness
        .clients
        .change(id, |client| client.requests_per_minute = limit);
    let form = filled("GRANT&POST", id, &secret);
    let minted = harness.post(&[], &form).await;
    assert_eq!(minted.status, 200);
    let token = bearer(minted.body["access_token"].as_str().unwrap());
    let scopes = &[Scope::JobPostingsRead];
    assert_eq!(harness.authorize(&token, scopes).await, Ok(id));
    // Wrong secrets are not the client's, but a wrong scope is.
    assert_eq!(guess(&harness, id, 0).await, 401);
    let wrong = harness.post(&[], &format!("{form}&scope=everything")).await;
    assert_eq!(wrong.status, 400);
    let refused = harness.post(&[], &form).await;
    assert_eq!(
        (refused.status, refused.header("retry-after")),
        (429, Some("20"))
    );
    assert_eq!(refused.body["error"], "temporarily_unavailable");
    assert_eq!(refused.body["message"], refused.body["error_description"]);
    let limited = harness.authorize(&token, scopes).await;
    assert!(matches!(limited, Err(AuthError::Limited { .. })));
}
