use std::cmp::Reverse;

use kernel::audit::Entry;

use super::*;
use crate::{
    audit,
    subscriber::{
        Suppression, SuppressionSource, operator::ImportedSuppression,
        reconciliation::ConcurrentWrites,
    },
    tasks,
    testing::subscriber_id,
    usecase::{
        confirm_migration, import_suppressions,
        operate::rotate_token,
        reconcile, suppress,
        withdraw::{NextLook, begin_withdrawal, next_withdrawal, withdraw},
    },
};

const STRANGER: &str = "stranger@example.com";

fn unsubscribing(address: &str) -> ReceivedEvent {
    notice(address, SubscriberStatus::Unsubscribed)
}

async fn audit(store: &MemoryStore) -> Vec<Entry> {
    let mut entries = entries(store).await.unwrap();
    entries.sort_by_key(|entry| Reverse(entry.run));
    entries
}

#[pollster::test]
async fn a_suppression_unsubscribes_in_both_accounts_and_is_audited() {
    let mut world = World::with_ann().await;
    for &account in Account::ALL {
        for address in [ANN, STRANGER] {
            let active = ProviderStatus::Active;
            world.provider.set(account, &email(address), active);
        }
    }
    for (n, address) in [(1, ANN), (2, STRANGER)] {
        let asked = unsubscribing(address);
        let done = suppress(
            &world.store,
            &asked,
            "asked by phone",
            &by_ann(n),
            world.now,
        )
        .await;
        let done = done.unwrap();
        assert!(done.is_news);
        let expect = Suppression {
            source: SuppressionSource::Operator,
            account: None,
            at: world.now,
            reason: Some("asked by phone".to_owned()),
        };
        assert_eq!(done.subscriber.suppression, Some(expect));
        let again = suppress(&world.store, &asked, "again", &by_ann(n + 5), world.now).await;
        assert!(!again.unwrap().is_news);
    }
    world.work().await.unwrap();
    for &account in Account::ALL {
        for address in [ANN, STRANGER] {
            let person = world.provider.person(account, &email(address)).unwrap();
            assert_eq!(person.status, ProviderStatus::Unsubscribed, "{account}");
        }
    }
    let entries = audit(&world.store).await;
    assert_eq!(entries.len(), 2, "what changes nothing is not recorded");
    assert_eq!(audit::subscriber(&entries[1]), Some(subscriber_id(ANN)));
    assert_eq!(entries[1].details["reason"], "asked by phone");
    let kept = format!("{entries:?}");
    assert!(!kept.contains(ANN) && !kept.contains(STRANGER), "{kept}");
}

#[pollster::test]
async fn a_reinstatement_counts_later_observations_only_and_is_audited() {
    let mut world = World::with_ann().await;
    assert_eq!(
        world.reinstate().await,
        world.ann().await,
        "there is no need"
    );
    assert_eq!(audit(&world.store).await, []);
    world.suppress(SubscriberStatus::SpamReported).await;
    let active = world.reinstate().await;
    assert_eq!(active.reinstated_at, Some(world.now));
    assert_eq!(active.status, SubscriberStatus::Active);
    let entries = audit(&world.store).await;
    assert_eq!(entries.len(), 1);
    assert_eq!(entries[0].details["was"], "spam_reported");
}

fn imported(address: &str, status: SubscriberStatus) -> ImportedSuppression {
    ImportedSuppression {
        notice: notice(address, status),
        at: Some(noon()),
        reason: None,
    }
}

#[pollster::test]
async fn an_import_only_ever_strengthens() {
    let mut world = World::with_ann().await;
    world.suppress(SubscriberStatus::Unsubscribed).await;
    let (bounced, spam) = (SubscriberStatus::Bounced, SubscriberStatus::SpamReported);
    let batch = [
        imported(ANN, bounced),
        imported(ANN, SubscriberStatus::Active),
        imported(ANN, spam),
        imported(STRANGER, bounced),
        imported(STRANGER, SubscriberStatus::Removed),
    ];
    let news = import_suppressions(&world.store, &batch, world.now).await;
    assert_eq!(news.unwrap(), [false, false, true, true, false]);
    let again = import_suppressions(&world.store, &batch, world.now).await;
    assert_eq!(again.unwrap(), [false; 5]);
    let ann = world.ann().await;
    assert_eq!(ann.status, spam);
    assert_eq!(ann.suppression.unwrap().source, SuppressionSource::Import);
}

#[pollster::test]
async fn an_import_of_older_suppressions_does_not_undo_a_reinstatement() {
    let mut world = World::with_ann().await;
    world.suppress(SubscriberStatus::Unsubscribed).await;
    world.reinstate().await;
    let at = |at| ImportedSuppression {
        at,
        ..imported(ANN, SubscriberStatus::Unsubscribed)
    };
    for (line, expect) in [
        (at(Some(world.now - hours(1))), false),
        (at(Some(world.now)), true),
        (at(None), false),
    ] {
        let news = import_suppressions(&world.store, &[line], world.now).await;
        assert_eq!(news.unwrap(), [expect]);
    }
}

/// After a withdrawal, `unsubscribed` is not the subscriber's wish, whichever answers were lost.
#[pollster::test]
async fn an_unsubscription_of_this_service_does_not_relabel() {
    for lost in [false, true] {
        let mut world = World::with_ann().await;
        let (old, new) = (Account::Old, Account::New);
        let bounced = ProviderStatus::Bounced;
        world.provider.set(new, &email(ANN), ProviderStatus::Active);
        world.provider.set(old, &email(ANN), bounced);
        world.suppress(SubscriberStatus::Bounced).await;
        if lost {
            // Both accounts are checked, and the new one is synced.
            world.provider.fail(2, Failing::After, no_answer());
            let (token, work) = world.claim(tasks::WITHDRAW).await.unwrap();
            assert_eq!(world.run(token, work).await, Err(no_answer()));
        }
        world.work().await.unwrap();
        let person = world.provider.person(new, &email(ANN)).unwrap();
        assert_eq!(person.status, ProviderStatus::Unsubscribed);
        assert_eq!(world.ann().await.unconfirmed_suppressions().count(), 0);

        read_lists(&world).await;
        let ann = world.ann().await;
        assert_eq!(ann.status, SubscriberStatus::Bounced);
        assert!(ann.places.new.is_withdrawn && !ann.places.old.is_withdrawn);

        // In the other account, the unsubscription is the subscriber's wish.
        let unsubscribed = ProviderStatus::Unsubscribed;
        world.provider.set(old, &email(ANN), unsubscribed);
        read_lists(&world).await;
        assert_eq!(world.ann().await.status, SubscriberStatus::Unsubscribed);
    }
}

async fn read_lists(world: &World) {
    for &account in Account::ALL {
        let page = world.provider.page(account, None).await.unwrap();
        let (store, excluded) = (&world.store, ConcurrentWrites::Excluded);
        let read = reconcile(store, account, &page, excluded, false, world.now);
        read.await.unwrap();
    }
}

/// A delivery does not name its account, so it counts.
#[pollster::test]
async fn a_delivery_counts_after_a_withdrawal() {
    let mut world = World::with_ann().await;
    world.suppress(SubscriberStatus::Bounced).await;
    world.work().await.unwrap();
    assert!(world.ann().await.places.old.is_withdrawn);
    world.suppress(SubscriberStatus::Unsubscribed).await;
    assert_eq!(world.ann().await.status, SubscriberStatus::Unsubscribed);
}

/// The withdrawal looks the person up before the reinstatement, and unsubscribes after it.
#[pollster::test]
async fn a_person_reinstated_meanwhile_is_not_unsubscribed() {
    let mut world = World::with_ann().await;
    world.suppress(SubscriberStatus::Unsubscribed).await;
    let (id, old) = (subscriber_id(ANN), Account::Old);
    let next = next_withdrawal(&world.store, id, &[old]).await.unwrap();
    let NextLook::Look(next) = next else {
        panic!("{next:?}");
    };
    let found = world.provider.find(old, &email(ANN)).await.unwrap();
    world.reinstate().await;
    let found = found.as_ref();
    let begun = begin_withdrawal(&world.store, &next, found, world.now).await;
    let withdrawn = withdraw(&world.provider, &begun.unwrap(), found).await;
    assert_eq!(withdrawn, Ok(()));
    let person = world.provider.person(old, &email(ANN)).unwrap();
    assert_eq!(person.status, ProviderStatus::Active);
}

#[pollster::test]
async fn a_rotated_token_is_unknown() {
    let world = World::with_ann().await;
    let (before, other) = (world.ann().await, token("another one"));
    let (by, why) = (by_ann(1), "was forwarded");
    let rotated = rotate_token(&world.store, &before, &other, why, &by, world.now);
    let after = rotated.await.unwrap();
    let expect = Subscriber {
        token: other.clone(),
        version: before.version + 1,
        updated_at: world.now,
        ..before.clone()
    };
    assert_eq!((&after, &world.ann().await), (&expect, &expect));
    let confirmed = confirm_migration(&world.store, &before.token, world.now).await;
    assert_eq!(confirmed, Ok(None));
    let confirmed = confirm_migration(&world.store, &other, world.now).await;
    assert_eq!(confirmed.unwrap().unwrap().id, before.id);
    let entry = audit(&world.store).await.remove(0);
    let shown = format!("{entry:?}");
    assert_eq!(entry.action.as_str(), "subscribers.rotate-token");
    assert!(shown.contains("was forwarded"), "{shown}");
    for secret in [&before.token, &other] {
        assert!(!shown.contains(secret.reveal()), "{shown}");
    }
}
