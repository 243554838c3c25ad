use diesel_async::SimpleAsyncConnection;
use domain::store::{Health, Store, StoreClock as _};
use kernel::{StoreError, testing::noon};

use super::{Database, create, fixture, patient, run};
use crate::PostgresStore;

fn with_options(database: &Database, options: &str) -> crate::PostgresUrl {
    let text = database.text_url();
    let separator = if text.contains('?') { '&' } else { '?' };
    format!("{text}{separator}options={options}")
        .parse()
        .unwrap()
}

async fn reason(store: &PostgresStore) -> String {
    match store.ready().await {
        Err(StoreError::Unavailable(why)) => why,
        other => panic!("{other:?}"),
    }
}

/// Settings in the URL override the service's. The store's time is the server's time.
#[tokio::test]
async fn a_database_that_takes_no_writes_is_not_ready() {
    let (database, store) = fixture().await;
    assert_eq!(store.ready().await, Ok(()));
    let url = with_options(&database, "-c%20default_transaction_read_only%3Don");
    let read_only = PostgresStore::open(&url, &patient()).await.unwrap();
    assert!(reason(&read_only).await.contains("read-only"));
    let refused = read_only.commit(create(1)).await;
    assert!(super::is_lost(&refused), "{refused:?}");
    let clock = store.time().await.unwrap().unwrap();
    assert!(clock > noon());
}

#[tokio::test]
async fn a_database_of_another_encoding_is_refused() {
    for encoding in ["LATIN1", "SQL_ASCII"] {
        let template = format!("template0 ENCODING '{encoding}' LOCALE_PROVIDER libc LOCALE 'C'");
        let database = Database::of(&template);
        let opened = PostgresStore::open(&database.url(), &patient()).await;
        let Err(StoreError::Unavailable(why)) = opened else {
            panic!("{encoding}: {opened:?}")
        };
        assert!(why.contains(encoding) && why.contains("'UTF8'"), "{why}");
        assert!(crate::CopyTarget::open(&database.url()).await.is_err());
    }
}

#[tokio::test]
async fn a_role_without_rights_is_not_ready() {
    let (database, store) = fixture().await;
    let role = format!("limited_{}", std::process::id());
    run(&store, &format!("CREATE ROLE {role}")).await;
    run(
        &store,
        &format!("GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}"),
    )
    .await;
    run(
        &store,
        &format!("GRANT INSERT, UPDATE ON ALL TABLES IN SCHEMA public TO {role}"),
    )
    .await;
    let url = with_options(&database, &format!("-c%20role%3D{role}"));
    let limited = PostgresStore::open(&url, &patient()).await.unwrap();
    let lacks = reason(&limited).await;
    assert!(
        lacks.contains("DELETE on events, DELETE on outbox, DELETE on client_days"),
        "{lacks}"
    );
    run(
        &store,
        &format!("GRANT DELETE ON events, outbox, client_days, client_refusals TO {role}"),
    )
    .await;
    assert_eq!(limited.ready().await, Ok(()));
    drop(limited);
    run(&store, &format!("DROP OWNED BY {role}; DROP ROLE {role}")).await;
}

#[tokio::test]
async fn commits_that_fail_in_a_row_are_not_ready() {
    let (_database, store) = fixture().await;
    let fail = || async {
        let why = StoreError::InDoubt("No space left on device".to_owned());
        let work = store
            .connections
            .write::<()>(async move |_| Err(why.into()));
        work.await.unwrap_err();
    };
    fail().await;
    fail().await;
    assert_eq!(store.ready().await, Ok(()));
    fail().await;
    assert!(reason(&store).await.contains("No space left"));
    store.commit(create(1)).await.unwrap();
    assert_eq!(store.ready().await, Ok(()));
}

/// The server may announce its shutdown in its own language.
#[tokio::test]
async fn every_lost_connection_is_an_outage() {
    let (_database, store) = fixture().await;
    let words = || StoreError::Broken("breche Verbindung ab".to_owned());
    let lives = store
        .connections
        .run::<()>(async move |_| Err(words().into()));
    assert_eq!(lives.await, Err(words()));
    let ends = async move |conn: &mut diesel_async::AsyncPgConnection| {
        let end = "SELECT pg_terminate_backend(pg_backend_pid())";
        conn.batch_execute(end).await.unwrap_err();
        Err::<(), _>(words().into())
    };
    let ended = store.connections.run(ends).await;
    assert!(
        matches!(ended, Err(StoreError::Unavailable(_))),
        "{ended:?}"
    );
    let ended = store.connections.write(ends).await;
    assert!(matches!(ended, Err(StoreError::InDoubt(_))), "{ended:?}");
}
