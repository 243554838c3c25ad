//! That imports by several processes may be there at the same time.

use std::sync::atomic::Ordering;

use access::{Clients, testing::client};
use diesel_async::SimpleAsyncConnection;
use domain::{
    catalogue::{CatalogueLease, Catalogues, Leased, PastImport},
    import::Summary,
    store::{Store, WriteSet},
};
use kernel::{
    Status, StoreError,
    testing::{hours, noon},
};
use sql_common::testing::catalogues::{
    imports_at_two_stores_keep_the_limit, leased, of_imports_at_two_stores_one_gets_the_catalogue,
    query,
};
use tokio::task::JoinSet;

use super::{
    Database, another,
    concurrency::{two, without_deadlock},
    create, number, retitle,
    round_trips::counted,
    until_waiting,
};
use crate::PostgresStore;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_imports_at_the_same_time_one_gets_the_catalogue() {
    let (database, one, other) = two().await;
    of_imports_at_two_stores_one_gets_the_catalogue(&one, &other).await;
    without_deadlock(&database, [one, other]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn imports_at_the_same_time_keep_the_limit() {
    let (database, one, other) = two().await;
    imports_at_two_stores_keep_the_limit(&one, &other).await;
    without_deadlock(&database, [one, other]).await;
}

/// A commit under a lease that changes the first posting.
fn under(lease: CatalogueLease) -> WriteSet {
    let mut writes = retitle(1, "New");
    writes.import = Some(lease);
    writes
}

/// What an import expires is decided before another one begins: nobody takes the lease between the
/// look at it and the end of the commit.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_lease_is_not_taken_while_a_commit_goes_by_it() {
    let (database, one, other) = two().await;
    one.commit(create(1)).await.unwrap();
    let lease = leased(&one, "jobs").await;
    // Another transaction holds the commit up at its posting.
    let observer = another(&database).await;
    let mut blocker = observer.connections.get().await.unwrap();
    let block = "BEGIN; SELECT FROM postings FOR UPDATE";
    blocker.batch_execute(block).await.unwrap();
    let commit = {
        let store = one.clone();
        tokio::spawn(async move { store.commit(under(lease)).await })
    };
    until_waiting(&observer, 1).await;
    let mut calls = JoinSet::new();
    let mut later = query("jobs", 2);
    later.now = noon() + hours(1);
    later.until = noon() + hours(2);
    let store = other.clone();
    calls.spawn(async move { matches!(store.lease(&later).await, Ok(Leased::Held(_))) });
    until_waiting(&observer, 2).await;
    assert!(calls.try_join_next().is_none());
    blocker.batch_execute("COMMIT").await.unwrap();
    assert_eq!(commit.await.unwrap(), Ok(()));
    assert_eq!(calls.join_all().await, [true]);
    drop(blocker);
    without_deadlock(&database, [one, other, observer]).await;
}

/// A commit that had to wait for another import's lease has lost its own.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_commit_that_waited_for_the_lease_sees_its_loss() {
    for sql in [
        "UPDATE catalogues SET holder = gen_random_uuid()",
        "UPDATE catalogues SET holder = NULL, leased_until = NULL",
        "DELETE FROM catalogues",
    ] {
        let (database, store, _other) = two().await;
        store.commit(create(1)).await.unwrap();
        let lease = leased(&store, "jobs").await;
        let observer = another(&database).await;
        let mut blocker = observer.connections.get().await.unwrap();
        blocker
            .batch_execute(&format!("BEGIN; {sql}"))
            .await
            .unwrap();
        let commit = {
            let store = store.clone();
            tokio::spawn(async move { store.commit(under(lease)).await })
        };
        until_waiting(&observer, 1).await;
        blocker.batch_execute("COMMIT").await.unwrap();
        assert_eq!(commit.await.unwrap(), Err(StoreError::Conflict), "{sql}");
        let title = "SELECT count(*) AS value FROM postings WHERE title = 'New'";
        assert_eq!(number(&store, title).await, 0);
    }
}

/// A commit without a lease does not look for one, and one with it looks once.
#[tokio::test]
async fn a_commit_looks_at_its_lease_once() {
    let database = Database::migrated();
    let (store, count) = counted(&database).await;
    store.commit(create(1)).await.unwrap();
    let lease = leased(&store, "jobs").await;
    let mut done = retitle(1, "Other");
    count.store(0, Ordering::Relaxed);
    let lap = || count.swap(0, Ordering::Relaxed);
    store.commit(done.clone()).await.unwrap();
    assert_eq!(lap(), 1);
    let write = done.postings.values_mut().next().unwrap();
    (write.expected, write.posting.version) = (Some(2), 3);
    done.import = Some(lease);
    store.commit(done).await.unwrap();
    // The beginning, the lease, the locks, the writes and the end.
    assert_eq!(lap(), 5);
}

/// Makes the calls about catalogues.
pub(super) async fn use_all(store: &PostgresStore, round: u128) {
    let asked = |n| query(&format!("jobs-{n}"), 50 + n);
    if round == 0 {
        Clients::insert(store, &client(1), None).await.unwrap();
    }
    for n in [round, round + 100] {
        let lease = match store.lease(&asked(n)).await.unwrap() {
            Leased::Held(lease) => lease,
            other => panic!("{other:?}"),
        };
        assert_eq!(store.renew(lease, noon() + hours(2)).await, Ok(true));
        let mut writes = create(1_000 + n);
        for write in writes.postings.values_mut() {
            write.posting.catalogue = Some(lease.catalogue);
            write.posting.status = Status::Approved;
        }
        writes.import = Some(lease);
        store.commit(writes).await.unwrap();
        let open = store.open_postings(lease.catalogue, None, 10).await;
        assert_eq!(open.unwrap().len(), 1);
        let import = PastImport {
            started_at: noon(),
            finished_at: noon(),
            summary: Summary::default(),
        };
        assert_eq!(store.finish(lease, &import).await, Ok(true));
    }
    let client = client(1).id;
    let name = asked(round).name;
    let found = Catalogues::find(store, client, &name, noon()).await;
    assert_eq!(found.unwrap().unwrap().postings, 1);
    Catalogues::list(store, client, noon()).await.unwrap();
    let deleted = Catalogues::delete(store, client, &name, None).await;
    assert_eq!(deleted, Ok(true));
}
