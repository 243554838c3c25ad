//! Nobody is approved unjudged.

use super::*;

#[tokio::test(start_paused = true)]
async fn answers_of_no_use_end_with_texts_and_without_a_verdict() {
    let bench = ModelBench::new();
    bench.model.answer_to("Engineer n1", Answer::Unusable);
    let worker = bench.start();
    bench.push(&names(0..3)).await;
    bench.until_idle().await;
    assert_eq!(bench.enrichments().await.dead, 1);
    let view = bench.view("n1").await;
    assert_eq!(view.posting.status, Status::PendingEnrichment);
    assert!(view.texts.unwrap().markdown.starts_with("Plan bridges"));
    let dead = Outbox::list(bench.memory(), true, None, usize::MAX)
        .await
        .unwrap();
    let error = dead[0].last_error.as_deref().unwrap();
    assert!(error.contains("The answer is not JSON."), "{error}");
    assert_eq!(bench.calls(), 4, "one is asked twice");

    bench.model.relent();
    let revived = bench
        .memory()
        .revive(&Revive::All, None, (bench.clock)())
        .await;
    assert_eq!(revived, Ok(1));
    bench.until_idle().await;
    assert_eq!(bench.status("n1").await, Status::Approved);
    worker.stop().await;
}

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
