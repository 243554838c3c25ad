//! Moves: their order, and that no failure loses anyone.

use super::*;
use crate::{
    subscriber::MigrationSource,
    usecase::{Migration, migrate},
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

#[test]
fn a_move_looks_first_and_removes_last() {
    pollster::block_on(async {
        let mut world = World::with_ann().await;
        start(&world).await;
        world.work().await.unwrap();
        assert_eq!(world.provider.calls(), [find(), join(), remove()]);
        assert!(has_arrived(&world).await);
        assert!(!world.is_in(Account::Old));
        assert_eq!(world.told(Account::New).as_deref(), Some("Ann"));

        world.put(r#"{"name":"Bo"}"#).await;
        world.work().await.unwrap();
        let upsert = Call::Upsert(Account::New, email(ANN), false);
        assert_eq!(world.provider.calls(), [upsert]);
        assert_eq!(
            Outbox::list(&world.store, false, None, usize::MAX).await,
            Ok(vec![])
        );
    });
}

#[test]
fn whoever_is_not_in_the_old_account_is_only_added() {
    pollster::block_on(async {
        let mut world = World::new();
        world.put("{}").await;
        start(&world).await;
        world.work().await.unwrap();
        assert_eq!(world.provider.calls(), [find(), join()]);
        assert!(has_arrived(&world).await);
        assert!(world.is_in(Account::New) && !world.is_in(Account::Old));
    });
}

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
            assert_eq!(world.provider.calls(), [find(), remove()], "{here} {there}");
            assert!(!world.is_in(Account::New) && !world.is_in(Account::Old));
            let ann = world.ann().await;
            assert_eq!(ann.status, here.max(there));
            assert!(has_arrived(&world).await);
        }
    });
}

#[test]
fn a_suppression_that_only_the_new_account_shows_is_learned() {
    pollster::block_on(async {
        let mut world = World::with_ann().await;
        let spam = SubscriberStatus::SpamReported;
        world.provider.set(Account::New, &email(ANN), spam);
        start(&world).await;
        world.work().await.unwrap();
        assert_eq!(world.provider.calls(), [find(), join(), remove()]);
        assert_eq!(world.ann().await.status, spam);
        assert!(has_arrived(&world).await);
    });
}

/// Wherever it fails, before or after the call had its effect: it ends well when it is done
/// again, and in between the person is in one account at least.
#[test]
fn no_failure_loses_anyone() {
    pollster::block_on(async {
        for (calls, failing) in
            (0..3).flat_map(|n| [Failing::Before, Failing::After].map(|f| (n, f)))
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
        }
    });
}

/// The old account is the only one to know, and is about to forget.
#[test]
fn a_suppression_is_recorded_before_anything_else_happens() {
    pollster::block_on(async {
        for failing in [Failing::Before, Failing::After] {
            let mut world = World::with_ann().await;
            let unsubscribed = SubscriberStatus::Unsubscribed;
            world.provider.set(Account::Old, &email(ANN), unsubscribed);
            start(&world).await;
            world.provider.fail(1, failing, no_answer());
            assert_eq!(world.work().await, Err(no_answer()));
            assert_eq!(world.ann().await.status, unsubscribed);
            world.work().await.unwrap();
            assert!(!world.is_in(Account::New) && !world.is_in(Account::Old));
        }
    });
}

#[test]
fn what_changes_under_way_arrives() {
    pollster::block_on(async {
        let mut world = World::with_ann().await;
        start(&world).await;
        let (receipt, work) = world.claim(Queue::Migrate).await.unwrap();
        let ann = world.ann().await;
        assert_eq!(work, Work::Effect(Effect::Migrate(ann.id)));
        let errands = moves(&world.store, &[(receipt, ann.id)], world.now).await;
        let errand = errands.unwrap().remove(0);
        let found = look_up(&world.provider, &errand).await.unwrap();
        // Early enough to go along.
        world.put(r#"{"name":"Bo"}"#).await;
        let errand = record_found(&world.store, &errand, found.as_ref(), world.now).await;
        let errand = errand.unwrap().unwrap();
        // Too late for that.
        world.put(r#"{"country":"Mali"}"#).await;
        let told = carry_over(&world.provider, &errand, found.as_ref()).await;
        let told = [told.unwrap()];
        assert_eq!(world.told(Account::New).as_deref(), Some("Bo"));
        record_moves(&world.store, &told, world.now).await.unwrap();

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
        // Left over from before the move, and asked for since.
        for queue in [Queue::Sync(Account::Old), Queue::Sync(Account::New)] {
            let (receipt, work) = world.claim(queue).await.unwrap();
            world.run(receipt, work).await.unwrap();
            assert_eq!(world.provider.calls(), [], "{queue:?}");
            world.suppress(SubscriberStatus::Bounced).await;
        }
    });
}

/// What was asked for in the old account is done in the new one.
#[test]
fn a_sync_follows_whoever_has_moved() {
    pollster::block_on(async {
        let mut world = World::with_ann().await;
        world.put(r#"{"name":"Bo"}"#).await;
        let (receipt, work) = world.claim(Queue::Sync(Account::Old)).await.unwrap();
        start(&world).await;
        let (moving, effect) = world.claim(Queue::Migrate).await.unwrap();
        world.run(moving, effect).await.unwrap();
        world.provider.calls();
        world.put(r#"{"name":"Cy"}"#).await;
        world.run(receipt, work).await.unwrap();
        assert_eq!(world.provider.calls(), []);
        world.work().await.unwrap();
        let upsert = Call::Upsert(Account::New, email(ANN), false);
        assert_eq!(world.provider.calls(), [upsert]);
    });
}

#[test]
fn a_late_call_does_not_leave_anyone_in_the_old_account() {
    pollster::block_on(async {
        let mut world = World::with_ann().await;
        world.put(r#"{"name":"Bo"}"#).await;
        let (receipt, _) = world.claim(Queue::Sync(Account::Old)).await.unwrap();
        let errands = world
            .syncs(receipt, world.ann().await.id, Account::Old)
            .await;
        start(&world).await;
        let (moving, effect) = world.claim(Queue::Migrate).await.unwrap();
        world.run(moving, effect).await.unwrap();
        let told = super::super::sync(&world.provider, &errands[0]).await;
        assert!(world.is_in(Account::Old), "it was put back");
        world.record(told.unwrap()).await;
        world.work().await.unwrap();
        assert!(world.is_in(Account::New) && !world.is_in(Account::Old));
        assert!(has_arrived(&world).await);
    });
}
