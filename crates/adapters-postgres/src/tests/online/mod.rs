//! Migrations of a later version, applied while this version works.

mod rules;

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use diesel::{
    migration::{Migration, MigrationSource, Result as MigrationResult},
    pg::Pg,
};
use diesel_async::SimpleAsyncConnection;
use diesel_migrations::{EmbeddedMigrations, embed_migrations};
use domain::store::{Health, PostingReader, Store};
use kernel::StoreError;
use tokio::time::sleep;

use super::{another, create, fixture, identifier, number, patient, run, texts, try_run};
use crate::{
    PostgresOptions, PostgresStore,
    migrations::{MIGRATIONS, migrate},
};

/// A column, and an index that is built outside a transaction.
const LATER: EmbeddedMigrations = embed_migrations!("src/tests/later");

struct Newer;

impl MigrationSource<Pg> for Newer {
    fn migrations(&self) -> MigrationResult<Vec<Box<dyn Migration<Pg>>>> {
        let mut all = MIGRATIONS.migrations()?;
        all.extend(MigrationSource::<Pg>::migrations(&LATER)?);
        Ok(all)
    }
}

/// Migrates as the newer program would.
async fn upgrade(store: &PostgresStore) -> Result<Vec<String>, StoreError> {
    migrate(store.connections.take().await.unwrap(), Newer).await
}

const VALID: &str = "SELECT indexrelid::regclass::text AS value FROM pg_index \
    WHERE indisvalid AND indexrelid = to_regclass('postings_by_note')";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_newer_program_migrates_while_this_one_pushes() {
    let (database, store) = fixture().await;
    // The limits are those of the service, because pushes must not wait longer than it does.
    let pusher = database.open(&PostgresOptions::default()).await;
    let is_over = Arc::new(AtomicBool::new(false));
    let over = Arc::clone(&is_over);
    let pushing = tokio::spawn(async move {
        let mut count = 0;
        while !over.load(Ordering::Relaxed) {
            count += 1;
            pusher.commit(create(count)).await.unwrap();
            assert!(pusher.find(&identifier(count)).await.unwrap().is_some());
        }
        (pusher, count)
    });

    // A transaction reads the table for longer than the first attempt takes.
    let mut reader = another(&database).await.connections.take().await.unwrap();
    let begin = "BEGIN; SELECT FROM postings LIMIT 1";
    reader.batch_execute(begin).await.unwrap();
    let reading = tokio::spawn(async move {
        sleep(Duration::from_millis(1_500)).await;
        reader.batch_execute("COMMIT").await.unwrap();
    });
    let applied = upgrade(&store).await.unwrap();
    reading.await.unwrap();
    let names = [
        "2999-01-01-000000_notes",
        "2999-01-01-010000_postings_by_note",
    ];
    assert_eq!(applied, names);
    assert_eq!(texts(&store, VALID).await, ["postings_by_note"]);

    is_over.store(true, Ordering::Relaxed);
    let (pusher, count) = pushing.await.unwrap();
    assert!(count > 1, "{count}");
    // This program still works, and can restart.
    assert_eq!(pusher.ready().await, Ok(()));
    let again = PostgresStore::open(&database.url(), &patient()).await;
    let again = again.unwrap();
    assert_eq!(again.pending_migrations().await, Ok(Vec::new()));
    assert_eq!(again.migrate().await, Ok(Vec::new()));
    again.commit(create(count + 1)).await.unwrap();
}

#[tokio::test]
async fn this_program_is_refused_once_the_schema_lacks_what_it_uses() {
    let (database, store) = fixture().await;
    upgrade(&store).await.unwrap();
    // Before a migration two versions later drops an unused column, it does this.
    run(
        &store,
        "UPDATE schema_compatibility SET needs = '29990101000000'",
    )
    .await;
    for refused in [
        PostgresStore::open(&database.url(), &patient())
            .await
            .map(drop),
        store.ready().await,
        store.migrate().await.map(drop),
        store.pending_migrations().await.map(drop),
    ] {
        let Err(StoreError::Broken(why)) = refused else {
            panic!("{refused:?}")
        };
        assert!(
            why.contains("newer") && why.contains("29990101010000"),
            "{why}"
        );
    }
    assert_eq!(upgrade(&store).await, Ok(Vec::new()));
}

#[tokio::test]
async fn an_index_that_was_not_finished_is_built_again() {
    let (_database, store) = fixture().await;
    store.commit(create(1)).await.unwrap();
    store.commit(create(2)).await.unwrap();
    // The index fails because two rows have the same value, and remains as an invalid index.
    let broken = "CREATE UNIQUE INDEX CONCURRENTLY postings_by_note ON postings ((1))";
    assert!(try_run(&store, broken).await.is_err());
    let there = "SELECT count(*) AS value FROM pg_class WHERE relname = 'postings_by_note'";
    assert_eq!(number(&store, there).await, 1);
    assert_eq!(texts(&store, VALID).await, Vec::<String>::new());
    upgrade(&store).await.unwrap();
    assert_eq!(texts(&store, VALID).await, ["postings_by_note"]);
}

#[tokio::test]
async fn a_migration_that_fails_leaves_the_ones_before_it_and_nothing_of_its_own() {
    let (_database, store) = fixture().await;
    run(&store, "ALTER TABLE postings ADD COLUMN note text").await;
    let failed = upgrade(&store).await;
    assert!(
        matches!(&failed, Err(StoreError::Broken(why)) if why.starts_with("2999-01-01-000000_notes: ")),
        "{failed:?}"
    );
    assert_eq!(store.ready().await, Ok(()));
    run(&store, "ALTER TABLE postings DROP COLUMN note").await;
    assert_eq!(upgrade(&store).await.unwrap().len(), 2);
}
