//! The provider's deliveries.

use serde_json::json;

use crate::harness::{
    Store,
    mailerlite::Account,
    newsletter::{Newsletter, event, person},
};

on_every_store! {
    a_status_is_taken_in_and_causes_one_sync,
}

/// The processed events, with the delivered status, and the status in the record.
const KINDS: [(&str, &str, &str); 3] = [
    ("subscriber.bounced", "bounced", "bounced"),
    ("subscriber.unsubscribed", "unsubscribed", "unsubscribed"),
    ("subscriber.spam_reported", "junk", "spam_reported"),
];

/// Reports a person and waits for the sync. Returns the address.
async fn known(newsletter: &Newsletter) -> String {
    let email = person();
    newsletter.report(&email, &json!({"name": "Ada"})).await;
    newsletter.settled(&email).await;
    assert_eq!(newsletter.methods(Account::Old, &email), ["POST"]);
    email
}

async fn a_status_is_taken_in_and_causes_one_sync(store: Store) {
    let newsletter = Newsletter::shared(store);
    for (name, theirs, ours) in KINDS {
        let email = known(&newsletter).await;
        newsletter.provider.set_status(Account::Old, &email, theirs);
        newsletter.deliver(&event(name, &email, theirs)).await;
        // The status is stored before the provider gets its answer.
        assert_eq!(newsletter.show(&email).await["status"], ours);
        newsletter.settled(&email).await;
        // A sync looks the person up first, because suppressed people must not be created. A
        // withdrawal also does, at any time.
        let told = || {
            let methods = newsletter.methods(Account::Old, &email).into_iter();
            methods.filter(|method| method != "GET").collect::<Vec<_>>()
        };
        let expect = ["POST", "PUT"];
        assert_eq!(told(), expect, "{name}");
        newsletter.deliver(&event(name, &email, theirs)).await;
        newsletter.settled(&email).await;
        assert_eq!(told(), expect, "{name}");
        let there = newsletter.provider.subscriber(Account::Old, &email);
        assert_eq!(there.unwrap()["status"], theirs);
    }
}
