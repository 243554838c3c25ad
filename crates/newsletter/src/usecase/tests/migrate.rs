use super::*;
use crate::{
    subscriber::{MigrationSource, SuppressionSource, reconciliation::ConcurrentWrites},
    usecase::{Migration, migrate, reconcile},
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

async fn was_found(world: &World) -> bool {
    let ann = world.ann().await;
    ann.migrated.is_some_and(|migrated| migrated.was_found)
}

#[pollster::test]
async fn a_move_looks_first_and_removes_last() {
    let mut world = World::with_ann().await;
    start(&world).await;
    world.work().await.unwrap();
    let calls = [find(), join(), find(), remove()];
    assert_eq!(world.provider.calls(), calls);
    assert!(has_arrived(&world).await);
    assert!(was_found(&world).await);
    assert!(!world.is_in(Account::Old));
    assert_eq!(world.sent_name(Account::New).as_deref(), Some("Ann"));

    world.put(r#"{"name":"Bo"}"#).await;
    world.work().await.unwrap();
    let update = Call::Update(Account::New, email(ANN));
    assert_eq!(world.provider.calls(), [update]);
    assert_eq!(world.tasks().await, [""; 0]);
}

#[pollster::test]
async fn a_dismissed_move_continues_with_a_change_or_a_repeated_command() {
    for cause in ["name", "membership", "suppression", "command"] {
        let mut world = World::with_ann().await;
        start(&world).await;
        world.now += hours(1);
        let (task, _) = world.claim(tasks::MIGRATE).await.unwrap();
        let (at, by) = (world.now, by_ann(1));
        world.store.give_up(task, "no", at).await.unwrap();
        let reason = "never".to_owned();
        let dismissal = Dismissal { by, reason, at };
        let dismissed = world.store.dismiss(&[task.task], &dismissal).await;
        assert_eq!(dismissed, Ok(1));
        world.work().await.unwrap();
        assert!(!has_arrived(&world).await);
        match cause {
            "name" => drop(world.put(r#"{"name":"Bo"}"#).await),
            "membership" => drop(world.put(MEMBER).await),
            "suppression" => world.suppress(SubscriberStatus::Bounced).await,
            _ => start(&world).await,
        }
        world.work().await.unwrap();
        assert!(has_arrived(&world).await, "{cause}");
        assert_eq!(world.tasks().await, [""; 0]);
    }
}

#[pollster::test]
async fn a_person_absent_from_the_old_account_is_only_added() {
    let mut world = World::new();
    world.put("{}").await;
    start(&world).await;
    world.work().await.unwrap();
    assert_eq!(world.provider.calls(), [find(), join(), find()]);
    assert!(has_arrived(&world).await);
    assert!(!was_found(&world).await);
    assert!(world.is_in(Account::New) && !world.is_in(Account::Old));
}

#[test]
fn a_suppressed_person_is_not_added() {
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

#[pollster::test]
async fn a_suppression_that_only_the_new_account_shows_is_learned() {
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
}

#[pollster::test]
async fn a_suppression_during_the_move_reaches_the_new_account() {
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
}

#[pollster::test]
async fn a_removed_person_is_not_created_again() {
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
    assert_eq!(world.tasks().await, [""; 0]);
}

#[pollster::test]
async fn a_move_that_fails_at_any_step_starts_over_and_loses_no_person() {
    let known = || Call::Find(Account::New, email(ANN));
    let rejoin = || Call::Upsert(Account::New, email(ANN), false);
    for (step, failing, again) in [
        (0, Failing::Before, vec![find(), join(), find(), remove()]),
        (1, Failing::Before, vec![find(), join(), find(), remove()]),
        (1, Failing::After, vec![find(), join(), find(), remove()]),
        // A subscriber who was in the new account before is not created again, and joins the group
        // only once.
        (
            2,
            Failing::Before,
            vec![find(), known(), rejoin(), find(), remove()],
        ),
        (
            3,
            Failing::Before,
            vec![find(), known(), rejoin(), find(), remove()],
        ),
        (3, Failing::After, vec![find(), known(), rejoin(), find()]),
    ] {
        let mut world = World::with_ann().await;
        start(&world).await;
        world.provider.fail(step, failing, no_answer());
        assert_eq!(world.work().await, Err(no_answer()));
        let done = [find(), join(), find(), remove()];
        assert_eq!(world.provider.calls(), done[..=step]);
        world.work().await.unwrap();
        assert_eq!(world.provider.calls(), again, "{step} {failing:?}");
        assert!(has_arrived(&world).await);
        assert!(world.is_in(Account::New) && !world.is_in(Account::Old));
    }
}

#[pollster::test]
async fn a_move_between_two_keys_of_one_account_removes_no_person() {
    use Account::{New, Old};

    for (shared, was_there, is_listed) in [
        (Old, true, false),
        (Old, true, true),
        (Old, false, false),
        (New, true, true),
        (New, false, true),
    ] {
        let mut world = World::new();
        world.put("{}").await;
        world.provider.share(Some(shared));
        if was_there {
            world.work().await.unwrap();
        }
        for account in Account::ALL.iter().filter(|_| is_listed) {
            let page = world.provider.page(*account, None).await.unwrap();
            let concurrent = ConcurrentWrites::Possible;
            let listed = reconcile(&world.store, *account, &page, concurrent, false, world.now);
            listed.await.unwrap();
        }
        start(&world).await;
        for _ in 0..2 {
            let stuck = world.work().await.unwrap_err().to_string();
            assert!(stuck.contains("keys of one account"), "{stuck}");
            let calls = world.provider.calls();
            assert!(!calls.contains(&remove()), "{calls:?}");
            assert!(world.is_in(Old) && world.is_in(New));
        }
        assert!(!has_arrived(&world).await);

        world.provider.share(None);
        world.work().await.unwrap();
        assert!(has_arrived(&world).await);
        assert!(world.is_in(New) && !world.is_in(Old));
        assert_eq!(world.ann().await.status, SubscriberStatus::Active);
    }
}
