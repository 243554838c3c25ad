//! Migrations, and the constraints of tables.

use diesel_async::SimpleAsyncConnection;
use domain::store::{PostingReader, Store};
use kernel::StoreError;
use sql_common::testing::tables_refuse;

use super::{Database, create, fixture, identifier, patient, run, subscribe, texts, try_run};
use crate::PostgresStore;

/// Queries every object of the schema, with its definition.
pub(super) const OBJECTS: &str = "\
    SELECT concat_ws(' ', table_name, column_name, data_type, collation_name, is_nullable, \
    column_default, is_identity) AS value FROM information_schema.columns \
    WHERE table_schema = 'public' AND table_name NOT LIKE '\\_\\_diesel%' \
    UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' \
    AND tablename NOT LIKE '\\_\\_diesel%' \
    UNION ALL SELECT pg_get_constraintdef(oid) FROM pg_constraint \
    WHERE connamespace = 'public'::regnamespace AND conrelid::regclass::text NOT LIKE '\\_\\_diesel%' \
    ORDER BY value";

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_may_migrate_at_once() {
    let database = Database::empty();
    let mut starts = tokio::task::JoinSet::new();
    for _ in 0..6 {
        let url = database.url();
        starts.spawn(async move {
            let store = PostgresStore::open(&url, &patient()).await?;
            store.migrate().await
        });
    }
    let applied = starts.join_all().await;
    let applied: Vec<_> = applied.into_iter().map(Result::unwrap).collect();
    assert_eq!(applied.iter().filter(|names| !names.is_empty()).count(), 1);
}

#[tokio::test]
async fn every_table_and_column_is_explained() {
    let (_database, store) = fixture().await;
    let silent = texts(
        &store,
        "SELECT concat_ws('.', relname, attname) AS value FROM pg_class \
         JOIN pg_attribute ON attrelid = pg_class.oid AND attnum >= 0 AND NOT attisdropped \
         WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' \
         AND relname NOT LIKE '\\_\\_diesel%' \
         AND col_description(pg_class.oid, attnum) IS NULL \
         UNION ALL SELECT relname FROM pg_class \
         WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' \
         AND relname NOT LIKE '\\_\\_diesel%' AND obj_description(oid, 'pg_class') IS NULL",
    )
    .await;
    assert_eq!(silent, Vec::<String>::new());
}

#[tokio::test]
async fn large_texts_are_compressed_with_lz4() {
    let (_database, store) = fixture().await;
    let columns = texts(
        &store,
        "SELECT attrelid::regclass || '.' || attname AS value FROM pg_attribute \
         JOIN pg_class ON pg_class.oid = attrelid AND relkind = 'r' \
         WHERE attcompression = 'l' ORDER BY value",
    )
    .await;
    assert_eq!(
        columns,
        [
            "drafts.draft",
            "events.company_logo_path",
            "events.company_name",
            "events.company_website",
            "events.status_reason",
            "posting_texts.markdown",
            "posting_texts.redacted_markdown",
            "postings.metadata",
            "postings.raw_description"
        ]
    );
}

/// Constraints, against rows that only hand-written SQL could insert.
#[tokio::test]
async fn tables_refuse_what_has_no_meaning() {
    let (_database, store) = fixture().await;
    store.commit(create(1)).await.unwrap();
    newsletter::store::Store::commit(&store, subscribe())
        .await
        .unwrap();
    let special = [
        "UPDATE postings SET description_digest = NULL",
        "UPDATE clients SET scopes = '{NULL}'",
    ];
    tables_refuse(&store, &special).await;
    let event = |columns: &str, values: &str| {
        format!(
            "INSERT INTO events (commit_seq, at, name, subject{columns}) \
             VALUES (1, now(), 'a', gen_random_uuid(){values})"
        )
    };
    let posting = ", source_identifier, version, status";
    let company = ", company_name, company_website";
    for (columns, values) in [
        ("", ""),
        (posting, ", 'a', 1, 'approved'"),
        (company, ", 'a', 'https://a.example'"),
    ] {
        run(&store, &event(columns, values)).await;
    }
    for (columns, values) in [
        (posting, ", 'a', NULL, 'approved'"),
        (posting, ", 'a', 1, NULL"),
        (posting, ", NULL, 1, 'approved'"),
        (", status_reason", ", 'a'"),
        (company, ", 'a', NULL"),
        (company, ", NULL, 'a'"),
        (", company_logo_path", ", 'a'"),
    ] {
        let refused = try_run(&store, &event(columns, values)).await;
        assert!(refused.is_err(), "{columns} {values}");
    }
    let both = event(
        &format!("{posting}{company}"),
        ", 'a', 1, 'approved', 'a', 'a'",
    );
    assert!(try_run(&store, &both).await.is_err());
}

#[tokio::test]
async fn a_posting_without_its_company_is_refused() {
    let (_database, store) = fixture().await;
    let mut writes = create(1);
    writes.companies.clear();
    let refused = store.commit(writes).await;
    assert!(matches!(refused, Err(StoreError::Broken(_))), "{refused:?}");
    assert_eq!(store.find(&identifier(1)).await, Ok(None));
    store.commit(create(1)).await.unwrap();
}

#[tokio::test]
async fn a_connection_has_the_limits_of_the_options() {
    let (_database, store) = fixture().await;
    let mut conn = store.connections.get().await.unwrap();
    conn.batch_execute("SELECT 1").await.unwrap();
    drop(conn);
    let setting = async |name: &str| {
        texts(
            &store,
            &format!("SELECT current_setting('{name}') AS value"),
        )
        .await
    };
    assert_eq!(setting("statement_timeout").await, ["1min"]);
    assert_eq!(setting("lock_timeout").await, ["1min"]);
    assert_eq!(
        setting("idle_in_transaction_session_timeout").await,
        ["1min"]
    );
    assert_eq!(setting("application_name").await, ["posthaste"]);
}
