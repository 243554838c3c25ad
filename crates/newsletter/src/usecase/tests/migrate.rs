//! Moves: the order of their steps, and their failures.

use super::*;
use crate::{
    subscriber::{MigrationSource, SuppressionSource},
    tasks,
    usecase::{Migration, MoveStep, leave, migrate, record_move},
};

fn find() -> Call {
    Call::Find(Account::Old, email(ANN))
}

fn join() -> Call {
    Call::Upsert(Account::New, email(ANN), true)
}

fn remove() -> Call {
    Call::Remove(Account::Old, email(ANN))
}

async fn start(world: &World) {
    let emails = [email(ANN)];
    let source = MigrationSource::Manual;
    let answers = migrate(&world.store, &emails, source, world.now).await;
    assert_eq!(answers, Ok(vec![Migration::Started]));
}

async fn has_arrived(world: &World) -> bool {
    let ann = world.ann().await;
    ann.migrated.is_some_and(|migrated| migrated.arrived)
}

/// Whether the old account showed her during the move.
async fn was_found(world: &World) -> bool {
    let ann = world.ann().await;
    ann.migrated.is_some_and(|migrated| migrated.was_found)
}

#[test]
fn a_move_looks_first_and_removes_last() {
    pollster::block_on(async {
        let mut world = World::with_ann().await;
        start(&world).await;
        world.work().await.unwrap();
        let calls = [find(), join(), find(), remove()];
        assert_eq!(world.provider.calls(), calls);
        assert!(has_arrived(&world).await);
        assert!(was_found(&world).await);
        assert!(!world.is_in(Account::Old));
        assert_eq!(world.told(Account::New).as_deref(), Some("Ann"));

        world.put(r#"{"name":"Bo"}"#).await;
        world.work().await.unwrap();
        let update = Call::Update(Account::New, email(ANN));
        assert_eq!(world.provider.calls(), [update]);
        let left = Outbox::list(&world.store, false, None, usize::MAX).await;
        assert_eq!(left, Ok(vec![]));
    });
}

#[test]
fn whoever_is_not_in_the_old_account_is_only_added() {
    pollster::block_on(async {
        let mut world = World::new();
        world.put("{}").await;
        start(&world).await;
        world.work().await.unwrap();
        assert_eq!(world.provider.calls(), [find(), join(), find()]);
        assert!(has_arrived(&world).await);
        assert!(!was_found(&world).await);
        assert!(world.is_in(Account::New) && !world.is_in(Account::Old));
    });
}

/// The old account keeps the evidence for a database that is lost.
#[test]
fn nobody_suppressed_is_added() {
    use SubscriberStatus::{Active, Bounced, Unsubscribed};

    pollster::block_on(async {
        for (here, there) in [
            (Active, Unsubscribed),
            (Bounced, Active),
            (Bounced, Unsubscribed),
        ] {
            let mut world = World::with_ann().await;
            world.provider.set(Account::Old, &email(ANN), there);
            if here.is_suppressed() {
                world.suppress(here).await;
            }
            start(&world).await;
            world.work().await.unwrap();
            assert!(!world.is_in(Account::New));
            let person = world.provider.person(Account::Old, &email(ANN)).unwrap();
            assert_eq!(person.status, ProviderStatus::Unsubscribed);
            let calls = world.provider.calls();
            assert!(!calls.contains(&remove()), "{calls:?}");
            let ann = world.ann().await;
            assert_eq!(ann.status, here.max(there));
            assert!(has_arrived(&world).await);
        }
    });
}

/// By a status in the answer, or by a refusal with a lookup.
#[test]
fn a_suppression_that_only_the_new_account_shows_is_learned() {
    pollster::block_on(async {
        for refuses in [false, true] {
            let mut world = World::with_ann().await;
            if refuses {
                world.provider.refuse_suppressed();
            }
            let spam = SubscriberStatus::SpamReported;
            world.provider.set(Account::New, &email(ANN), spam);
            start(&world).await;
            world.work().await.unwrap();
            let ann = world.ann().await;
            assert_eq!(ann.status, spam);
            let from = ann.suppression.unwrap();
            assert_eq!(from.source, SuppressionSource::Move);
            assert_eq!(from.account, Some(Account::New));
            let person = world.provider.person(Account::Old, &email(ANN)).unwrap();
            assert_eq!(
                person.status,
                ProviderStatus::Unsubscribed,
                "and not removed"
            );
            assert!(has_arrived(&world).await);
        }
    });
}

/// In either account or here, during the call to the new one.
#[test]
fn a_suppression_during_the_move_reaches_the_new_account() {
    pollster::block_on(async {
        for account in [Some(Account::Old), Some(Account::New), None] {
            let mut world = World::with_ann().await;
            start(&world).await;
            if let Some(account) = account {
                let junk = ProviderStatus::Junk;
                world.provider.flip(2, account, &email(ANN), junk);
            } else {
                world.suppress(SubscriberStatus::SpamReported).await;
            }
            world.work().await.unwrap();
            if account == Some(Account::New) {
                // The new account's webhook.
                world.suppress(SubscriberStatus::SpamReported).await;
                world.work().await.unwrap();
            }
            assert_eq!(world.ann().await.status, SubscriberStatus::SpamReported);
            for &account in Account::ALL {
                let person = world.provider.person(account, &email(ANN));
                let gets_mail = person.is_some_and(|it| it.status.suppression().is_none());
                assert!(!gets_mail, "{account}");
            }
        }
    });
}

/// An unconfirmed subscriber has not consented, and an operator reads so.
#[test]
fn only_who_is_active_is_moved() {
    pollster::block_on(async {
        for &account in Account::ALL {
            let mut world = World::with_ann().await;
            let unconfirmed = ProviderStatus::Unconfirmed;
            world.provider.set(account, &email(ANN), unconfirmed);
            start(&world).await;
            let error = world.work().await.unwrap_err();
            assert!(matches!(error, ProviderError::Permanent(_)), "{error:?}");
            assert!(error.to_string().contains("unconfirmed"), "{error}");
            let person = world.provider.person(account, &email(ANN)).unwrap();
            assert_eq!(person.status, unconfirmed);
            assert!(world.is_in(Account::Old), "and nobody is lost");
        }
    });
}

#[test]
fn who_was_removed_is_not_created_again() {
    pollster::block_on(async {
        let mut world = World::with_ann().await;
        world.provider.delete(Account::Old, &email(ANN));
        start(&world).await;
        world.work().await.unwrap();
        world.put(r#"{"name":"Bo"}"#).await;
        world.work().await.unwrap();
        assert!(!world.is_in(Account::Old) && !world.is_in(Account::New));
        let ann = world.ann().await;
        assert!(!was_found(&world).await);
        assert_eq!(ann.status, SubscriberStatus::Removed);
        assert_eq!(
            Outbox::list(&world.store, false, None, usize::MAX).await,
            Ok(vec![])
        );
    });
}

/// Before or after the effect of each call: a repeated move ends well, and in between the
/// subscriber is in one account at least.
#[test]
fn no_failure_loses_anyone() {
    pollster::block_on(async {
        for (calls, failing) in
            (0..4).flat_map(|n| [Failing::Before, Failing::After].map(|f| (n, f)))
        {
            let mut world = World::with_ann().await;
            start(&world).await;
            world.provider.fail(calls, failing, no_answer());
            assert_eq!(world.work().await, Err(no_answer()));
            assert!(world.is_in(Account::Old) || world.is_in(Account::New));
            assert!(!has_arrived(&world).await);
            world.work().await.unwrap();
            assert!(has_arrived(&world).await);
            assert!(world.is_in(Account::New), "{calls} {failing:?}");
            assert!(!world.is_in(Account::Old), "{calls} {failing:?}");
            assert!(was_found(&world).await, "{calls} {failing:?}");
        }
    });
}

#[test]
fn what_changes_under_way_arrives() {
    pollster::block_on(async {
        let mut world = World::with_ann().await;
        start(&world).await;
        let (receipt, effect) = world.claim(tasks::MIGRATE).await.unwrap();
        let ann = world.ann().await;
        assert_eq!(effect, tasks::migrate(ann.id));
        let job = begin_move(&world.store, receipt, ann.id, world.now).await;
        let job = job.unwrap().unwrap();
        let found = look_up(&world.provider, &job).await.unwrap();
        // In time for the move.
        world.put(r#"{"name":"Bo"}"#).await;
        let step = record_found(&world.store, &job, found.as_ref(), false, world.now).await;
        let Ok(MoveStep::GoOn(job)) = step else {
            panic!("{step:?}")
        };
        // Too late for the move.
        world.put(r#"{"country":"Mali"}"#).await;
        super::super::join(&world.provider, &job).await.unwrap();
        assert_eq!(world.told(Account::New).as_deref(), Some("Bo"));
        leave(&world.provider, found.as_ref()).await.unwrap();
        record_move(&world.store, &job, world.now).await.unwrap();

        world.work().await.unwrap();
        let person = world.provider.person(Account::New, &email(ANN)).unwrap();
        assert_eq!(person.profile, Some(world.ann().await.profile()));
        assert_eq!(person.joined, 1);
    });
}

#[test]
fn nothing_is_told_before_the_arrival() {
    pollster::block_on(async {
        let mut world = World::with_ann().await;
        world.put(r#"{"name":"Bo"}"#).await;
        start(&world).await;
        // A task from before the move, and a later one.
        for queue in [tasks::syncs(Account::Old), tasks::syncs(Account::New)] {
            let (receipt, work) = world.claim(queue).await.unwrap();
            world.run(receipt, work).await.unwrap();
            assert_eq!(world.provider.calls(), [], "{queue:?}");
            world.suppress(SubscriberStatus::Bounced).await;
        }
    });
}

/// A sync for the old account is done in the new one.
#[test]
fn a_sync_follows_whoever_has_moved() {
    pollster::block_on(async {
        let mut world = World::with_ann().await;
        world.put(r#"{"name":"Bo"}"#).await;
        let (receipt, work) = world.claim(tasks::syncs(Account::Old)).await.unwrap();
        start(&world).await;
        let (moving, effect) = world.claim(tasks::MIGRATE).await.unwrap();
        world.run(moving, effect).await.unwrap();
        world.provider.calls();
        world.put(r#"{"name":"Cy"}"#).await;
        world.run(receipt, work).await.unwrap();
        assert_eq!(world.provider.calls(), []);
        world.work().await.unwrap();
        let update = Call::Update(Account::New, email(ANN));
        assert_eq!(world.provider.calls(), [update]);
    });
}

#[test]
fn a_late_call_does_not_leave_anyone_in_the_old_account() {
    pollster::block_on(async {
        let mut world = World::new();
        world.put(r#"{"name":"Bo"}"#).await;
        let (receipt, _) = world.claim(tasks::bulk_syncs(Account::Old)).await.unwrap();
        let job = world
            .begin_sync(receipt, world.ann().await.id, Account::Old)
            .await
            .unwrap();
        start(&world).await;
        let (moving, effect) = world.claim(tasks::MIGRATE).await.unwrap();
        world.run(moving, effect).await.unwrap();
        let told = super::super::sync(&world.provider, &job).await;
        assert!(world.is_in(Account::Old), "it was put back");
        world.record(told.unwrap()).await;
        world.work().await.unwrap();
        assert!(world.is_in(Account::New) && !world.is_in(Account::Old));
        assert!(has_arrived(&world).await);
    });
}
