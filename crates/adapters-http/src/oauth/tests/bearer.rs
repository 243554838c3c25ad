//! Requests that are authorised, and the refusals of the others.

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
    for (has, needs, allowed) in [
        (
            &[Scope::JobPostingsWrite][..],
            &[Scope::JobPostingsWrite][..],
            true,
        ),
        (&[Scope::JobPostingsWrite], READERS, true),
        (&[Scope::JobPostingsRead], READERS, true),
        (READERS, READERS, true),
        (&[Scope::JobPostingsRead], &[Scope::JobPostingsWrite], false),
        (&[Scope::NewsletterSubscribersWrite], READERS, false),
        (READERS, &[], false),
    ] {
        let (id, token) = harness.token(has).await;
        let outcome = harness.authorize(&bearer(&token), needs).await;
        let expected = if allowed {
            Ok(id)
        } else {
            Err(AuthError::InsufficientScope(needs.to_vec()))
        };
        assert_eq!(outcome, expected, "{has:?} for {needs:?}");
    }
}

#[actix_web::test]
async fn headers_that_carry_no_token_or_more_than_one() {
    let harness = Harness::new();
    let (_, token) = harness.token(READERS).await;
    let check = async |headers: HeaderMap, expected: Option<AuthError>| {
        let outcome = harness.authorize(&headers, READERS).await;
        assert_eq!(outcome.err(), expected, "{headers:?}");
    };
    let malformed = || Some(AuthError::Invalid(TokenFault::Malformed));
    check(bearer(&token), None).await;
    check(with(&format!("bEARER {token}")), None).await;
    check(with(&format!("Bearer   {token} ")), None).await;
    check(HeaderMap::new(), Some(AuthError::Missing)).await;
    check(with("Basic YTpi"), Some(AuthError::Missing)).await;
    check(with(&token), Some(AuthError::Missing)).await;
    check(with(&format!("Bearer{token}")), Some(AuthError::Missing)).await;
    check(with("Bearer"), malformed()).await;
    check(with("Bearer "), malformed()).await;
    check(with(&format!("Bearer {token} {token}")), malformed()).await;
    let mut twice = bearer(&token);
    twice.append(AUTHORIZATION, HeaderValue::from_static("Basic YTpi"));
    check(twice, Some(AuthError::Ambiguous)).await;
    let mut bytes = HeaderMap::new();
    bytes.insert(
        AUTHORIZATION,
        HeaderValue::from_bytes(b"Bearer \xff").unwrap(),
    );
    check(bytes, Some(AuthError::Missing)).await;
}

#[test]
fn a_refusal_says_what_rfc_6750_wants() {
    for (error, status, challenge, retry_after) in [
        (
            AuthError::Missing,
            401,
            Some("Bearer realm=\"posthaste\""),
            None,
        ),
        (
            AuthError::Ambiguous,
            400,
            Some(
                "Bearer realm=\"posthaste\", error=\"invalid_request\", \
                 error_description=\"There is more than one Authorization header.\"",
            ),
            None,
        ),
        (
            AuthError::Invalid(TokenFault::Expired),
            401,
            Some(
                "Bearer realm=\"posthaste\", error=\"invalid_token\", \
                 error_description=\"The access token has expired; request a new one.\"",
            ),
            None,
        ),
        (
            AuthError::InsufficientScope(READERS.to_vec()),
            403,
            Some(
                "Bearer realm=\"posthaste\", error=\"insufficient_scope\", \
                 error_description=\"The access token lacks the scope job-postings:read or \
                 job-postings:write.\", scope=\"job-postings:read\"",
            ),
            None,
        ),
        (
            AuthError::Limited {
                per_minute: NonZeroU32::MIN,
                retry_after: 17,
            },
            429,
            None,
            Some("17"),
        ),
        (AuthError::Unavailable, 503, None, Some("5")),
    ] {
        let answer = ApiError::from(error).error_response();
        let header = |name| Some(answer.headers().get(name)?.to_str().unwrap());
        assert_eq!(answer.status().as_u16(), status);
        assert_eq!(header(WWW_AUTHENTICATE), challenge);
        assert_eq!(header(RETRY_AFTER), retry_after);
    }
}

#[actix_web::test]
async fn a_token_holds_for_its_lifetime_and_not_a_second_longer() {
    let harness = Harness::new();
    let (id, token) = harness.token(READERS).await;
    let check = async |seconds, expected: Result<ClientId, AuthError>| {
        harness.set_clock(seconds);
        let outcome = harness.authorize(&bearer(&token), READERS).await;
        assert_eq!(outcome, expected, "after {seconds} s");
        let elsewhere = harness.other_process();
        assert_eq!(
            authorize_in(&elsewhere, &bearer(&token), READERS).await,
            expected
        );
    };
    check(0, Ok(id)).await;
    check(TTL - 1, Ok(id)).await;
    check(TTL, Err(AuthError::Invalid(TokenFault::Expired))).await;
    check(TTL * 1000, Err(AuthError::Invalid(TokenFault::Expired))).await;
}

#[actix_web::test]
async fn a_revoked_clients_tokens_stop_within_five_seconds() {
    let harness = Harness::new();
    let (id, token) = harness.token(READERS).await;
    let authorize = async || harness.authorize(&bearer(&token), READERS).await;
    assert_eq!(authorize().await, Ok(id));
    harness.clients.revoke(id);
    harness.set_clock(-1);
    assert_eq!(authorize().await, Ok(id), "the answer still holds");
    harness.set_clock(4);
    assert_eq!(authorize().await, Ok(id), "the answer still holds");
    harness.set_clock(5);
    assert_eq!(
        authorize().await,
        Err(AuthError::Invalid(TokenFault::Revoked))
    );
    let wrong_scope = &[Scope::NewsletterSubscribersWrite];
    let outcome = harness.authorize(&bearer(&token), wrong_scope).await;
    assert_eq!(
        outcome,
        Err(AuthError::Invalid(TokenFault::Revoked)),
        "401 comes before 403"
    );
}

#[actix_web::test]
async fn tokens_from_before_they_were_ended_stop_within_five_seconds() {
    let harness = Harness::new();
    let (id, secret) = harness.client(READERS).await;
    let form = format!("grant_type=client_credentials&client_id={id}&client_secret={secret}");
    let mint = async || {
        let answer = harness.post(&[], &form).await;
        bearer(answer.body["access_token"].as_str().unwrap())
    };
    let elsewhere = harness.other_process();
    let before = mint().await;
    assert_eq!(authorize_in(&elsewhere, &before, READERS).await, Ok(id));
    harness.clients.change(id, |client| {
        let write = client.rotate([8; 32], Duration::HOUR, at(0));
        *client = write.ending_tokens(at(0)).client;
    });
    // In the same second still.
    let after = mint().await;
    let ended = Err(AuthError::Invalid(TokenFault::Ended));
    assert_eq!(harness.authorize(&after, READERS).await, Ok(id));
    assert_eq!(harness.authorize(&before, READERS).await, ended);
    assert_eq!(authorize_in(&elsewhere, &after, READERS).await, Ok(id));
    harness.set_clock(5);
    assert_eq!(authorize_in(&elsewhere, &after, READERS).await, Ok(id));
    assert_eq!(authorize_in(&elsewhere, &before, READERS).await, ended);
    let wrong_scope = &[Scope::NewsletterSubscribersWrite];
    let outcome = authorize_in(&elsewhere, &before, wrong_scope).await;
    assert_eq!(outcome, ended, "401 comes before 403");
}

#[actix_web::test]
async fn a_client_that_lost_a_scope_cannot_use_it() {
    let harness = Harness::new();
    let (id, token) = harness.token(&Scope::ALL).await;
    let webhooks = &[Scope::WebhooksManage];
    let authorize = async |scopes| harness.authorize(&bearer(&token), scopes).await;
    assert_eq!(authorize(READERS).await, Ok(id));
    assert_eq!(authorize(webhooks).await, Ok(id));
    harness.clients.change(id, |client| {
        client.scopes = vec![Scope::JobPostingsRead];
    });
    harness.set_clock(5);
    assert_eq!(authorize(READERS).await, Ok(id));
    let refused = authorize(webhooks).await.unwrap_err();
    assert_eq!(refused, AuthError::WithdrawnScope(webhooks.to_vec()));
    let writers = &[Scope::JobPostingsWrite];
    let answer = ApiError::from(authorize(writers).await.unwrap_err()).error_response();
    assert_eq!(answer.status().as_u16(), 403);
    let challenge = answer.headers().get(WWW_AUTHENTICATE).unwrap();
    assert!(challenge.to_str().unwrap().contains("insufficient_scope"));
    harness.clients.change(id, |client| {
        client.scopes = Scope::ALL.to_vec();
    });
    harness.set_clock(10);
    assert_eq!(authorize(webhooks).await, Ok(id));
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
    assert_eq!(authorize(READERS).await, Err(limited(2, 30)));
    assert_eq!(authorize(webhooks).await, Err(limited(2, 30)));
    // The client is read again, and has the same limit.
    harness.set_clock(34);
    assert_eq!(authorize(READERS).await, Err(limited(2, 1)));
    let elsewhere = harness.other_process();
    let outcome = authorize_in(&elsewhere, &bearer(&token), READERS).await;
    assert_eq!(outcome, Ok(id), "each process has its own");
    harness.set_clock(35);
    assert_eq!(authorize(READERS).await, Ok(id));
    assert_eq!(authorize(READERS).await, Err(limited(2, 30)));
    // Another limit begins anew, within seconds.
    limit(1);
    harness.set_clock(39);
    assert_eq!(authorize(READERS).await, Ok(id));
    assert_eq!(authorize(READERS).await, Err(limited(1, 60)));
    limit(0);
    harness.set_clock(44);
    let unlimited = |_, usage| assert_eq!(usage, None);
    let headers = bearer(&token);
    let checked = harness
        .authorizer
        .authorize(&headers, READERS, true, unlimited);
    assert!(checked.await.is_ok());
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
async fn a_clock_that_is_set_back_keeps_no_answer_alive() {
    let harness = Harness::new();
    let (id, token) = harness.token(READERS).await;
    let authorize = async || harness.authorize(&bearer(&token), READERS).await;
    assert_eq!(authorize().await, Ok(id));
    harness.clients.revoke(id);
    harness.set_clock(-60);
    assert_eq!(
        authorize().await,
        Err(AuthError::Invalid(TokenFault::Revoked))
    );
}

#[actix_web::test]
async fn a_client_that_is_gone_counts_as_revoked() {
    let harness = Harness::new();
    let (_, token) = harness.token(READERS).await;
    harness.clients.clients.lock().unwrap().clear();
    harness.set_clock(5);
    let outcome = harness.authorize(&bearer(&token), READERS).await;
    assert_eq!(outcome, Err(AuthError::Invalid(TokenFault::Revoked)));
}

#[actix_web::test]
async fn while_the_store_is_away_only_fresh_answers_count() {
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
