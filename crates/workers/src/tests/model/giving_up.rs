//! Nobody is approved unjudged.

use super::*;

#[tokio::test(start_paused = true)]
async fn an_outage_of_more_than_twelve_hours_is_for_an_operator() {
    let bench = ModelBench::new();
    bench.model.answer(away(None));
    let worker = bench.start();
    bench.push(&names(0..3)).await;
    bench.until_idle().await;
    let backlog = bench.enrichments().await;
    assert_eq!((backlog.waiting, backlog.dead), (0, 3));
    for name in names(0..3) {
        let view = bench.view(&name).await;
        assert_eq!(view.posting.status, Status::PendingEnrichment);
        assert!(view.texts.is_some());
    }
    let since = (bench.clock)() - noon();
    assert!(since > time::Duration::hours(12), "{since}");
    worker.stop().await;
}
