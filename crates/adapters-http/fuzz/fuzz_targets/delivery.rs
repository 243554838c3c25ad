//! A delivery of the e-mail provider. Any JSON is accepted, and nothing else. A relevant event is
//! also found in a batch with other items. An event is found only if the delivery contains it.

#![no_main]

use adapters_http::fuzz;
use newsletter::subscriber::{Email, SubscriberStatus};
use libfuzzer_sys::fuzz_target;
use serde::de::IgnoredAny;

const NAMES: [&str; 4] = [
    "subscriber.unsubscribed",
    "subscriber.spam_reported",
    "subscriber.bounced",
    "subscriber.deleted",
];

fuzz_target!(|data: &[u8]| {
    let is_json =
        serde_json::from_slice::<IgnoredAny>(data).is_ok() && std::str::from_utf8(data).is_ok();
    let Some(news) = fuzz::delivery(data) else {
        assert!(!is_json, "JSON was refused");
        return;
    };
    assert!(is_json, "what is no JSON was read");
    for event in &news {
        assert_ne!(event.status, SubscriberStatus::Active);
        // Addresses are normalised, so each person has one row.
        assert_eq!(
            Email::parse(event.email.as_str()).as_ref(),
            Ok(&event.email)
        );
    }
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    if !text.contains('\\') && !NAMES.iter().any(|name| text.contains(name)) {
        assert_eq!(news, [], "nothing says so");
    }
    // Inside a batch, the delivery yields the same events, unless it is itself a batch.
    let batch = format!(r#"{{"x":[1e999],"events":[null,{text},{{"type":"x"}}],"total":2}}"#);
    let of_batch = fuzz::delivery(batch.as_bytes()).expect("it is JSON");
    assert!(of_batch.len() <= news.len());
    assert!(of_batch.iter().all(|event| news.contains(event)));
});
