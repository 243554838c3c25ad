use newsletter::{
    subscriber::SubscriberStatus,
    testing::{email, notice, report, token},
};
use runtime::clock;

use super::*;
use crate::testing::FaultyStore;

const ADA: &str = "ada@example.com";

fn service(store: &Arc<FaultyStore>) -> NewsletterService {
    let store: Arc<dyn Store> = Arc::clone(store) as _;
    NewsletterService::new(&store, &clock::system(), Links::Move)
}

#[tokio::test]
async fn commands_go_to_the_store_and_answers_come_from_there() {
    let store = FaultyStore::new();
    let service = service(&store);
    assert_eq!(service.find(&email(ADA)).await, Ok(None));
    let reported = service.put(report(ADA, r#"{"name":"Ada"}"#)).await.unwrap();
    assert!(reported.is_new);
    let again = service.put(report(ADA, r#"{"name":"Ada"}"#)).await.unwrap();
    assert!(!again.is_new);
    assert_eq!(again.subscriber, reported.subscriber);

    let found = service.find_by_token(&token(ADA)).await.unwrap();
    assert_eq!(found.map(|found| found.id), Some(reported.subscriber.id));
    let moved = service.confirm_migration(&token(ADA)).await.unwrap();
    assert!(moved.unwrap().migrated.is_some());

    let unsubscribed = vec![notice(ADA, SubscriberStatus::Unsubscribed)];
    service.notice(unsubscribed).await.unwrap();
    let ada = service.find(&email(ADA)).await.unwrap().unwrap();
    assert_eq!(ada.status, SubscriberStatus::Unsubscribed);

    let nobody = service.confirm_migration(&token("stranger")).await;
    assert_eq!(nobody, Ok(None));
    service.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_command_that_meets_others_writes_is_decided_again() {
    let store = FaultyStore::new();
    store.fail_next(vec![StoreError::Conflict; 5]);
    let reported = service(&store).put(report(ADA, "{}")).await.unwrap();
    assert!(reported.is_new);
    assert_eq!(store.tries(), 6);
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_written_is_said() {
    let why = || "why".to_owned();
    let others = "others kept changing the same subscriber";
    for (errors, expect) in [
        (vec![StoreError::InDoubt(why())], unavailable("why")),
        (
            vec![StoreError::Broken(why())],
            NewsletterError::Broken(why()),
        ),
        (vec![StoreError::Conflict; 10_000], unavailable(others)),
    ] {
        let store = FaultyStore::new();
        store.fail_next(errors);
        let answer = service(&store).put(report(ADA, "{}")).await;
        assert_eq!(answer, Err(expect));
    }
}

#[tokio::test(start_paused = true)]
async fn a_store_that_hangs_is_not_waited_for_and_its_writes_stay() {
    let store = FaultyStore::new();
    let service = service(&store);
    store.close_gate();
    let answer = service.put(report(ADA, "{}")).await;
    assert_eq!(answer, Err(unavailable("it took too long")));
    let stopped = tokio::spawn(service.clone().stop());
    store.open_gate();
    stopped.await.unwrap();
    assert!(service.find(&email(ADA)).await.unwrap().is_some());
}

#[tokio::test]
async fn without_a_group_links_move_no_subscriber() {
    let store = FaultyStore::new();
    let ports: Arc<dyn Store> = Arc::clone(&store) as _;
    let refusing = NewsletterService::new(&ports, &clock::system(), Links::Refuse);
    let unknown = refusing.confirm_migration(&token(ADA)).await;
    assert_eq!(unknown, Ok(None));
    refusing.put(report(ADA, "{}")).await.unwrap();
    let refused = refusing.confirm_migration(&token(ADA)).await;
    assert_eq!(refused, Err(NewsletterError::NotSetUp));
    let known = refusing.find(&email(ADA)).await.unwrap().unwrap();
    assert_eq!(known.migrated, None);
    // The subscriber has already moved.
    let moved = service(&store).confirm_migration(&token(ADA)).await;
    assert_eq!(refusing.confirm_migration(&token(ADA)).await, moved);
}
