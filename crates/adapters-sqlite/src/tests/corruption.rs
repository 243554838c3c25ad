//! A stored value that makes no sense is reported by the name of its column.

use enrichment::{DraftCache, DraftKey};
use kernel::{
    StoreError,
    testing::{hours, noon, uuid},
};
use sql_common::testing::{
    Shell,
    webhooks::{leased, of, silent},
};
use webhooks::{Recorded, Round, Webhooks, testing::endpoint};

use super::fixture;

#[tokio::test]
async fn of_what_sqlite_does_not_check() {
    let key = DraftKey::from_bytes([7; 32]);
    for (column, value) in [("holder", "x'00'"), ("draft", "CAST(x'22ff22' AS TEXT)")] {
        let (_dir, store) = fixture().await;
        let until = noon() + hours(1);
        store.reserve(&key, uuid(1), until, noon()).await.unwrap();
        let update = format!("UPDATE drafts SET {column} = {value}");
        store.damage(&update).await;
        let refused = store.reserve(&key, uuid(2), until, noon()).await;
        let Err(StoreError::Broken(why)) = refused else {
            panic!("{column}: {refused:?}")
        };
        assert!(why.contains(&format!("drafts.{column}")), "{why}");
    }
}

#[tokio::test]
async fn of_the_subjects_of_waiting_events() {
    let (_dir, store) = fixture().await;
    let endpoint = endpoint(1);
    leased(&store, &endpoint, uuid(1)).await;
    let round = Round {
        waiting: vec![silent(1)],
        ..of(&endpoint, 1)
    };
    assert_eq!(store.record(uuid(1), &round).await, Ok(Recorded::Done));
    let update = "UPDATE webhook_waiting SET subject = x'00'";
    store.damage(update).await;
    let refused = store.due(endpoint.id, noon(), 9).await;
    let Err(StoreError::Broken(why)) = refused else {
        panic!("{refused:?}")
    };
    assert!(why.contains("webhook_waiting.subject"), "{why}");
}
