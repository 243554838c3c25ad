use newsletter::subscriber::{
    SignedWith,
    SubscriberStatus::{self, Removed, SpamReported, Unsubscribed},
};
use ring::hmac;

use crate::support::{Request, Response, SECRETS, TestApp, assert_is_error, request};

const WEBHOOK: &str = "/api/webhooks/newsletter/update-subscriber-status";

fn signature(secret: &str, body: &[u8]) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let tag = hmac::sign(&key, body);
    let hex = tag.as_ref().iter().map(|byte| format!("{byte:02x}"));
    hex.collect::<Vec<_>>().concat()
}

fn post(body: impl Into<Vec<u8>>) -> Request {
    request("POST", WEBHOOK)
        .header("Content-Type", "application/json")
        .body(body)
}

fn signed(body: impl Into<Vec<u8>>) -> Request {
    let body = body.into();
    let signature = signature(SECRETS[0], &body);
    post(body).header("Signature", &signature)
}

fn unsubscribed(address: &str) -> String {
    format!(r#"{{"event":"subscriber.unsubscribed","email":"{address}","status":"unsubscribed"}}"#)
}

fn news(app: &TestApp) -> Vec<(String, SubscriberStatus)> {
    let events = std::mem::take(&mut *app.backend.newsletter.noticed.lock().unwrap());
    let pairs = events
        .iter()
        .map(|event| (event.email.to_string(), event.status));
    pairs.collect()
}

fn assert_taken(response: &Response, name: &str) {
    assert_eq!((response.status, response.text()), (200, "{}"), "{name}");
    assert_eq!(response.header("Content-Type"), Some("application/json"));
}

/// Unit tests of `webhook::delivery` cover every form of a delivery.
#[tokio::test]
async fn what_the_provider_sends_is_taken_in() {
    let app = TestApp::spawn();
    let batch = r#"{"events":[
        {"type":"subscriber.unsubscribed","subscriber":{"email":"Ada@example.com"}},
        {"type":"campaign.open","subscriber":{"email":"bob@example.com"}},
        {"type":"subscriber.spam_reported","subscriber":{"email":"eve@example.com"}},
        {"type":"subscriber.deleted","subscriber":{"email":"joe@example.com"}}],"total":4}"#;
    let expect = [
        ("ada", Unsubscribed),
        ("eve", SpamReported),
        ("joe", Removed),
    ];
    let expect = expect.map(|(name, status)| (format!("{name}@example.com"), status));
    assert_taken(&signed(batch).send(&app).await, "a batch");
    assert_eq!(news(&app), expect);
    for nothing in ["{}", "[1, null]", r#""subscriber.unsubscribed""#] {
        assert_taken(&signed(nothing).send(&app).await, nothing);
        assert_eq!(news(&app), []);
    }
}

#[tokio::test]
async fn any_of_the_secrets_will_do() {
    let app = TestApp::spawn();
    for (nth, secret) in (1..).zip(SECRETS) {
        let body = unsubscribed("ada@example.com");
        let signature = signature(secret, body.as_bytes());
        let response = post(body).header("Signature", &signature).send(&app).await;
        assert_taken(&response, secret);
        // The secret identifies the account that sent the delivery.
        let events = std::mem::take(&mut *app.backend.newsletter.noticed.lock().unwrap());
        let signed_with: Vec<_> = events.iter().map(|event| event.signed_with).collect();
        let of = SECRETS.len();
        assert_eq!(signed_with, [Some(SignedWith { nth, of })], "{secret}");
    }
}

/// The limit is lower than for authorised clients, because anyone may send a delivery. The
/// signature covers the bytes as sent, whatever type is declared.
#[tokio::test]
async fn a_delivery_has_a_largest_size_and_is_signed_as_it_was_sent() {
    const MOST: usize = 256 * 1024;
    let app = TestApp::spawn_with(|settings| settings.body_limit = 1 << 20);
    let odd = "{ \"n\":1.50e2,\"event\" : \"subscriber.unsubscribed\",\r\n\t\"email\":\"\\u0061da@example.com\" }\n";
    for (bytes, status) in [(odd.len(), 200), (MOST, 200), (MOST + 1, 413)] {
        let body = format!("{odd}{}", " ".repeat(bytes - odd.len()));
        let signature = signature(SECRETS[0], body.as_bytes());
        let sent = request("POST", WEBHOOK)
            .header("Signature", &signature)
            .body(body);
        assert_eq!(sent.send(&app).await.status, status, "{bytes}");
        let taken = usize::from(status == 200);
        assert_eq!(
            news(&app),
            vec![("ada@example.com".to_owned(), Unsubscribed); taken]
        );
    }
}

#[tokio::test]
async fn what_cannot_be_taken_in_is_refused() {
    let app = TestApp::spawn();
    let body = unsubscribed("ada@example.com");
    let good = signature(SECRETS[0], body.as_bytes());
    let other = post(body.clone()).header("Signature", &signature(SECRETS[0], b"{}"));
    let bearer = post(body.clone()).token(&app.reporter().await);
    for (refused, status, says) in [
        (post(body.clone()), 401, "Signature must be"),
        (other, 401, "Signature must be"),
        (bearer, 401, "Signature must be"),
        // The body is refused before it is read.
        (
            post("{").header("Signature", &good),
            401,
            "Signature must be",
        ),
        (
            signed("event=subscriber.unsubscribed"),
            400,
            "not valid JSON",
        ),
        (
            signed(unsubscribed("fault.unavailable@example.com")),
            503,
            "not known",
        ),
        (
            signed(unsubscribed("fault.panic@example.com")),
            500,
            "Report the request id",
        ),
    ] {
        let response = refused.send(&app).await;
        assert_is_error(&response, status, says);
        assert!(response.message().contains(says), "{response:?}");
        let challenge = (status == 401).then_some("HMAC-SHA256 header=\"Signature\"");
        assert_eq!(response.header("WWW-Authenticate"), challenge);
    }
    assert_eq!(news(&app), []);
}

#[tokio::test]
async fn without_a_secret_it_is_switched_off() {
    let app = TestApp::spawn_with(|settings| settings.webhook_secrets = vec!["".into()]);
    let body = unsubscribed("ada@example.com");
    let of_nothing = post(body.clone()).header("Signature", &signature("", body.as_bytes()));
    for refused in [signed(body.clone()), of_nothing, post(body)] {
        let response = refused.send(&app).await;
        assert_is_error(&response, 503, "switched off");
        assert!(response.message().contains("switched off"), "{response:?}");
        assert_eq!(response.header("Retry-After"), Some("600"));
    }
    assert_eq!(news(&app), []);
}
