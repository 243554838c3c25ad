use super::*;
use crate::{
    subscriber::{MigrationSource, SuppressionSource},
    usecase::migrate,
};

fn upsert() -> Call {
    Call::Upsert(Account::Old, email(ANN), false)
}

fn update() -> Call {
    Call::Update(Account::Old, email(ANN))
}

fn calls(world: &World) -> Vec<Call> {
    let mut calls = world.provider.calls();
    calls.retain(|call| matches!(call, Call::Upsert(..) | Call::Update(..)));
    calls
}

fn find() -> Call {
    Call::Find(Account::Old, email(ANN))
}

#[pollster::test]
async fn a_change_is_one_call() {
    let mut world = World::new();
    for (body, call) in [
        (r#"{"name":"Ann"}"#, upsert()),
        (MEMBER, update()),
        (r#"{"membership":null}"#, update()),
        (r#"{"country":"Mali"}"#, update()),
    ] {
        world.put(body).await;
        world.work().await.unwrap();
        assert_eq!(world.provider.calls(), [call], "{body}");
        let person = world.provider.person(Account::Old, &email(ANN)).unwrap();
        assert_eq!(person.profile, Some(world.ann().await.profile()));
        assert_eq!(person.joined, 0);
    }
}

#[pollster::test]
async fn a_change_that_the_provider_does_not_see_causes_no_call() {
    let mut world = World::new();
    world.put(MEMBER).await;
    world.work().await.unwrap();
    world.provider.calls();
    for bodies in [
        &[LAPSED][..],
        &[MEMBER],
        &["{}"],
        &[r#"{"name":"B"}"#, r#"{"name":null}"#],
        &[r#"{"membership":null}"#, MEMBER],
    ] {
        for body in bodies {
            world.put(body).await;
        }
        world.work().await.unwrap();
        assert_eq!(world.provider.calls(), [], "{bodies:?}");
    }
    assert_eq!(world.tasks().await, [""; 0]);
}

#[pollster::test]
async fn a_suppressed_person_is_not_created_in_an_account() {
    let mut world = World::new();
    world.suppress(SubscriberStatus::Unsubscribed).await;
    world.work().await.unwrap();
    assert_eq!(calls(&world), []);
    world.put(MEMBER).await;
    world.work().await.unwrap();
    assert_eq!(calls(&world), []);
    assert!(!world.is_in(Account::Old) && !world.is_in(Account::New));
    world.put(LAPSED).await;
    world.work().await.unwrap();
    assert_eq!(world.provider.calls(), [], "it is known to be nothing");
}

#[pollster::test]
async fn a_suppressed_person_in_the_account_is_updated() {
    let mut world = World::with_ann().await;
    let old = Account::Old;
    world
        .provider
        .set(old, &email(ANN), SubscriberStatus::Bounced);
    world.suppress(SubscriberStatus::Bounced).await;
    world.work().await.unwrap();
    world.provider.calls();
    world.put(r#"{"name":"Bo"}"#).await;
    world.work().await.unwrap();
    assert_eq!(world.provider.calls(), [find(), update()]);
    assert_eq!(world.sent_name(old).as_deref(), Some("Bo"));
}

#[pollster::test]
async fn a_refusal_is_a_suppression() {
    for is_suppressed in [false, true] {
        let mut world = World::with_ann().await;
        let spam = SubscriberStatus::SpamReported;
        world.provider.refuse_suppressed();
        world.provider.set(Account::Old, &email(ANN), spam);
        if is_suppressed {
            world.suppress(SubscriberStatus::Bounced).await;
        } else {
            world.put(r#"{"name":"Bo"}"#).await;
        }
        world.work().await.unwrap();
        assert_eq!(calls(&world), [update()]);
        let ann = world.ann().await;
        assert_eq!(ann.status, spam);
        let from = ann.suppression.unwrap();
        assert_eq!(from.source, SuppressionSource::Answer);
        assert_eq!(from.account, Some(Account::Old));
        assert_eq!(world.tasks().await, [""; 0]);
    }
}

#[pollster::test]
async fn a_removed_person_is_not_created_again() {
    for is_suppressed in [false, true] {
        let mut world = World::with_ann().await;
        world.provider.delete(Account::Old, &email(ANN));
        if is_suppressed {
            world.suppress(SubscriberStatus::Bounced).await;
        }
        for body in [r#"{"name":"Bo"}"#, r#"{"name":"Cy"}"#] {
            world.put(body).await;
            world.work().await.unwrap();
            assert!(!world.is_in(Account::Old));
        }
        let status = if is_suppressed {
            SubscriberStatus::Bounced
        } else {
            SubscriberStatus::Removed
        };
        assert_eq!(world.ann().await.status, status);
    }
}

/// A sync was claimed for the account that the subscriber has left since.
#[pollster::test]
async fn a_person_who_moved_meanwhile_is_synced_to_the_new_account() {
    let mut world = World::with_ann().await;
    world.put(r#"{"name":"Bo"}"#).await;
    let (token, effect) = world.claim(tasks::syncs(Account::Old)).await.unwrap();
    let (emails, source) = ([email(ANN)], MigrationSource::Manual);
    migrate(&world.store, &emails, source, world.now)
        .await
        .unwrap();
    let (moving, move_over) = world.claim(tasks::MIGRATE).await.unwrap();
    world.run(moving, move_over).await.unwrap();
    let puts = [report(ANN, r#"{"name":"Cy"}"#)];
    put_subscribers(&world.store, &puts, world.now)
        .await
        .unwrap();
    world.run(token, effect).await.unwrap();
    world.work().await.unwrap();
    assert_eq!(world.sent_name(Account::New).as_deref(), Some("Cy"));
    assert!(!world.is_in(Account::Old));
}
