use domain::posting::ENRICH;
use kernel::{
    outbox::Outbox,
    testing::{minutes, noon, uuid},
};

use super::{fixture, is_unavailable, place};
use crate::{SqliteStore, connection::Role};

pub(super) async fn two() -> (tempfile::TempDir, SqliteStore, SqliteStore) {
    let (dir, path) = place();
    let one = SqliteStore::open(&path).unwrap();
    let other = SqliteStore::open(&path).unwrap();
    one.migrate().await.unwrap();
    (dir, one, other)
}

#[tokio::test]
async fn an_idle_worker_does_not_take_the_write_lock() {
    let (_dir, store) = fixture().await;
    let _other = super::writing(&store);
    let claimed = store.claim(ENRICH, 10, minutes(1), uuid(1), noon()).await;
    assert_eq!(claimed, Ok(Vec::new()));
}

#[tokio::test]
async fn a_file_that_vanished_does_not_come_back_empty() {
    let (_dir, path) = place();
    let store = SqliteStore::open(&path).unwrap();
    store.migrate().await.unwrap();
    std::fs::remove_file(&path).unwrap();
    let opened = store.connections.connect(Role::Writer).map(|_| ());
    assert!(is_unavailable(&opened), "{opened:?}");
    assert!(!path.exists());
}

#[tokio::test]
async fn a_path_may_have_any_characters() {
    let dir = tempfile::tempdir().unwrap();
    for name in [
        "a b.db",
        "50%.db",
        "what?.db",
        "a#b.db",
        "ü🦀.db",
        "file:x.db",
        "%41.db",
    ] {
        let path = dir.path().join(name);
        let store = SqliteStore::open(&path).unwrap();
        store.migrate().await.unwrap();
        assert!(std::fs::metadata(&path).unwrap().len() > 0, "{name}");
    }
}
