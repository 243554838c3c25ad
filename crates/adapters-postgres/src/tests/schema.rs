use diesel_async::SimpleAsyncConnection;
use domain::store::Store;
use sql_common::testing::tables_refuse;

use super::{create, fixture, run, subscribe, texts};

pub(super) const OBJECTS: &str = "\
    SELECT concat_ws(' ', table_name, column_name, data_type, collation_name, is_nullable, \
    column_default, is_identity) AS value FROM information_schema.columns \
    WHERE table_schema = 'public' AND table_name NOT LIKE '\\_\\_diesel%' \
    UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' \
    AND tablename NOT LIKE '\\_\\_diesel%' \
    UNION ALL SELECT pg_get_constraintdef(oid) FROM pg_constraint \
    WHERE connamespace = 'public'::regnamespace AND conrelid::regclass::text NOT LIKE '\\_\\_diesel%' \
    ORDER BY value";

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
async fn tables_refuse_what_has_no_meaning() {
    let (_database, store) = fixture().await;
    store.commit(create(1)).await.unwrap();
    newsletter::store::Store::commit(&store, subscribe())
        .await
        .unwrap();
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
    let special = [
        "UPDATE postings SET description_digest = NULL",
        "UPDATE clients SET scopes = '{NULL}'",
        &event(posting, ", 'a', NULL, 'approved'"),
        &event(posting, ", 'a', 1, NULL"),
        &event(posting, ", NULL, 1, 'approved'"),
        &event(", status_reason", ", 'a'"),
        &event(company, ", 'a', NULL"),
        &event(company, ", NULL, 'a'"),
        &event(", company_logo_path", ", 'a'"),
        &event(
            &format!("{posting}{company}"),
            ", 'a', 1, 'approved', 'a', 'a'",
        ),
    ];
    tables_refuse(&store, &special).await;
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
