//! A commit is complete, on the disk, and readable only by the file's owner.

use std::time::Duration;

use diesel::connection::SimpleConnection;
use domain::{
    store::{PostingReader, Store},
    testing::posting,
};
use kernel::StoreError;

use super::{create, fixture, identifier, number, place, texts};
use crate::{SqliteStore, connection::Role};

#[tokio::test]
async fn every_connection_is_durable_and_checks_references() {
    let (_dir, store) = fixture().await;
    for role in [Role::Writer, Role::Reader] {
        let mut conn = store.connections.connect(role).unwrap();
        let mut pragma = |name: &str| {
            number(
                &mut conn,
                &format!("SELECT {name} AS value FROM pragma_{name}"),
            )
        };
        assert_eq!(pragma("synchronous"), 2, "2 is FULL");
        assert_eq!(pragma("foreign_keys"), 1);
        assert_eq!(pragma("query_only"), i64::from(role == Role::Reader));
        let timeout = "SELECT timeout AS value FROM pragma_busy_timeout";
        assert_eq!(number(&mut conn, timeout), 4_000);
        let mode = "SELECT journal_mode AS value FROM pragma_journal_mode";
        assert_eq!(texts(&mut conn, mode), ["wal"]);
    }
}

#[cfg(unix)]
#[tokio::test]
async fn the_files_are_for_their_owner_only() {
    use std::os::unix::fs::PermissionsExt;

    let (dir, _) = place();
    let path = dir.path().join("made/here/posthaste.db");
    let store = SqliteStore::open(&path).unwrap();
    store.migrate().await.unwrap();
    for folder in ["made", "made/here"] {
        let about = dir.path().join(folder).metadata().unwrap();
        assert_eq!(about.permissions().mode() & 0o777, 0o700, "{folder}");
    }
    let files: Vec<_> = path
        .parent()
        .unwrap()
        .read_dir()
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert!(files.len() > 1, "there is a write-ahead log");
    for file in files {
        let mode = file.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", file.path().display());
    }
}

#[tokio::test]
async fn the_writer_works_on_after_a_failure() {
    let (_dir, store) = fixture().await;
    let refused = store
        .connections
        .write::<(), _>(|conn| Ok(conn.batch_execute("INSERT INTO companies DEFAULT VALUES")?));
    assert!(matches!(refused.await, Err(StoreError::Broken(_))));
    let panicked = store
        .connections
        .write::<(), _>(|_| panic!("on purpose"))
        .await;
    assert!(
        matches!(panicked, Err(StoreError::Broken(_))),
        "{panicked:?}"
    );
    store.commit(create(1)).await.unwrap();
}

#[tokio::test]
async fn a_dropped_commit_leaves_no_transaction_open() {
    let (_dir, store) = fixture().await;
    for n in 1..=50 {
        // Stops waiting while the commit queues or runs.
        let wait = Duration::from_micros(u64::try_from(n).unwrap() * 40);
        let _ = tokio::time::timeout(wait, store.commit(create(n))).await;
    }
    let company = create(51).companies.into_keys().next().unwrap();
    store.commit(create(51)).await.unwrap();
    let again = posting(51, company);
    assert_eq!(
        store.find(&identifier(51)).await.unwrap().unwrap().posting,
        again
    );
    // Another process would get the lock at once.
    let mut conn = store.connections.connect(Role::Writer).unwrap();
    conn.immediate_transaction(|_| Ok::<_, diesel::result::Error>(()))
        .unwrap();
}
