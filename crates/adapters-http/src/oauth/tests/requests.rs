//! Token requests and their exact answers.

use std::num::NonZeroU32;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use futures_util::future::join_all;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::json;

use super::*;

const READERS: &[Scope] = &[Scope::JobPostingsRead];

/// Requests and their answers. The columns are the name, `Authorization` (`&` separates two
/// headers), form, status and error. [`filled`] replaces words in capitals; text in braces becomes
/// base64.
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

const OTHER: &str = "01234567-89ab-4cde-8f01-23456789abcd";

fn filled(text: &str, id: ClientId, secret: &str) -> String {
    let id = id.to_string();
    let encoded = |text| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    let unpadded = STANDARD.encode(format!("{id}:{secret}"));
    // Random values are filled in last, because a secret may contain one of the words.
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
        let headers = authorization.split('&').filter(|header| !header.is_empty());
        let headers = headers.map(|header| filled(header.trim(), id, &secret));
        let headers: Vec<_> = headers.collect();
        let headers = headers
            .iter()
            .map(|header| ("authorization", header.as_str()));
        let headers: Vec<_> = headers.collect();
        let answer = harness.post(&headers, &filled(form, id, &secret)).await;

        assert_eq!(answer.status.to_string(), status, "{name}: {}", answer.body);
        let challenge = (answer.status == 401).then_some("Basic realm=\"posthaste\"");
        for (header, expect) in [
            ("cache-control", Some("no-store")),
            ("pragma", Some("no-cache")),
            ("content-type", Some("application/json")),
            ("www-authenticate", challenge),
        ] {
            assert_eq!(answer.header(header), expect, "{name}");
        }
        if error.is_empty() {
            assert_eq!(answer.body["token_type"], "Bearer", "{name}");
            assert_eq!(answer.body["expires_in"], TTL, "{name}");
        } else {
            let message = answer.body["message"].as_str().unwrap();
            let expect = json!({"error": error, "error_description": message, "message": message});
            assert_eq!(answer.body, expect, "{name}");
        }
    }
}

/// Tests which kinds of bodies are read, and how others are refused.
#[actix_web::test]
async fn a_form_is_read_and_json_that_says_the_same() {
    const FORM: &str = "application/x-www-form-urlencoded";
    let harness = Harness::new();
    let (id, secret) = harness.client(READERS).await;
    let form = form(id, &secret);
    let good = json!({"grant_type": "client_credentials", "client_id": id.to_string(),
        "client_secret": secret, "scope": null, "x": "y"});
    let with = |name: &str, value: Value| {
        let mut body = good.clone();
        body[name] = value;
        body.to_string()
    };
    let twice = good.to_string().replacen('{', r#"{"client_id":"x","#, 1);
    let (json, invalid) = ("application/json", "invalid_request");
    for (kind, body, status, error) in [
        (FORM, form.clone(), 200, ""),
        (
            "application/x-www-form-urlencoded; charset=UTF-8",
            form.clone(),
            200,
            "",
        ),
        ("Application/X-WWW-Form-URLencoded", form.clone(), 200, ""),
        (FORM, "x".repeat(16 * 1024 + 1), 413, invalid),
        (json, form.clone(), 400, invalid),
        (
            "multipart/form-data; boundary=x",
            form.clone(),
            400,
            invalid,
        ),
        ("", form.clone(), 400, invalid),
        (json, good.to_string(), 200, ""),
        (json, with("scope", "job-postings:read".into()), 200, ""),
        (
            json,
            with("client_secret", "wrong".into()),
            401,
            "invalid_client",
        ),
        (json, with("scope", 5.into()), 400, invalid),
        (
            json,
            with("scope", "everything".into()),
            400,
            "invalid_scope",
        ),
        (json, twice, 400, invalid),
        (json, "[]".to_owned(), 400, invalid),
        (json, "{".to_owned(), 400, invalid),
    ] {
        let request = TestRequest::post().uri(token::PATH);
        let request = request.insert_header(("content-type", kind));
        let answer = harness.send(request.set_payload(body.clone())).await;
        assert_eq!(answer.status, status, "{kind} {body}: {}", answer.body);
        assert_eq!(
            answer.body["error"].as_str().unwrap_or_default(),
            error,
            "{body}"
        );
        assert_eq!(answer.header("cache-control"), Some("no-store"));
    }
    for (encoding, status) in [("gzip", 415), ("identity", 200)] {
        let answer = harness.post(&[("content-encoding", encoding)], &form).await;
        assert_eq!(answer.status, status, "{encoding}");
    }
    // Credentials in the query are ignored.
    let in_query = TestRequest::post().uri(&format!("{}?{form}", token::PATH));
    let in_query = in_query.insert_header(("content-type", FORM));
    let answer = harness
        .send(in_query.set_payload("grant_type=client_credentials"))
        .await;
    assert_eq!(answer.status, 401);
}

#[actix_web::test]
async fn the_token_has_the_scopes_that_were_asked_for_or_all() {
    let harness = Harness::new();
    let (id, secret) = harness
        .client(&[Scope::JobPostingsRead, Scope::WebhooksManage])
        .await;
    let both = "job-postings:read webhooks:manage";
    let has = "the client has: job-postings:read, webhooks:manage.";
    for (asked, granted) in [
        ("", Ok(both)),
        ("job-postings:read", Ok("job-postings:read")),
        ("webhooks:manage+job-postings:read", Ok(both)),
        (
            "job-postings:read++job-postings:read",
            Ok("job-postings:read"),
        ),
        (
            "job-postings:raed",
            Err("is unknown (is 'job-postings:read' meant?)"),
        ),
        ("job-postings:write", Err("is not one of the client's")),
        ("x", Err("is unknown")),
    ] {
        let form = format!("{}&scope={asked}", form(id, &secret));
        let body = harness.post(&[], &form).await.body;
        match granted {
            Ok(granted) => assert_eq!(body["scope"], granted, "{asked}"),
            Err(problem) => {
                let expect = format!("The scope '{asked}' {problem}; {has}");
                assert_eq!(body["error_description"], expect);
            }
        }
    }
    let (id, secret) = harness.client(&[]).await;
    let answer = harness.post(&[], &form(id, secret)).await;
    assert_eq!(
        (answer.status, &answer.body["error"]),
        (400, &json!("invalid_scope"))
    );
}

/// `access` decides which secrets are valid.
#[actix_web::test]
async fn a_new_secret_works_and_a_revoked_client_has_none_at_once() {
    let harness = Harness::new();
    let (id, first) = harness.client(READERS).await;
    let post = async |secret: &str| harness.post(&[], &form(id, secret)).await.status;
    assert_eq!(post(&first).await, 200);
    let second = ClientSecret::generate().unwrap();
    harness.clients.change(id, |client| {
        let write = client.rotate(second.digest(), Duration::MINUTE, at(0));
        *client = write.client;
    });
    for (seconds, of_first) in [(0, 200), (59, 200), (60, 401)] {
        harness.set_clock(seconds);
        assert_eq!(post(&first).await, of_first, "after {seconds} s");
        assert_eq!(post(second.expose()).await, 200);
        assert_eq!(post("another").await, 401);
    }
    let uses = harness.uses.0.lock().unwrap().clone();
    assert_eq!(uses.last(), Some(&(id, second.digest(), at(60))));
    assert_eq!(uses.len(), 6, "the issued tokens alone");
    harness.clients.revoke(id);
    assert_eq!(post(second.expose()).await, 401);
}

#[actix_web::test]
async fn without_a_store_or_a_key_there_is_no_token_until_there_is_one() {
    let harness = Harness::without_key();
    let (id, secret) = harness.client(READERS).await;
    let post = async || harness.post(&[], &form(id, &secret)).await;
    let answer = post().await;
    assert_eq!(
        (answer.status, answer.header("retry-after")),
        (503, Some("5"))
    );
    harness.folder.generate(key_id(at(0), 0)).unwrap();
    harness.authorizer.keys().reload();
    assert_eq!(post().await.status, 200);
    harness.clients.down.store(true, Ordering::SeqCst);
    let answer = post().await;
    assert_eq!(
        (answer.status, answer.header("retry-after")),
        (503, Some("5"))
    );
    assert!(!answer.body.to_string().contains("internals"));
}

async fn guess(harness: &Harness, id: impl Display, n: usize) -> u16 {
    harness.post(&[], &form(id, n)).await.status
}

#[actix_web::test]
async fn a_wrong_secret_reads_no_client_and_a_new_one_works_at_once() {
    let harness = Harness::new();
    let (id, secret) = harness.client(READERS).await;
    let post = async |secret: &str| harness.post(&[], &form(id, secret)).await.status;
    assert_eq!(post(&secret).await, 200);
    let finds = || harness.clients.finds.swap(0, Ordering::SeqCst);
    let looks = || harness.clients.looks.swap(0, Ordering::SeqCst);
    finds();
    looks();
    for seconds in [0, 5] {
        harness.set_clock(seconds);
        let guesses = join_all((0..500).map(|n| guess(&harness, id, n))).await;
        assert!(guesses.iter().all(|status| *status == 401));
        assert!((1..=2).contains(&looks()), "all at a time are one read");
        assert_eq!(finds(), 0);
    }
    assert_eq!(post(&secret).await, 200);
    assert_eq!(finds(), 1);
    let secret = ClientSecret::generate().unwrap();
    harness.clients.change(id, |client| {
        *client = client.rotate(secret.digest(), Duration::ZERO, at(0)).client;
    });
    assert_eq!(post(secret.expose()).await, 200);
    // The secrets of a revoked client are not read either.
    harness
        .clients
        .change(id, |client| *client = client.revoke(at(0)).unwrap().client);
    assert_eq!(post(secret.expose()).await, 401);
    finds();
    assert_eq!(post(secret.expose()).await, 401);
    assert_eq!(finds(), 0);
}

#[actix_web::test]
async fn strangers_keep_no_client_from_a_token_that_a_process_does_not_know() {
    let harness = Harness::new();
    let mut clients = Vec::new();
    for _ in 0..6 {
        clients.push(harness.client(READERS).await);
    }
    let stranger = async |n| (guess(&harness, Uuid::from_u128(n), 0).await, 401);
    let before = join_all((0..1_500).map(stranger));
    let known = clients.iter().map(async |(id, secret)| {
        let status = harness.post(&[], &form(id, secret)).await.status;
        (status, 200)
    });
    let after = join_all((1_500..3_000).map(stranger));
    let (before, known, after) = futures_util::join!(before, join_all(known), after);
    for (status, expect) in before.into_iter().chain(known).chain(after) {
        assert_eq!(status, expect);
    }
    let reads = |count: &AtomicUsize| count.load(Ordering::SeqCst);
    assert_eq!(reads(&harness.clients.finds), 6, "no stranger");
    assert!(reads(&harness.clients.looks) <= 10);
}

#[actix_web::test]
async fn a_token_counts_as_a_request_of_its_client() {
    let harness = Harness::new();
    let (id, secret) = harness.client(READERS).await;
    let limit = NonZeroU32::new(3);
    harness
        .clients
        .change(id, |client| client.requests_per_minute = limit);
    let form = form(id, &secret);
    let minted = harness.post(&[], &form).await;
    assert_eq!(minted.status, 200);
    let token = bearer(minted.body["access_token"].as_str().unwrap());
    assert_eq!(harness.authorize(&token, READERS).await, Ok(id));
    // Wrong secrets do not count towards the client's limit, but a wrong scope does.
    assert_eq!(guess(&harness, id, 0).await, 401);
    let wrong = harness.post(&[], &format!("{form}&scope=everything")).await;
    assert_eq!(wrong.status, 400);
    let refused = harness.post(&[], &form).await;
    assert_eq!(
        (refused.status, refused.header("retry-after")),
        (429, Some("20"))
    );
    assert_eq!(refused.body["error"], "temporarily_unavailable");
    let limited = harness.authorize(&token, READERS).await;
    assert!(matches!(limited, Err(AuthError::Limited { .. })));
}
