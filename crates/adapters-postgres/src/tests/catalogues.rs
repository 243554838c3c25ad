//! Concurrent imports by several processes.

use std::sync::atomic::Ordering;

use domain::{
    catalogue::{CatalogueLease, Catalogues, Leased},
    store::{Store, WriteSet},
};
use kernel::{
    StoreError,
    testing::{hours, noon},
};
use sql_common::testing::catalogues::{leased, query};

use super::{
    Database, another,
    concurrency::{two, without_deadlock},
    create, fixture, held_up, locking, number, retitle,
    round_trips::counted,
    until_waiting,
};

fn under(lease: CatalogueLease) -> WriteSet {
    let mut writes = retitle(1, "New");
    writes.optional.leases.insert(lease);
    writes
}

/// All expiries of an import are decided before another import begins: no import takes the lease
/// between the check and the end of the commit.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_lease_is_not_taken_while_a_commit_goes_by_it() {
    let (database, one, other) = two().await;
    one.commit(create(1)).await.unwrap();
    let lease = leased(&one, "jobs").await;
    let observer = another(&database).await;
    let work = async {
        let commit = one.commit(under(lease));
        let later = async {
            until_waiting(&observer, 1).await;
            let mut later = query("jobs", 2);
            later.now = noon() + hours(1);
            later.until = noon() + hours(2);
            other.lease(&later).await
        };
        tokio::join!(commit, later)
    };
    // Another transaction blocks the commit at its posting.
    let lock = locking("postings", 1);
    let (commit, later) = held_up(&database, (&lock, "COMMIT"), 2, work).await;
    assert_eq!(commit, Ok(()));
    assert!(matches!(later, Ok(Leased::Held(_))), "{later:?}");
    without_deadlock(&database, [one, other, observer]).await;
}

/// If a commit waits while another import takes the lease, it has lost its own lease.
#[tokio::test]
async fn a_commit_that_waited_for_the_lease_sees_its_loss() {
    for sql in [
        "UPDATE catalogues SET holder = gen_random_uuid()",
        "UPDATE catalogues SET holder = NULL, leased_until = NULL",
        "DELETE FROM catalogues",
    ] {
        let (database, store) = fixture().await;
        store.commit(create(1)).await.unwrap();
        let lease = leased(&store, "jobs").await;
        let commit = held_up(&database, (sql, "COMMIT"), 1, store.commit(under(lease))).await;
        assert_eq!(commit, Err(StoreError::Conflict), "{sql}");
        let title = "SELECT count(*) AS value FROM postings WHERE title = 'New'";
        assert_eq!(number(&store, title).await, 0);
    }
}

#[tokio::test]
async fn a_commit_under_a_lease_takes_one_round_trip() {
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
    done.optional.leases.insert(lease);
    store.commit(done).await.unwrap();
    assert_eq!(lap(), 1);
}
