//! Syncs to the provider, and changes that need none.

use serde_json::json;

use crate::harness::{
    SETTLING, Store, eventually,
    mailerlite::{Account, Fault},
    newsletter::{Newsletter, membership, person},
    outbox_is_empty,
};

on_every_store! {
    a_change_of_an_individual_membership_raises_its_event_and_sends_once,
}

on_sqlite! {
    there_and_back_while_the_provider_is_away_sends_at_most_once,
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

async fn there_and_back_while_the_provider_is_away_sends_at_most_once(store: Store) {
    let newsletter = Newsletter::served(store);
    let _worker = newsletter.work();
    let provider = &newsletter.provider;
    for away in [Fault::Answer(503, None), Fault::Close, Fault::LoseAnswer] {
        let email = person();
        newsletter.report(&email, &json!({"name": "A"})).await;
        newsletter.settled(&email).await;
        provider.outage(Some(away));
        newsletter.report(&email, &json!({"name": "B"})).await;
        let asked = || newsletter.calls(Account::Old, &email).len();
        eventually("it was tried", SETTLING, || async {
            (asked() > 1).then_some(())
        })
        .await;
        newsletter.report(&email, &json!({"name": "A"})).await;
        provider.outage(None);
        newsletter.settled(&email).await;
        let known = provider.subscriber(Account::Old, &email).unwrap();
        assert_eq!(known["fields"]["name"], "A", "{away:?}");
        let calls = newsletter.calls(Account::Old, &email);
        let answered = calls.iter().filter(|call| call.status == Some(200));
        assert!(answered.count() <= 1, "{away:?}: {calls:#?}");
    }
    outbox_is_empty(&newsletter.app).await;
}
