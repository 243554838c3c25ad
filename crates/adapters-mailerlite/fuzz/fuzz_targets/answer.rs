//! Fuzzes an answer of the provider: the first byte selects its status. Only these contents have an
//! effect: a person with this address and a known status, the API's own report of an absent or
//! suppressed person, and a page with a usable end or next page.

#![no_main]

use std::{sync::LazyLock, time::Duration};

use adapters_mailerlite::{Answer, read_page};
use newsletter::subscriber::{Email, provider::{Cursor, ProviderError}};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

const STATUSES: [u16; 12] = [200, 201, 204, 302, 400, 401, 403, 404, 408, 422, 429, 503];
const WAIT: Duration = Duration::from_hours(48);

static EMAIL: LazyLock<Email> = LazyLock::new(|| Email::parse("ada@münchen.example").expect("one"));

fuzz_target!(|data: &[u8]| {
    let Some((first, body)) = data.split_first() else {
        return;
    };
    let status = STATUSES[usize::from(*first) % STATUSES.len()];
    let cursor = Cursor("here".to_owned());
    let answer = Answer::of(status, Some(WAIT), body.to_owned()).expect("a status");
    let json: Value = serde_json::from_slice(body).unwrap_or_default();
    if let Ok(found) = answer.succeeded().and_then(|answer| answer.person(&EMAIL)) {
        let shown = &json["data"];
        let address = shown["email"].as_str().expect("an address");
        assert!(Email::parse(address).is_ok_and(|other| other == *EMAIL) || !address.is_ascii());
        assert_eq!(shown["status"], found.status.as_str());
        assert!(
            found.id.0.bytes().all(|byte| byte.is_ascii_alphanumeric()) && !found.id.0.is_empty()
        );
        let is_gone = !shown["deleted_at"].is_null() || !shown["forget_at"].is_null();
        assert_eq!(found.is_deleted, is_gone);
    }
    let message = json["message"].as_str().unwrap_or_default();
    if answer.is_absent() {
        assert!(status == 404 && message.starts_with("No query results for model"));
    }
    if answer.is_suppression_of(&EMAIL) {
        assert!(
            status == 422
                && body
                    .windows(18)
                    .any(|part| part.eq_ignore_ascii_case(b"this subscriber is"))
                || body.contains(&b'\\')
        );
    }
    match (status, answer.succeeded().err()) {
        (200..=299, None) => {}
        (401, Some(ProviderError::Locked(_))) => {}
        (403, Some(ProviderError::Locked(_))) => assert!(json["message"].is_string()),
        (403, Some(ProviderError::Permanent(_))) => assert!(!json["message"].is_string()),
        (400 | 404 | 422, Some(ProviderError::Permanent(_))) => {}
        (429, Some(ProviderError::Limited { after, .. })) => {
            assert!(after.is_some_and(|after| after <= Duration::from_hours(1)));
        }
        (302 | 408 | 503, Some(ProviderError::Retry { after, .. })) => {
            assert!(after.is_some_and(|after| after <= Duration::from_mins(5)));
        }
        (status, error) => panic!("{status}: {error:?}"),
    }
    if let Ok(page) = read_page(&answer, Some(&cursor), str::to_owned) {
        let shown = json["data"].as_array().expect("a list");
        assert_eq!(page.people.len() + page.odd.len(), shown.len());
        assert_ne!(page.next.as_ref(), Some(&cursor), "the same page for ever");
        let next = json["meta"]["next_cursor"].as_str();
        assert_eq!(page.next.as_ref().map(|next| next.0.as_str()), next);
        for person in &page.people {
            assert_eq!(
                Email::parse(person.email.as_str()).as_ref(),
                Ok(&person.email)
            );
        }
    }
});
