//! What gets done, and when.

use domain::posting::event::JOB_POSTING_CREATED;
use domain::store::WriteSet;
use kernel::{
    event::{Event, Subject},
    testing::uuid,
};

use super::*;

#[tokio::test]
async fn outcomes_of_a_claim_share_a_commit() {
    let bench = Bench::new();
    bench
        .ingest(&[
            create("a", "acme"),
            create("b", "acme"),
            create("c", "acme"),
        ])
        .await;
    let worker = bench.start();
    bench.until_idle().await;
    // One of three was the push.
    let of_three = bench
        .stores
        .faulty
        .commits()
        .into_iter()
        .filter(|postings| *postings == 3)
        .count();
    assert_eq!(of_three, 2, "{:?}", bench.stores.faulty.commits());
    assert_eq!(bench.script.calls(), 3);
    worker.stop().await;
}

#[tokio::test]
async fn a_lease_is_renewed_while_work_takes_long() {
    let mut bench = Bench::new();
    bench.settings.lease = Duration::from_millis(150);
    bench.settings.renew_every = Duration::from_millis(30);
    bench.settings.poll_every = Duration::from_millis(20);
    bench
        .script
        .treat("a", Treatment::Wait(Duration::from_millis(600)));
    bench.ingest(&[create("a", "acme")]).await;
    let (one, other) = (bench.start(), bench.start());
    bench.until_idle().await;
    assert_eq!(bench.script.calls(), 1, "nobody else took it meanwhile");
    assert_eq!(bench.status("a").await, Status::Approved);
    one.stop().await;
    other.stop().await;
}

#[tokio::test(start_paused = true)]
async fn old_events_are_deleted() {
    let mut bench = Bench::new();
    bench.settings.keep_events = Duration::from_hours(48);
    let now = (bench.clock)();
    for (hours, count) in [(100, 12_000), (49, 1), (47, 1), (0, 1)] {
        let at = now - time::Duration::hours(hours);
        let mut writes = WriteSet::new(at);
        writes.tasks.events = (0..count)
            .map(|n| Event {
                name: JOB_POSTING_CREATED,
                subject: Subject::Other(uuid(n)),
                at,
                trace: None,
            })
            .collect();
        bench.memory().commit(writes).await.unwrap();
    }
    let worker = bench.start();
    eventually("the old ones are gone", async || {
        let query = kernel::event::LogQuery {
            after: None,
            names: vec![JOB_POSTING_CREATED],
            prefixes: kernel::Prefixes::ALL,
            limit: usize::MAX,
        };
        bench.memory().read(&query).await.unwrap().events.len() == 2
    })
    .await;
    worker.stop().await;
}
