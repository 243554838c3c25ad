use kernel::ClientId;
use uuid::Uuid;

use super::*;
use crate::{
    audit,
    subscriber::{Departure, MigrationSource, Remembered},
    usecase::{
        Erased, Waiting, erase,
        erase::recall,
        find_subscriber, migrate, suppress,
        withdraw::{NextLook, next_withdrawal, record_withdrawal, withdraw},
    },
};

const NEW: &str = "ann@new.example";
const CHANGED: &str = r#"{"previous_email":"ann@example.com"}"#;

impl World {
    async fn change_address(&mut self) -> Subscriber {
        let put = PutSubscriber {
            new_id: SubscriberId::new(uuid(0x77)),
            ..report(NEW, CHANGED)
        };
        self.put_all(&[put]).await.remove(0).subscriber
    }

    async fn known(&self, address: &str) -> Option<Subscriber> {
        let email = email(address);
        let known = self.store.load(std::slice::from_ref(&email));
        known.await.unwrap().remove(&email)
    }

    fn status(&self, account: Account, address: &str) -> Option<ProviderStatus> {
        let person = self.provider.person(account, &email(address))?;
        Some(person.status)
    }

    async fn erase(&mut self, address: &str) -> Erased {
        self.now += hours(1);
        let entry = audit::erasure(Uuid::from_u128(1), ClientId::new(uuid(1)), self.now);
        erase(&self.store, &email(address), entry).await.unwrap()
    }
}

/// At every moment an account has the person under at least one address.
#[pollster::test]
async fn the_old_address_is_removed_after_the_new_one_is_synced() {
    let mut world = World::with_ann().await;
    let before = world.ann().await;
    let changed = world.change_address().await;
    assert_eq!((changed.id, &changed.token), (before.id, &before.token));
    assert_eq!(changed.name.as_deref(), Some("Ann"));
    let both = Account::ALL;
    let gone = SubscriberId::new(uuid(0x77));
    let next = next_withdrawal(&world.store, gone, both).await;
    assert_eq!(next, Ok(NextLook::Wait(Waiting::ForSuccessor)));
    world.work().await.unwrap();
    assert_eq!(
        world.status(Account::Old, NEW),
        Some(ProviderStatus::Active)
    );
    assert!(!world.is_in(Account::Old));
    assert_eq!(world.known(ANN).await, None);
    let calls = world.provider.calls();
    let upserted = Call::Upsert(Account::Old, email(NEW), false);
    let removed = Call::Remove(Account::Old, email(ANN));
    let at = |call| calls.iter().position(|made| made == call);
    assert!(
        at(&upserted).is_some() && at(&upserted) < at(&removed),
        "{calls:?}"
    );
    // A repeated report is like a report without a previous address.
    let again = world.change_address().await;
    assert_eq!(again, world.known(NEW).await.unwrap());
    world.work().await.unwrap();
    assert_eq!(world.provider.calls(), []);
}

#[pollster::test]
async fn an_unsubscription_of_the_old_address_suppresses_the_new_one() {
    for is_delivered in [true, false] {
        let mut world = World::with_ann().await;
        world.change_address().await;
        let unsubscribed = SubscriberStatus::Unsubscribed;
        world.provider.set(Account::Old, &email(ANN), unsubscribed);
        if is_delivered {
            world.suppress(unsubscribed).await;
        }
        world.work().await.unwrap();
        assert_eq!(world.known(NEW).await.unwrap().status, unsubscribed);
        let there = world.status(Account::Old, NEW);
        assert_ne!(there, Some(ProviderStatus::Active), "{is_delivered}");
    }
}

#[pollster::test]
async fn a_moved_person_does_not_join_the_group_again() {
    let mut world = World::with_ann().await;
    let (emails, source) = ([email(ANN)], MigrationSource::Manual);
    migrate(&world.store, &emails, source, world.now)
        .await
        .unwrap();
    world.work().await.unwrap();
    world.change_address().await;
    world.work().await.unwrap();
    let there = world.provider.person(Account::New, &email(NEW)).unwrap();
    assert_eq!((there.status, there.joined), (ProviderStatus::Active, 0));
    assert!(!world.is_in(Account::Old) && !world.is_in(Account::New));
}

#[pollster::test]
async fn a_suppression_goes_along_and_stays() {
    let mut world = World::with_ann().await;
    let (old, unsubscribed) = (Account::Old, SubscriberStatus::Unsubscribed);
    world.provider.set(old, &email(NEW), ProviderStatus::Active);
    world.suppress(unsubscribed).await;
    world.change_address().await;
    world.work().await.unwrap();
    assert_eq!(world.status(old, NEW), Some(ProviderStatus::Unsubscribed));
    assert!(!world.is_in(old));
    for address in [ANN, NEW] {
        let known = world.known(address).await.unwrap();
        assert_eq!((known.status, known.departure), (unsubscribed, None));
    }
    assert_eq!(world.known(ANN).await.unwrap().reported_at, None);
    assert_eq!(Outbox::list(&world.store, false, None, 9).await, Ok(vec![]));
}

#[pollster::test]
async fn two_records_become_one() {
    let mut world = World::with_ann().await;
    let there = report(NEW, r#"{"name":"Anna"}"#);
    let there = world.put_all(&[there]).await.remove(0).subscriber;
    world.suppress(SubscriberStatus::Bounced).await;
    let changed = world.change_address().await;
    assert_eq!(
        (changed.id, changed.status),
        (there.id, SubscriberStatus::Bounced)
    );
    assert_eq!(changed.name.as_deref(), Some("Anna"));
    let left = world.known(ANN).await.unwrap();
    assert_eq!(left.departure, Some(Departure::Moved(there.id)));
    assert_eq!((left.name, left.reported_at), (None, None));
    world.work().await.unwrap();
    assert!(!world.is_in(Account::Old));
}

#[pollster::test]
async fn an_older_report_changes_no_address() {
    let mut world = World::new();
    world.put(r#"{"as_of":"2026-03-01T12:00:00Z"}"#).await;
    let body = r#"{"previous_email":"ann@example.com","as_of":"2026-03-01T11:00:00Z"}"#;
    let answer = world.put_all(&[report(NEW, body)]).await.remove(0);
    assert_eq!(
        (answer.subscriber, answer.is_new),
        (world.ann().await, false)
    );
    assert_eq!(world.known(NEW).await, None);
}

#[pollster::test]
async fn an_erased_person_is_forgotten_in_both_accounts() {
    let mut world = World::with_ann().await;
    let (token, person) = (world.ann().await.token, email(ANN));
    world
        .provider
        .set(Account::New, &person, ProviderStatus::Active);
    assert_eq!(world.erase(ANN).await, Erased::Reported);
    assert_eq!(
        world.erase(ANN).await,
        Erased::Hidden,
        "both accounts still know her"
    );
    let left = world.ann().await;
    let entries = entries(&world.store).await.unwrap();
    let recorded = entries
        .iter()
        .map(|it| (it.by.as_str(), it.subject.as_deref()));
    let (by, subject) = (format!("client:{}", uuid(1)), left.id.to_string());
    assert_eq!(recorded.collect::<Vec<_>>(), [(&*by, Some(&*subject))]);
    assert_eq!((&left.name, left.membership), (&None, None));
    assert_eq!(find_subscriber(&world.store, &person).await, Ok(None));
    assert_eq!(world.store.find_by_token(&token).await, Ok(None));
    world.work().await.unwrap();
    for &account in Account::ALL {
        assert!(world.provider.has_forgotten(account, &person), "{account}");
    }
    assert_eq!(world.known(ANN).await, None);
    assert_eq!(world.erase(ANN).await, Erased::Nothing);
    assert_eq!(world.store.remembered(&[person]).await, Ok([].into()));
    assert!(world.put("{}").await.is_new);
    assert_eq!(world.ann().await.status, SubscriberStatus::Active);
}

#[pollster::test]
async fn a_person_reported_during_the_erasure_is_created_again() {
    let (mut world, old) = (World::with_ann().await, Account::Old);
    assert_eq!(world.erase(ANN).await, Erased::Reported);
    let id = world.ann().await.id;
    let next = next_withdrawal(&world.store, id, &[old]).await;
    let Ok(NextLook::Look(look)) = next else {
        panic!("{next:?}");
    };
    let found = world.provider.find(old, &email(ANN)).await.unwrap();
    withdraw(&world.provider, &look, found.as_ref())
        .await
        .unwrap();
    world.put(r#"{"name":"Ann"}"#).await;
    let recorded = record_withdrawal(&world.store, &look, found.as_ref(), world.now).await;
    assert_eq!(recorded, Ok(()));
    world.work().await.unwrap();
    assert_eq!(world.ann().await.status, SubscriberStatus::Active);
    assert_eq!(world.status(old, ANN), Some(ProviderStatus::Active));
}

#[pollster::test]
async fn a_person_suppressed_at_erasure_gets_no_mail() {
    let mut world = World::with_ann().await;
    world.suppress(SubscriberStatus::SpamReported).await;
    assert_eq!(world.erase(ANN).await, Erased::Reported);
    world.work().await.unwrap();
    assert_eq!(world.known(ANN).await, None);
    assert_eq!(world.erase(ANN).await, Erased::Hidden);
    world.suppress(SubscriberStatus::Unsubscribed).await;
    assert_eq!(world.known(ANN).await, None, "a late delivery is no news");

    assert!(world.put(r#"{"name":"Ann"}"#).await.is_new);
    assert_eq!(world.ann().await.status, SubscriberStatus::SpamReported);
    world.work().await.unwrap();
    assert!(!world.is_in(Account::Old), "nobody is made known");
    let remembered = world.store.remembered(&[email(ANN)]).await;
    assert_eq!(remembered, Ok([].into()), "her row says it again");
}

#[pollster::test]
async fn a_suppression_that_only_an_account_shows_outlives_the_erasure() {
    let mut world = World::with_ann().await;
    let unsubscribed = SubscriberStatus::Unsubscribed;
    world.provider.set(Account::Old, &email(ANN), unsubscribed);
    assert_eq!(world.erase(ANN).await, Erased::Reported);
    // The second call may delete the record that shows the status, and its answer is lost.
    world.provider.fail(1, Failing::After, no_answer());
    assert_eq!(world.work().await, Err(no_answer()));
    world.work().await.unwrap();
    assert!(!world.is_in(Account::Old));
    let remembered = world.store.remembered(&[email(ANN)]).await.unwrap();
    let status = remembered.get(&email(ANN)).map(|it: &Remembered| it.status);
    assert_eq!(status, Some(unsubscribed));
}

#[pollster::test]
async fn an_erasure_waits_for_the_key_of_the_other_account() {
    let mut world = World::with_ann().await;
    assert_eq!(world.erase(ANN).await, Erased::Reported);
    let id = world.ann().await.id;
    let (token, effect) = world.claim(tasks::WITHDRAW).await.unwrap();
    // The old account has forgotten the person, and the other account cannot be called.
    world.provider.fail(2, Failing::Before, no_answer());
    assert_eq!(world.run(token, effect).await, Err(no_answer()));
    for (accounts, waits) in [(&[Account::Old][..], true), (Account::ALL, false)] {
        let next = next_withdrawal(&world.store, id, accounts).await.unwrap();
        assert_eq!(next == NextLook::Wait(Waiting::ForKey), waits, "{next:?}");
    }
}

/// The remembered suppression applies again, also to another address. An operator can lift it.
#[pollster::test]
async fn operators_know_how_an_erased_person_stood() {
    let mut world = World::with_ann().await;
    let spam = SubscriberStatus::SpamReported;
    world.suppress(spam).await;
    let id = world.ann().await.id;
    assert_eq!(world.erase(ANN).await, Erased::Reported);
    world.work().await.unwrap();
    assert_eq!(world.known(ANN).await, None);
    assert_eq!(world.change_address().await.status, spam);
    let said = notice(ANN, SubscriberStatus::Unsubscribed);
    let done = suppress(&world.store, &said, "asked", &by_ann(1), world.now).await;
    assert_eq!(done.unwrap().subscriber.status, spam);

    let entry = by_ann(2).entry(audit::SUBSCRIBERS_ERASE, world.now);
    let erased = erase(&world.store, &email(ANN), entry).await;
    assert_eq!(erased, Ok(Erased::Hidden));
    let entry = entries(&world.store).await.unwrap().remove(0);
    assert_eq!(entry.action, audit::SUBSCRIBERS_ERASE);
    assert!(audit::subscriber(&entry).is_some() && entry.details.is_empty());
    world.work().await.unwrap();
    assert_eq!(world.known(ANN).await, None);

    let new = (SubscriberId::new(uuid(0x78)), token("new"));
    let recalled = recall(&world.store, &email(ANN), new, world.now).await;
    assert_eq!(recalled, Ok(()));
    let known = world.ann().await;
    assert_eq!((known.status, known.reported_at), (spam, None));
    assert_ne!(known.id, id);
    assert_eq!(world.reinstate().await.status, SubscriberStatus::Active);
    assert_eq!(world.store.remembered(&[email(ANN)]).await, Ok([].into()));
}
