use std::num::NonZeroU32;

use actix_web::{
    ResponseError as _,
    http::header::{RETRY_AFTER, WWW_AUTHENTICATE},
};

use super::*;
use crate::error::ApiError;

const READERS: &[Scope] = &[Scope::JobPostingsRead, Scope::JobPostingsWrite];

#[actix_web::test]
async fn any_one_of_the_scopes_is_enough() {
    let harness = Harness::new();
    let writers = &[Scope::JobPostingsWrite];
    for (has, needs, allowed) in [
        (&writers[..], &writers[..], true),
        (writers, READERS, true),
        (&READERS[..1], READERS, true),
        (READERS, READERS, true),
        (&READERS[..1], writers, false),
        (&[Scope::WebhooksManage], READERS, false),
        (READERS, &[], false),
    ] {
        let (id, token) = harness.token(has).await;
        let outcome = harness.authorize(&bearer(&token), needs).await;
        let refused = || AuthError::InsufficientScope(needs.to_vec());
        assert_eq!(
            outcome,
            allowed.then_some(id).ok_or_else(refused),
            "{has:?} for {needs:?}"
        );
    }
}

#[actix_web::test]
async fn a_request_has_one_token_in_one_header() {
    let harness = Harness::new();
    let (_, token) = harness.token(READERS).await;
    let malformed = || Some(AuthError::Invalid(TokenFault::Malformed));
    for (sent, expected) in [
        (&*format!("Bearer {token}"), None),
        (&format!("bEARER {token}"), None),
        (&format!("Bearer   {token} "), None),
        ("Basic YTpi", Some(AuthError::Missing)),
        (&token, Some(AuthError::Missing)),
        (&format!("Bearer{token}"), Some(AuthError::Missing)),
        ("Bearer \u{ff}", Some(AuthError::Missing)),
        ("Bearer", malformed()),
        ("Bearer ", malformed()),
        (&format!("Bearer {token} {token}"), malformed()),
    ] {
        let mut headers = HeaderMap::new();
        headers.insert(
            AUTHORIZATION,
            HeaderValue::from_bytes(sent.as_bytes()).unwrap(),
        );
        let outcome = harness.authorize(&headers, READERS).await;
        assert_eq!(outcome.err(), expected, "{sent}");
    }
    let outcome = harness.authorize(&HeaderMap::new(), READERS).await;
    assert_eq!(outcome, Err(AuthError::Missing));
    let mut twice = bearer(&token);
    twice.append(AUTHORIZATION, HeaderValue::from_static("Basic YTpi"));
    let outcome = harness.authorize(&twice, READERS).await;
    assert_eq!(outcome, Err(AuthError::Ambiguous));
}

/// Refusals in the order of [`a_refusal_says_what_rfc_6750_wants`]. Each has the status,
/// `Retry-After`, and the challenge after the realm.
const REFUSALS: &str = r#"
401 |    |
400 |    | , error="invalid_request", error_description="There is more than one Authorization header."
401 |    | , error="invalid_token", error_description="The access token has expired; request a new one."
403 |    | , error="insufficient_scope", error_description="The access token lacks the scope job-postings:read or job-postings:write.", scope="job-postings:read"
403 |    | , error="insufficient_scope", error_description="The client no longer has the scope job-postings:read.", scope="job-postings:read"
429 | 17 |
503 | 5  |
"#;

#[test]
fn a_refusal_says_what_rfc_6750_wants() {
    let limited = AuthError::Limited {
        per_minute: NonZeroU32::MIN,
        retry_after: 17,
    };
    let errors = [
        AuthError::Missing,
        AuthError::Ambiguous,
        AuthError::Invalid(TokenFault::Expired),
        AuthError::InsufficientScope(READERS.to_vec()),
        AuthError::WithdrawnScope(READERS[..1].to_vec()),
        limited,
        AuthError::Unavailable,
    ];
    for (error, line) in errors.into_iter().zip(REFUSALS.trim().lines()) {
        let columns: Vec<_> = line.splitn(3, '|').map(str::trim).collect();
        let answer = ApiError::from(error).error_response();
        let header = |name| answer.headers().get(name).map(|it| it.to_str().unwrap());
        assert_eq!(answer.status().as_str(), columns[0]);
        assert_eq!(header(&RETRY_AFTER).unwrap_or_default(), columns[1]);
        let challenge = format!("Bearer realm=\"posthaste\"{}", columns[2]);
        let has_challenge = columns[1].is_empty();
        assert_eq!(
            header(&WWW_AUTHENTICATE),
            has_challenge.then_some(&*challenge)
        );
    }
}

#[actix_web::test]
async fn a_token_holds_for_its_lifetime_and_not_a_second_longer() {
    let harness = Harness::new();
    let (id, token) = harness.token(READERS).await;
    let elsewhere = harness.other_process();
    let expired = Err(AuthError::Invalid(TokenFault::Expired));
    for (seconds, expected) in [(0, Ok(id)), (TTL - 1, Ok(id)), (TTL, expired)] {
        harness.set_clock(seconds);
        for process in [&harness.authorizer, &elsewhere] {
            let outcome = authorize_in(process, &bearer(&token), READERS).await;
            assert_eq!(outcome, expected, "after {seconds} s");
        }
    }
}

#[actix_web::test]
async fn a_revoked_clients_tokens_stop_within_five_seconds() {
    let harness = Harness::new();
    let (id, token) = harness.token(READERS).await;
    let authorize = async |scopes| harness.authorize(&bearer(&token), scopes).await;
    assert_eq!(authorize(READERS).await, Ok(id));
    harness.clients.revoke(id);
    for seconds in [-1, 4] {
        harness.set_clock(seconds);
        assert_eq!(authorize(READERS).await, Ok(id), "the answer still holds");
    }
    let revoked = Err(AuthError::Invalid(TokenFault::Revoked));
    // Setting the clock back never makes an answer valid for longer.
    for seconds in [-60, 5] {
        harness.set_clock(seconds);
        assert_eq!(authorize(READERS).await, revoked, "at {seconds} s");
    }
    let outcome = authorize(&[Scope::NewsletterSubscribersWrite]).await;
    assert_eq!(outcome, revoked, "401 comes before 403");
    // A deleted client counts as revoked.
    harness.clients.clients.lock().unwrap().clear();
    harness.set_clock(10);
    assert_eq!(authorize(READERS).await, revoked);
}

#[actix_web::test]
async fn tokens_from_before_they_were_ended_stop_within_five_seconds() {
    let harness = Harness::new();
    let (id, secret) = harness.client(READERS).await;
    let form = form(id, secret);
    let mint = async || {
        let answer = harness.post(&[], &form).await;
        bearer(answer.body["access_token"].as_str().unwrap())
    };
    let (elsewhere, before) = (harness.other_process(), mint().await);
    assert_eq!(authorize_in(&elsewhere, &before, READERS).await, Ok(id));
    harness.clients.change(id, |client| {
        let write = client.rotate([8; 32], Duration::HOUR, at(0));
        *client = write.ending_tokens(at(0)).client;
    });
    // This is still in the same second.
    let after = mint().await;
    let ended = Err(AuthError::Invalid(TokenFault::Ended));
    assert_eq!(harness.authorize(&after, READERS).await, Ok(id));
    assert_eq!(harness.authorize(&before, READERS).await, ended);
    assert_eq!(authorize_in(&elsewhere, &after, READERS).await, Ok(id));
    harness.set_clock(5);
    assert_eq!(authorize_in(&elsewhere, &after, READERS).await, Ok(id));
    assert_eq!(authorize_in(&elsewhere, &before, READERS).await, ended);
}

#[actix_web::test]
async fn a_client_that_lost_a_scope_cannot_use_it() {
    let harness = Harness::new();
    let (id, token) = harness.token(Scope::ALL).await;
    let webhooks = &[Scope::WebhooksManage];
    let authorize = async |scopes| harness.authorize(&bearer(&token), scopes).await;
    let withdrawn = Err(AuthError::WithdrawnScope(webhooks.to_vec()));
    for (seconds, scopes, outcome) in [
        (0, Scope::ALL, Ok(id)),
        (5, &READERS[..1], withdrawn),
        (10, Scope::ALL, Ok(id)),
    ] {
        harness
            .clients
            .change(id, |client| client.scopes = scopes.to_vec());
        harness.set_clock(seconds);
        assert_eq!(authorize(READERS).await, Ok(id));
        assert_eq!(authorize(webhooks).await, outcome);
    }
}

#[actix_web::test]
async fn a_limit_is_counted_after_the_token_and_before_the_scopes() {
    let harness = Harness::new();
    let (id, token) = harness.token(READERS).await;
    let limit = |limit| {
        let limit = NonZeroU32::new(limit);
        harness
            .clients
            .change(id, |client| client.requests_per_minute = limit);
    };
    let limited = |per_minute, retry_after| AuthError::Limited {
        per_minute: NonZeroU32::new(per_minute).unwrap(),
        retry_after,
    };
    let webhooks = &[Scope::WebhooksManage];
    let authorize = async |scopes| harness.authorize(&bearer(&token), scopes).await;
    limit(2);
    harness.set_clock(5);
    let insufficient = AuthError::InsufficientScope(webhooks.to_vec());
    assert_eq!(authorize(webhooks).await, Err(insufficient));
    assert_eq!(authorize(READERS).await, Ok(id));
    assert_eq!(authorize(webhooks).await, Err(limited(2, 30)));
    // The client is read again, and keeps the state of its limit.
    harness.set_clock(34);
    assert_eq!(authorize(READERS).await, Err(limited(2, 1)));
    harness.set_clock(35);
    assert_eq!(authorize(READERS).await, Ok(id));
    // Within seconds, a new limit applies and begins unused.
    limit(1);
    harness.set_clock(39);
    assert_eq!(authorize(READERS).await, Ok(id));
    assert_eq!(authorize(READERS).await, Err(limited(1, 60)));
    limit(0);
    harness.set_clock(44);
    assert_eq!(authorize(READERS).await, Ok(id));
    harness.clients.revoke(id);
    limit(1);
    harness.set_clock(49);
    let revoked = AuthError::Invalid(TokenFault::Revoked);
    assert_eq!(
        authorize(READERS).await,
        Err(revoked),
        "401 comes before 429"
    );
}

#[actix_web::test]
async fn while_the_store_is_unavailable_only_fresh_answers_count() {
    let harness = Harness::new();
    let (id, token) = harness.token(READERS).await;
    let authorize = async || harness.authorize(&bearer(&token), READERS).await;
    assert_eq!(authorize().await, Ok(id));
    harness.clients.down.store(true, Ordering::SeqCst);
    harness.set_clock(4);
    assert_eq!(authorize().await, Ok(id));
    harness.set_clock(5);
    assert_eq!(authorize().await, Err(AuthError::Unavailable));
    let bad = harness.authorize(&bearer("a.b.c"), READERS).await;
    assert_eq!(
        bad,
        Err(AuthError::Invalid(TokenFault::Malformed)),
        "needs no store"
    );
    harness.clients.down.store(false, Ordering::SeqCst);
    assert_eq!(authorize().await, Ok(id), "as soon as it is back");
}

#[actix_web::test]
async fn many_requests_of_one_client_ask_the_store_once() {
    let harness = Harness::new();
    let (_, token) = harness.token(READERS).await;
    harness.set_clock(5);
    let before = harness.clients.finds.load(Ordering::SeqCst);
    for (down, expected) in [(false, None), (true, Some(AuthError::Unavailable))] {
        harness.clients.down.store(down, Ordering::SeqCst);
        let requests =
            (0..20).map(|_| async { harness.authorize(&bearer(&token), READERS).await.err() });
        for outcome in futures_util::future::join_all(requests).await {
            assert_eq!(outcome, expected);
        }
        harness.set_clock(10);
    }
    assert_eq!(harness.clients.finds.load(Ordering::SeqCst) - before, 2);
}
