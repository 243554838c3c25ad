//! That a stored value without a meaning is reported by its column's name.

use domain::{
    enrichment::{DraftCache, DraftKey},
    outbox::Outbox,
    posting::{ENRICH, PostingId, enrich},
    store::{Store, StoreError},
    testing::{hours, minutes, noon, uuid},
};
use sql_common::testing::corruption::{self, Dialect::Sqlite};

use super::{create, fixture, run};

/// Checks are off, as for a file that something else than SQLite has damaged.
macro_rules! damaged {
    ($($case:ident $(, $dialect:ident)?;)+) => {
        $(#[tokio::test]
        async fn $case() {
            let (_dir, store) = fixture().await;
            let damage = async |sql: &str| {
                run(&store, &format!("PRAGMA ignore_check_constraints = ON; {sql}"));
            };
            corruption::$case(&store, damage $(, $dialect)?).await;
        })+
    };
}

damaged! {
    of_postings, Sqlite;
    of_history;
    of_subscribers, Sqlite;
    of_the_outbox, Sqlite;
    of_drafts, Sqlite;
    of_clients, Sqlite;
    of_the_audit, Sqlite;
}

#[tokio::test]
async fn of_one_kind_does_not_keep_others_from_being_claimed() {
    let (_dir, store) = fixture().await;
    let mut writes = create(1);
    writes.tasks.ask(enrich(PostingId::new(uuid(1))));
    store.commit(writes).await.unwrap();
    run(
        &store,
        "INSERT INTO outbox (kind, subject, next_at, created_at) \
         VALUES ('dance', zeroblob(16), 0, 0)",
    );
    let claimed = store
        .claim(ENRICH, 9, minutes(1), uuid(9), noon())
        .await
        .unwrap();
    assert_eq!(claimed.len(), 1);
}

#[tokio::test]
async fn of_what_sqlite_does_not_check() {
    let key = DraftKey::from_bytes([7; 32]);
    for (column, value) in [("holder", "x'00'"), ("draft", "CAST(x'22ff22' AS TEXT)")] {
        let (_dir, store) = fixture().await;
        let until = noon() + hours(1);
        store.reserve(&key, uuid(1), until, noon()).await.unwrap();
        run(
            &store,
            &format!("PRAGMA ignore_check_constraints = ON; UPDATE drafts SET {column} = {value}"),
        );
        let refused = store.reserve(&key, uuid(2), until, noon()).await;
        let Err(StoreError::Broken(why)) = refused else {
            panic!("{column}: {refused:?}")
        };
        assert!(why.contains(&format!("drafts.{column}")), "{why}");
    }
}
