//! Syncs to the provider, and changes that need none.

use serde_json::json;

use crate::harness::{
    Store,
    mailerlite::Account,
    newsletter::{Newsletter, membership, person},
};

on_every_store! {
    a_change_of_an_individual_membership_raises_its_event_and_sends_once,
}

const EVENT: &str = "IndividualMembershipUpdated";

async fn a_change_of_an_individual_membership_raises_its_event_and_sends_once(store: Store) {
    let newsletter = Newsletter::shared(store);
    let email = person();
    let record = newsletter.report(&email, &json!({"name": "Ada"})).await;
    newsletter.settled(&email).await;
    let uuid = record["uuid"].as_str().unwrap();
    let (mut raised, mut sent) = (0, 1);
    for (change, raises) in [
        (membership("individual", "active", None), true),
        (membership("individual", "canceled", None), true),
        (json!({"name": "Ada L."}), false),
        (membership("team", "canceled", None), true),
        (membership("team", "active", None), false),
        (membership("individual", "active", Some("2027-01-31")), true),
        (
            json!({"name": "Ada", "country": "Malta", "membership": null}),
            true,
        ),
    ] {
        newsletter.report(&email, &change).await;
        newsletter.settled(&email).await;
        raised += usize::from(raises);
        sent += 1;
        assert_eq!(newsletter.raised(EVENT, uuid), raised, "{change}");
        assert_eq!(
            newsletter.calls(Account::Old, &email).len(),
            sent,
            "{change}"
        );
    }
}
