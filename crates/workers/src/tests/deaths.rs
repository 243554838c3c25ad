use domain::posting::ENRICH;
use kernel::outbox::LOST_TOO_OFTEN;
use uuid::Uuid;

use super::*;

/// Lets a worker claim all enrichments and die.
async fn die(bench: &Bench) {
    let (lease, now) = (time::Duration::ZERO, (bench.clock)());
    let holder = Uuid::now_v7();
    let claimed = bench.memory().claim(ENRICH, 64, lease, holder, now).await;
    assert!(!claimed.unwrap().is_empty());
}

/// Lets workers claim the crashed task, and die each time.
async fn die_alone(bench: &Bench, times: usize) {
    for _ in 0..times {
        let (lease, now) = (time::Duration::ZERO, (bench.clock)());
        let claim = bench
            .memory()
            .claim_crashed(ENRICH, lease, Uuid::now_v7(), now);
        assert!(claim.await.unwrap().is_some());
    }
}

#[tokio::test]
async fn what_died_together_is_done_one_after_the_other() {
    let mut bench = Bench::new();
    bench.settings.enrich_loops = 4;
    bench.settings.enrich_at_once = 4;
    let ids = ["a", "b", "c", "d", "e"];
    for id in ids {
        let wait = Treatment::Wait(Duration::from_millis(20));
        bench.script.treat(id, wait);
    }
    bench.ingest(&ids.map(|id| create(id, "acme"))).await;
    die(&bench).await;
    let more = ["f", "g", "h"];
    bench.ingest(&more.map(|id| create(id, "acme"))).await;
    let worker = bench.start();
    bench.until_idle().await;
    for id in ids.iter().chain(&more) {
        assert_eq!(bench.status(id).await, Status::Approved);
    }
    let crashing = ids.map(|id| format!("Engineer {id}"));
    assert!(!bench.script.were_beside_others(&crashing));
    worker.stop().await;
}

#[tokio::test]
async fn a_task_that_killed_three_workers_is_dead_lettered_unattempted() {
    let bench = Bench::new();
    bench.ingest(&[create("a", "acme")]).await;
    die(&bench).await;
    die_alone(&bench, 2).await;
    let worker = bench.start();
    bench.until_dead().await;
    let dead = bench.rows(true).await;
    assert_eq!(dead[0].last_error.as_deref(), Some(LOST_TOO_OFTEN));
    assert_eq!(bench.script.calls(), 0);
    assert_eq!(bench.status("a").await, Status::PendingEnrichment);
    let view = bench.view("a").await;
    let reason = view.posting.status_reason();
    let expect = format!("enrichment_failed: {LOST_TOO_OFTEN}");
    assert_eq!(reason, Some(expect.as_str()));

    let revived = bench
        .memory()
        .revive(&Revive::All, None, (bench.clock)())
        .await;
    assert_eq!(revived, Ok(1));
    bench.stores.wake.call(ENRICH);
    bench.until_approved("a").await;
    worker.stop().await;
}
