//! A file that is removed or replaced, a full disk, and a lock that is not released.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use diesel::{SqliteConnection, connection::SimpleConnection};
use domain::store::{Health, PostingReader, Store};
use kernel::StoreError;

use super::{create, identifier, is_unavailable, place};
use crate::SqliteStore;

const REMOVALS: [fn(&Path); 3] = [
    |path| fs::remove_file(path).unwrap(),
    |path| fs::rename(path, path.with_extension("old")).unwrap(),
    |path| {
        // An operator who restores a backup does this.
        let copy = path.with_extension("copy");
        fs::copy(path, &copy).unwrap();
        fs::rename(copy, path).unwrap();
    },
];

#[tokio::test]
async fn nothing_is_acknowledged_into_a_file_that_is_not_in_its_place() {
    for remove in REMOVALS {
        let (_dir, path) = place();
        let store = SqliteStore::open(&path).unwrap();
        store.migrate().await.unwrap();
        store.commit(create(1)).await.unwrap();
        assert_eq!(store.ready().await, Ok(()));
        remove(&path);
        for n in 2..5 {
            let refused = store.commit(create(n)).await;
            assert!(is_unavailable(&refused), "{refused:?}");
        }
        assert!(is_unavailable(&store.ready().await));
        assert!(is_unavailable(&store.find(&identifier(1)).await));
    }
}

/// The file is removed during the commit.
#[tokio::test]
async fn a_commit_into_a_file_that_went_meanwhile_is_in_doubt() {
    for remove in REMOVALS {
        let (_dir, path) = place();
        let store = SqliteStore::open(&path).unwrap();
        store.migrate().await.unwrap();
        let work = store.connections.write(move |_| {
            remove(&path);
            Ok(())
        });
        let outcome = work.await;
        assert!(
            matches!(outcome, Err(StoreError::InDoubt(_))),
            "{outcome:?}"
        );
    }
}

#[tokio::test]
async fn a_file_that_is_put_back_is_used_again() {
    let (_dir, path) = place();
    let store = SqliteStore::open(&path).unwrap();
    store.migrate().await.unwrap();
    let away = path.with_extension("away");
    fs::rename(&path, &away).unwrap();
    assert!(is_unavailable(&store.commit(create(1)).await));
    // The new file is not the opened database, so it stays unchanged.
    fs::write(&path, "").unwrap();
    assert!(is_unavailable(&store.commit(create(1)).await));
    assert!(is_unavailable(&store.ready().await));
    assert_eq!(fs::read(&path).unwrap(), b"");
    fs::rename(&away, &path).unwrap();
    assert_eq!(store.commit(create(1)).await, Ok(()));
    assert_eq!(store.ready().await, Ok(()));
}

/// `max_page_count` simulates a full disk.
#[tokio::test]
async fn a_full_disk_is_not_ready() {
    let (_dir, path) = place();
    let store = SqliteStore::open(&path).unwrap();
    store.migrate().await.unwrap();
    let limit = |pages: u32| {
        let pragma = format!("PRAGMA max_page_count = {pages}");
        store.connections.write(move |conn| {
            conn.batch_execute(&pragma)?;
            Ok(())
        })
    };
    limit(1).await.unwrap();
    let mut full = Ok(());
    for n in 0..1_000 {
        full = store.commit(create(n)).await;
        if full.is_err() {
            break;
        }
        // The limit ends with the connection, which the store closes after an unexpected error.
    }
    assert!(is_unavailable(&full), "{full:?}");
    assert!(is_unavailable(&store.ready().await));
    store.commit(create(1_001)).await.unwrap();
    assert_eq!(store.ready().await, Ok(()));
}

/// No commit has failed. The probe finds the problem a second after the last commit.
#[tokio::test]
async fn a_database_that_cannot_be_written_is_not_ready() {
    let (_dir, path) = place();
    let store = SqliteStore::open(&path).unwrap();
    store.migrate().await.unwrap();
    let protect = |conn: &mut SqliteConnection| {
        conn.batch_execute("PRAGMA query_only = ON")?;
        Ok(())
    };
    store.connections.write(protect).await.unwrap();
    let start = Instant::now();
    while store.ready().await.is_ok() {
        assert!(start.elapsed().as_secs() < 10);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// During another process's long write, pushes are refused, but the health check answers at once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_lock_that_stays_ends_in_time() {
    let (_dir, path) = place();
    let store = SqliteStore::open_with(&path, Duration::from_millis(300)).unwrap();
    store.migrate().await.unwrap();
    let mut other = super::writing(&store);
    let start = Instant::now();
    // No commit has failed yet, and a lock alone is not a failure.
    assert_eq!(store.ready().await, Ok(()));
    let refused = store.commit(create(1)).await;
    assert!(is_unavailable(&refused), "{refused:?}");
    assert!(is_unavailable(&store.ready().await));
    assert_eq!(store.find(&identifier(1)).await, Ok(None));
    assert!(start.elapsed().as_secs() < 5);
    other.batch_execute("COMMIT").unwrap();
    assert_eq!(store.commit(create(1)).await, Ok(()));
    assert_eq!(store.ready().await, Ok(()));
}
