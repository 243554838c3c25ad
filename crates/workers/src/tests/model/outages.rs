use super::*;

#[tokio::test(start_paused = true)]
async fn an_hour_of_outage_costs_few_calls_and_loses_nothing() {
    let bench = ModelBench::new();
    bench.model.answer(unavailable(None));
    let worker = bench.start();
    let all = names(0..200);
    for twenty in all.chunks(20) {
        bench.push(twenty).await;
        sleep(HOUR / 10).await;
    }
    // Four calls at first, then single ones after 1 s, 2 s, 4 s …, and every minute.
    let calls = bench.calls();
    assert!((60..=75).contains(&calls), "{calls}");
    let backlog = bench.enrichments().await;
    assert_eq!((backlog.waiting, backlog.dead), (200, 0));
    for name in &all {
        assert_eq!(bench.status(name).await, Status::PendingEnrichment);
    }

    bench.model.relent();
    let took = bench.until_idle().await;
    // A minute until the next poll, then four concurrent calls of two seconds each.
    assert!(took < MINUTE + 2 * 50 * SECOND + MINUTE, "{took:?}");
    assert_eq!(bench.model.most_under_way(), 4);
    assert_eq!(bench.calls(), calls + 200);
    assert_eq!(bench.enrichments().await.dead, 0);
    for name in &all {
        assert_eq!(bench.status(name).await, Status::Approved);
    }
    worker.stop().await;
}
