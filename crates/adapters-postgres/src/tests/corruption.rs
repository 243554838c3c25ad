//! That a stored value without a meaning is reported by its column's name.

use domain::{
    outbox::Outbox,
    posting::{ENRICH, PostingId, enrich},
    store::Store,
    testing::{minutes, noon, uuid},
};
use sql_common::testing::corruption::{self, Dialect::Postgres};

use super::{create, fixture, run};
use crate::PostgresStore;

/// Takes the checks away, as if somebody had restored the data without them.
async fn without_checks(store: &PostgresStore) {
    run(
        store,
        "DO $$ DECLARE it record; BEGIN FOR it IN SELECT conrelid::regclass AS owner, conname \
         FROM pg_constraint WHERE contype = 'c' AND connamespace = 'public'::regnamespace LOOP \
         EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', it.owner, it.conname); \
         END LOOP; END $$",
    )
    .await;
}

macro_rules! damaged {
    ($($case:ident $(, $dialect:ident)?;)+) => {
        $(#[tokio::test]
        async fn $case() {
            let (_database, store) = fixture().await;
            without_checks(&store).await;
            let damage = async |sql: &str| run(&store, sql).await;
            corruption::$case(&store, damage $(, $dialect)?).await;
        })+
    };
}

damaged! {
    of_postings, Postgres;
    of_history;
    of_subscribers, Postgres;
    of_the_outbox, Postgres;
    of_drafts, Postgres;
    of_clients, Postgres;
    of_the_audit, Postgres;
}

#[tokio::test]
async fn of_one_kind_does_not_keep_others_from_being_claimed() {
    let (_database, store) = fixture().await;
    let mut writes = create(1);
    writes.tasks.ask(enrich(PostingId::new(uuid(1))));
    store.commit(writes).await.unwrap();
    run(
        &store,
        "INSERT INTO outbox (kind, subject, next_at, created_at) \
         VALUES ('dance', gen_random_uuid(), '2000-01-01', now())",
    )
    .await;
    let claimed = store
        .claim(ENRICH, 9, minutes(1), uuid(9), noon())
        .await
        .unwrap();
    assert_eq!(claimed.len(), 1);
}
