use domain::store::{Health, Store};
use kernel::StoreError;
use sql_common::testing::tables_refuse;

use super::{create, fixture, place, run, subscribe};
use crate::{SqliteStore, connection::Role};

#[tokio::test]
async fn a_newer_schema_is_refused_if_it_needs_a_newer_program() {
    let (_dir, path) = place();
    let store = SqliteStore::open(&path).unwrap();
    store.migrate().await.unwrap();
    run(
        &store,
        "INSERT INTO __diesel_schema_migrations (version) VALUES ('29990101000000')",
    );
    // The store is ready while this program can use the schema.
    assert_eq!(store.ready().await, Ok(()));
    assert_eq!(store.migrate().await, Ok(Vec::new()));
    run(
        &store,
        "UPDATE schema_compatibility SET needs = '29990101000000'",
    );
    for refused in [
        SqliteStore::open(&path).map(|_| ()),
        store.ready().await,
        store.migrate().await.map(|_| ()),
        store.pending_migrations().await.map(|_| ()),
    ] {
        let Err(StoreError::Broken(why)) = refused else {
            panic!("{refused:?}")
        };
        assert!(
            why.contains("newer") && why.contains("29990101000000"),
            "{why}"
        );
    }
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused() {
    let (_dir, path) = place();
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(
        &path,
        "This is a text, and it is long enough to be no SQLite header.",
    )
    .unwrap();
    let refused = SqliteStore::open(&path).unwrap_err();
    assert!(refused.to_string().contains("posthaste.db"), "{refused}");
}

#[tokio::test]
async fn a_path_that_cannot_be_used_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    std::fs::write(&file, "").unwrap();
    for path in [file.join("posthaste.db"), dir.path().to_owned()] {
        let refused = SqliteStore::open(&path).unwrap_err();
        assert!(
            refused.to_string().contains(&*path.to_string_lossy()),
            "{refused}"
        );
    }
}

/// In older SQLite versions, which may open backups, `json_valid(NULL)` is false. Every posting
/// without metadata would then look corrupt, and a dump could not be restored.
#[tokio::test]
async fn checks_of_json_allow_for_none() {
    let (_dir, store) = fixture().await;
    let mut conn = store.connections.connect(Role::Reader).unwrap();
    let tables = "SELECT sql AS value FROM sqlite_master WHERE sql LIKE '%json%'";
    let tables = super::texts(&mut conn, tables);
    assert!(!tables.is_empty());
    for table in tables {
        let guarded = table.matches("IS NULL OR json_valid(").count();
        assert_eq!(table.matches("json_valid(").count(), guarded, "{table}");
    }
}

#[tokio::test]
async fn tables_refuse_what_has_no_meaning() {
    let (_dir, store) = fixture().await;
    store.commit(create(1)).await.unwrap();
    newsletter::store::Store::commit(&store, subscribe())
        .await
        .unwrap();
    let special = [
        "UPDATE postings SET id = x'00'",
        "UPDATE postings SET updated_at = 'yesterday'",
        "UPDATE subscribers SET membership_expires_at = '31.12.2026'",
        "INSERT INTO audit VALUES (zeroblob(15), zeroblob(16), 0, 'ann', 'a', NULL, '{}')",
        "INSERT INTO drafts VALUES (zeroblob(32), zeroblob(15), 0, 0, NULL, NULL)",
        "INSERT INTO events (at, name, subject) VALUES (0, 'Told', zeroblob(15))",
        "INSERT INTO events (at, name, subject, version) VALUES (0, 'Told', zeroblob(16), 1)",
        "INSERT INTO events (at, name, subject, company_name) VALUES (0, 'Told', zeroblob(16), 'a')",
        "UPDATE clients SET id = x'00'",
        "INSERT INTO client_refusals \
         SELECT id, zeroblob(15), 0, '', 422, '', NULL, NULL, NULL, 1, NULL FROM clients",
    ];
    tables_refuse(&store, &special).await;
}
