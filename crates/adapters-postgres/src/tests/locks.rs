//! Rows that another transaction keeps locked.

use std::time::{Duration, Instant};

use diesel_async::{AsyncPgConnection, SimpleAsyncConnection};
use domain::{
    posting::{ENRICH, enrich},
    store::{LockedRows as _, RowLocks, Store, WriteSet},
};
use kernel::{
    CompanyId, PostingId, StoreError,
    outbox::Outbox,
    testing::{minutes, noon, uuid},
};

use super::{Database, another, company, create, join, patient, retitle, run, subscribe};
use crate::{PostgresOptions, PostgresStore};

const ROW: Duration = Duration::from_millis(50);
const TABLE: Duration = Duration::from_millis(500);

async fn two() -> (Database, PostgresStore, AsyncPgConnection) {
    let database = Database::migrated();
    let options = PostgresOptions {
        row_lock_timeout: ROW,
        lock_timeout: TABLE,
        ..patient()
    };
    let store = database.open(&options).await;
    let other = another(&database).await.connections.take().await.unwrap();
    (database, store, other)
}

async fn held(store: &PostgresStore) -> RowLocks {
    let company = company().id;
    let all = RowLocks {
        postings: [1, 2, 99].map(|n| PostingId::new(uuid(n))).into(),
        companies: [company, CompanyId::new(uuid(99))].into(),
    };
    store.locked_rows(&all).await.unwrap()
}

fn is_locked(outcome: &Result<(), StoreError>) -> bool {
    matches!(outcome, Err(StoreError::Locked(_)))
}

#[tokio::test]
async fn waiting_for_a_locked_row_soon_fails_and_names_it() {
    let (_database, store, mut other) = two().await;
    store.commit(join([create(1), create(2)])).await.unwrap();
    let rename = || {
        let mut writes = create(3);
        writes.postings.clear();
        writes
    };
    let refer = || {
        let mut writes = create(4);
        writes.companies.clear();
        writes
    };
    let (posting, company) = ([PostingId::new(uuid(1))].into(), [company().id]);
    let by_posting = RowLocks {
        postings: posting,
        companies: [].into(),
    };
    let by_update = RowLocks {
        postings: [].into(),
        companies: company.into(),
    };
    let first = format!("SELECT FROM postings WHERE id = '{}' FOR UPDATE", uuid(1));
    for (lock, names, waits, passes) in [
        (first.as_str(), by_posting, vec![retitle(1, "New")], None),
        (
            "UPDATE companies SET name = 'Other'",
            by_update,
            vec![rename(), create(5)],
            Some(refer()),
        ),
    ] {
        other
            .batch_execute(&format!("BEGIN; {lock}"))
            .await
            .unwrap();
        for writes in waits {
            let start = Instant::now();
            let outcome = store.commit(writes).await;
            assert!(is_locked(&outcome), "{lock}: {outcome:?}");
            assert!(start.elapsed() >= ROW && start.elapsed() < TABLE, "{lock}");
        }
        assert_eq!(held(&store).await, names, "{lock}");
        if let Some(passes) = passes {
            assert_eq!(store.commit(passes).await, Ok(()), "{lock}");
        }
        other.batch_execute("ROLLBACK").await.unwrap();
        assert_eq!(held(&store).await, RowLocks::default());
    }
    store.commit(retitle(1, "New")).await.unwrap();
}

/// A lock on an uncommitted row is not reported. A commit that waits for it still fails soon.
#[tokio::test]
async fn waiting_for_an_uncommitted_insert_soon_fails() {
    let (database, store, mut other) = two().await;
    store.commit(create(1)).await.unwrap();
    let elsewhere = another(&database).await;
    run(&elsewhere, "CREATE TABLE copy AS SELECT * FROM postings").await;
    run(
        &elsewhere,
        "UPDATE copy SET id = gen_random_uuid(), source_identifier = 'job-2'",
    )
    .await;
    other
        .batch_execute("BEGIN; INSERT INTO postings SELECT * FROM copy")
        .await
        .unwrap();
    let outcome = store.commit(create(2)).await;
    assert!(is_locked(&outcome), "{outcome:?}");
    assert_eq!(held(&store).await, RowLocks::default());
    store.commit(create(3)).await.unwrap();
    other.batch_execute("ROLLBACK").await.unwrap();
    store.commit(create(2)).await.unwrap();
}

/// Commits of tasks and of subscribers fail, too.
#[tokio::test]
async fn waiting_for_a_lock_soon_fails_every_commit() {
    let (_database, store, mut other) = two().await;
    let mut writes = create(1);
    writes.tasks.ask(enrich(PostingId::new(uuid(1))));
    store.commit(writes).await.unwrap();
    let known = Commit::Subscribers(subscribe());
    known.to(&store).await.unwrap();
    let claimed = store
        .claim(ENRICH, 9, minutes(1), uuid(7), noon())
        .await
        .unwrap();
    let mut done = retitle(1, "New");
    done.tasks.done = claimed.iter().map(|task| task.token).collect();
    let mut report = subscribe();
    for write in report.subscribers.values_mut() {
        write.expected = Some(1);
        write.subscriber.version = 2;
    }
    let mut ask = WriteSet::new(noon());
    ask.tasks.ask(enrich(PostingId::new(uuid(1))));
    let commits = [
        ("outbox", Commit::Postings(ask)),
        ("postings", Commit::Postings(done)),
        ("subscribers", Commit::Subscribers(report)),
    ];
    for (table, commit) in commits {
        other
            .batch_execute(&format!("BEGIN; SELECT FROM {table} FOR UPDATE"))
            .await
            .unwrap();
        let start = Instant::now();
        let outcome = commit.to(&store).await;
        assert!(is_locked(&outcome), "{table}: {outcome:?}");
        assert!(start.elapsed() < TABLE, "{table}");
        other.batch_execute("ROLLBACK").await.unwrap();
        assert_eq!(commit.to(&store).await, Ok(()), "{table}");
    }
}

enum Commit {
    Postings(WriteSet),
    Subscribers(newsletter::store::WriteSet),
}

impl Commit {
    async fn to(&self, store: &PostgresStore) -> Result<(), StoreError> {
        match self {
            Self::Postings(writes) => store.commit(writes.clone()).await,
            Self::Subscribers(writes) => {
                newsletter::store::Store::commit(store, writes.clone()).await
            }
        }
    }
}

/// A commit waits longer for a table that is being rewritten: no commit could proceed anyway.
#[tokio::test]
async fn a_locked_table_is_waited_for() {
    let (_database, store, mut other) = two().await;
    store.commit(create(1)).await.unwrap();
    for mode in ["SHARE", "ACCESS EXCLUSIVE"] {
        other
            .batch_execute(&format!("BEGIN; LOCK TABLE postings IN {mode} MODE"))
            .await
            .unwrap();
        let start = Instant::now();
        let outcome = store.commit(retitle(1, "New")).await;
        assert!(is_locked(&outcome), "{mode}: {outcome:?}");
        assert!(start.elapsed() >= TABLE, "{mode}");
        other.batch_execute("ROLLBACK").await.unwrap();
    }
}
