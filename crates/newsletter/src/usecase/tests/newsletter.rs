use super::*;
use crate::{
    subscriber::{MigrationSource, SignedWith, SuppressionSource},
    usecase::{Migration, confirm_migration, find_subscriber, find_subscriber_by_token, migrate},
};

#[pollster::test]
async fn reports_of_a_batch_build_on_each_other() {
    let mut world = World::new();
    let answers = world
        .put_all(&[
            report(ANN, r#"{"name":"Ann"}"#),
            report("bo@example.com", "{}"),
            report(ANN, r#"{"country":"Norway"}"#),
            report(ANN, "{}"),
        ])
        .await;
    let news: Vec<_> = answers.iter().map(|answer| answer.is_new).collect();
    assert_eq!(news, [true, true, false, false]);
    let ann = world.ann().await;
    assert_eq!(answers[3].subscriber, ann);
    assert_eq!(ann.name.as_deref(), Some("Ann"));
    assert_eq!((ann.country.as_deref(), ann.version), (Some("Norway"), 1));
    assert_eq!(world.tasks().await, ["sync"; 2], "one for each");
}

#[pollster::test]
async fn events_of_a_batch_build_on_each_other() {
    use SubscriberStatus::{Bounced, SpamReported, Unsubscribed};

    let mut world = World::with_ann().await;
    let batch = [SpamReported, Unsubscribed, Bounced].map(|status| notice(ANN, status));
    world.notice(&batch).await;
    assert_eq!(world.ann().await.status, SpamReported);
    let before = world.ann().await;
    world.notice(&batch).await;
    assert_eq!(world.ann().await, before, "they are no news any more");
    assert_eq!(world.tasks().await, ["sync", "withdraw"]);
}

#[pollster::test]
async fn an_unreported_person_does_not_exist() {
    let mut world = World::new();
    world.suppress(SubscriberStatus::Bounced).await;
    let store = &world.store;
    assert_eq!(find_subscriber(store, &email(ANN)).await, Ok(None));
    assert_eq!(find_subscriber_by_token(store, &token(ANN)).await, Ok(None));
    let confirmed = confirm_migration(store, &token(ANN), noon()).await;
    assert_eq!(confirmed, Ok(None));
    let emails = [email(ANN), email("bo@example.com")];
    let migrated = migrate(store, &emails, MigrationSource::Launch, noon()).await;
    assert_eq!(migrated, Ok(vec![Migration::Unknown; 2]));
    assert_eq!(
        world.tasks().await,
        ["withdraw"],
        "nothing but that is done"
    );

    assert!(world.put("{}").await.is_new);
    let ann = world.ann().await;
    let store = &world.store;
    assert_eq!(ann.status, SubscriberStatus::Bounced);
    let found = find_subscriber(store, &email(ANN)).await;
    assert_eq!(found, Ok(Some(ann.clone())));
    let found = find_subscriber_by_token(store, &token(ANN)).await;
    assert_eq!(found, Ok(Some(ann)));
}

#[pollster::test]
async fn a_confirmation_counts_once() {
    let world = World::with_ann().await;
    let confirm = async |token: &MigrationToken, now| {
        let confirmed = confirm_migration(&world.store, token, now).await;
        confirmed.unwrap()
    };
    let moved = confirm(&token(ANN), noon() + hours(9)).await.unwrap();
    let migrated = moved.migrated.unwrap();
    assert_eq!(migrated.at, noon() + hours(9));
    assert_eq!(migrated.source, MigrationSource::EmailConfirmation);
    assert_eq!(world.ann().await, moved);
    assert_eq!(confirm(&token(ANN), noon() + hours(10)).await, Some(moved));
    for other in [token("bo@example.com"), MigrationToken::from_text("\0")] {
        assert_eq!(confirm(&other, noon()).await, None);
    }
}

#[test]
fn an_operator_sees_the_outcome_of_each_move() {
    use Migration::{Started, Unchanged, Unknown};

    pollster::block_on(async {
        let mut world = World::with_ann().await;
        world.put_all(&[report("bo@example.com", "{}")]).await;
        let emails = ["bo@example.com", ANN, "bo@example.com", "cy@example.com"].map(email);
        let manual = MigrationSource::Manual;
        let answers = migrate(&world.store, &emails, manual, world.now).await;
        assert_eq!(answers, Ok(vec![Started, Started, Started, Unknown]));
        world.work().await.unwrap();
        let launch = MigrationSource::Launch;
        let answers = migrate(&world.store, &emails, launch, world.now).await;
        assert_eq!(answers, Ok(vec![Unchanged, Unchanged, Unchanged, Unknown]));
        let migrated = world.ann().await.migrated.unwrap();
        assert_eq!(migrated.source, manual);
    });
}

#[pollster::test]
async fn a_suppressed_person_cannot_confirm_a_move() {
    let mut world = World::with_ann().await;
    world.suppress(SubscriberStatus::Unsubscribed).await;
    let confirmed = confirm_migration(&world.store, &token(ANN), noon()).await;
    let ann = world.ann().await;
    assert_eq!(ann.migrated, None);
    assert_eq!(confirmed, Ok(Some(ann)));
}

/// A delivery does not name its account, and moves delete subscribers too.
#[pollster::test]
async fn a_deletion_is_checked_with_the_account() {
    use SubscriberStatus::{Active, Removed};

    for (is_moved, deleted_in, expect) in [
        (false, None, Active),
        (false, Some(Account::New), Active),
        (false, Some(Account::Old), Removed),
        (true, None, Active),
        (true, Some(Account::New), Removed),
    ] {
        let mut world = World::with_ann().await;
        if is_moved {
            let source = MigrationSource::Manual;
            let moved = migrate(&world.store, &[email(ANN)], source, world.now).await;
            moved.unwrap();
            world.suppress(Removed).await;
            assert_eq!(world.ann().await.status, Active, "a move looks by itself");
            world.work().await.unwrap();
        }
        if let Some(account) = deleted_in {
            world.provider.delete(account, &email(ANN));
        }
        world.suppress(Removed).await;
        world.work().await.unwrap();
        let ann = world.ann().await;
        let case = format!("{is_moved} {deleted_in:?}");
        assert_eq!(ann.status, expect, "{case}");
        assert_eq!(world.is_in(ann.account()), expect == Active, "{case}");
    }
}

#[pollster::test]
async fn a_deletion_before_the_first_sync_counts_and_one_of_an_unknown_address_does_not() {
    let mut world = World::new();
    world.suppress(SubscriberStatus::Removed).await;
    let known = world.store.load(&[email(ANN)]).await;
    assert_eq!(known.unwrap().len(), 0, "erased people are not known again");
    world.put("{}").await;
    let mut said = notice(ANN, SubscriberStatus::Removed);
    said.event.signed_with = Some(SignedWith { nth: 2, of: 3 });
    world.notice(&[said]).await;
    world.work().await.unwrap();
    let ann = world.ann().await;
    assert_eq!(ann.status, SubscriberStatus::Removed);
    assert!(!world.is_in(Account::Old), "nobody is created");
    let from = ann.suppression.unwrap();
    assert_eq!(from.source, SuppressionSource::Webhook);
    assert_eq!(from.reason.as_deref(), Some("signed with secret 2 of 3"));
}
