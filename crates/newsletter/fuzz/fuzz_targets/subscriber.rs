//! Fuzzes a report of a person: the first line is the path segment, the rest the body. A repeated
//! report must change nothing, and so must a second normalisation of an address.

#![no_main]

use libfuzzer_sys::fuzz_target;
use newsletter::{
    store::WriteSet,
    subscriber::{Email, MigrationToken, ProviderEvent, PutSubscriber, SubscriberId, report},
};
use time::{OffsetDateTime, macros::datetime};
use uuid::Uuid;

const NOW: OffsetDateTime = datetime!(2026-11-22 12:00 UTC);

fuzz_target!(|data: &str| {
    let (segment, body) = data.split_once('\n').unwrap_or((data, "{}"));
    let _ = ProviderEvent::read(body, Some(segment), segment);
    if let Ok(email) = Email::parse(segment) {
        assert_eq!(Email::parse(email.as_str()), Ok(email));
    }
    let (id, token) = (SubscriberId::new(Uuid::nil()), MigrationToken::new([7; 32]));
    let Ok(put) = PutSubscriber::parse(segment, body.as_bytes(), id, token) else {
        return;
    };
    let first = report(None, &put, NOW).change.expect("a new person");
    let subscriber = first.record(&mut WriteSet::new(NOW));
    assert!(report(Some(&subscriber), &put, NOW).change.is_none());
});
