//! Stopping.

use super::*;

#[tokio::test]
async fn a_stop_finishes_what_is_held_and_gives_the_rest_back() {
    let mut bench = Bench::new();
    bench.settings.enrich_at_once = 1;
    for identifier in ["a", "b", "c"] {
        bench
            .script
            .treat(identifier, Treatment::Wait(Duration::from_millis(200)));
    }
    bench
        .ingest(&[
            create("a", "acme"),
            create("b", "acme"),
            create("c", "acme"),
        ])
        .await;
    let worker = bench.start();
    eventually("it has begun", async || bench.script.calls() == 1).await;
    worker.stop().await;
    assert_eq!(bench.script.calls(), 1);
    let waiting = bench.rows(false).await;
    let due: Vec<_> = waiting
        .iter()
        .filter(|row| row.kind == "enrich" && row.next_at <= (bench.clock)())
        .collect();
    assert_eq!(due.len(), 2, "{waiting:?}");
    assert!(due.iter().all(|row| row.last_error.is_none()));
}

#[tokio::test]
async fn a_stop_does_not_wait_for_ever() {
    let mut bench = Bench::new();
    bench.settings.stop_within = Duration::from_millis(50);
    bench
        .script
        .treat("a", Treatment::Wait(Duration::from_secs(2)));
    bench.ingest(&[create("a", "acme")]).await;
    let worker = bench.start();
    eventually("it has begun", async || bench.script.calls() == 1).await;
    let began = tokio::time::Instant::now();
    worker.stop().await;
    assert!(
        began.elapsed() < Duration::from_secs(1),
        "{:?}",
        began.elapsed()
    );
    let row = &bench.rows(false).await;
    assert!(
        row.iter()
            .any(|row| row.kind == "enrich" && row.next_at <= (bench.clock)())
    );
}
