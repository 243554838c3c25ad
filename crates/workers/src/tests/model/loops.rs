use super::*;

#[tokio::test(start_paused = true)]
async fn no_more_calls_are_under_way_than_there_may_be() {
    let mut bench = ModelBench::new();
    bench.settings = settings(3);
    let worker = bench.start();
    bench.push(&names(0..31)).await;
    let took = bench.until_idle().await;
    assert_eq!(bench.model.most_under_way(), 3);
    assert_eq!(bench.calls(), 31);
    assert!(took < 11 * 2 * SECOND + SECOND, "{took:?}");
    // The push is one commit, and each outcome has its own.
    let mut commits = bench.stores.faulty.commits();
    // The company's task writes no posting.
    commits.retain(|postings| *postings > 0);
    assert_eq!(commits[0], 31);
    assert_eq!(commits[1..], [1; 31]);
    worker.stop().await;
}

#[tokio::test(start_paused = true)]
async fn outcomes_are_counted() {
    let recorder = metrics_exporter_prometheus::PrometheusBuilder::new().build_recorder();
    let _guard = ::metrics::set_default_local_recorder(&recorder);
    let bench = ModelBench::new();
    let busy = EnrichError::Retry {
        message: "busy".to_owned(),
        after: None,
    };
    bench.model.answer_to("Engineer n1", Answer::Fail(busy));
    bench
        .model
        .answer_to("Engineer n2", Answer::Reject(ReasonCode::NotAJob));
    bench.model.answer_to("Engineer n3", Answer::Unusable);
    let worker = bench.start();
    bench.push(&names(0..4)).await;
    // By then, the second call for `n3` has begun.
    sleep(3 * SECOND).await;
    bench.model.answer_to("Engineer n1", Answer::Approve);
    bench.until_idle().await;
    bench.ingest(&[posting("again", "n0")]).await;
    bench.until_idle().await;
    sleep(SECOND).await;
    worker.stop().await;

    let page = recorder.handle().render();
    for line in [
        r#"posthaste_enrichments_total{outcome="approved",code=""} 3"#,
        r#"posthaste_enrichments_total{outcome="rejected",code="not_a_job"} 1"#,
        r#"posthaste_enrichments_total{outcome="failed",code=""} 1"#,
        r#"posthaste_enrichments_total{outcome="unjudged",code=""} 1"#,
        "posthaste_llm_drafts_reused_total 1",
    ] {
        assert!(page.lines().any(|found| found == line), "{line}: {page}");
    }
}

#[tokio::test(start_paused = true)]
async fn one_commit_wakes_as_many_loops_as_are_needed() {
    let mut bench = ModelBench::new();
    bench.settings.poll_every = HOUR;
    let worker = bench.start();
    sleep(SECOND).await;
    bench.push(&names(0..10)).await;
    let began = Instant::now();
    bench.until_idle().await;
    let calls = bench.model.calls();
    assert!(
        calls[..4].iter().all(|call| call.at - began < SECOND),
        "{calls:?}"
    );
    worker.stop().await;
}

#[tokio::test(start_paused = true)]
async fn many_idle_loops_ask_no_more_than_one() {
    let mut bench = ModelBench::new();
    bench.settings = settings(64);
    let reads = Arc::new(AtomicUsize::new(0));
    let (counted, clock) = (Arc::clone(&reads), Arc::clone(&bench.clock));
    bench.clock = Arc::new(move || {
        counted.fetch_add(1, Ordering::SeqCst);
        clock()
    });
    let worker = bench.start();
    sleep(SECOND).await;
    let begin = reads.load(Ordering::SeqCst);
    sleep(MINUTE).await;
    // Each query of the outbox reads the clock once.
    let looks = reads.load(Ordering::SeqCst) - begin;
    assert!((60..=480).contains(&looks), "{looks}");
    // Another process commits. The poll finds the task.
    let (now, puts) = ((bench.clock)(), [posting("n0", "n0")]);
    let answers = usecase::ingest(bench.memory(), &puts, Lifetime::NEVER, now).await;
    assert!(answers.unwrap()[0].is_ok());
    let took = bench.until_idle().await;
    assert!(took < 5 * SECOND, "{took:?}");
    worker.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_stop_lets_calls_finish_that_are_nearly_done() {
    let bench = ModelBench::new();
    *bench.model.takes.lock().unwrap() = 8 * SECOND;
    let worker = bench.start();
    bench.push(&names(0..6)).await;
    bench
        .until("it is at work", async || bench.calls() == 4)
        .await;
    worker.stop().await;
    assert_eq!(bench.calls(), 4);
    assert_eq!(bench.enrichments().await.waiting, 2);
}

#[tokio::test(start_paused = true)]
async fn a_stop_gives_back_what_takes_too_long() {
    let bench = ModelBench::new();
    *bench.model.takes.lock().unwrap() = MINUTE;
    let worker = bench.start();
    bench.push(&names(0..6)).await;
    bench
        .until("it is at work", async || bench.calls() == 4)
        .await;
    let began = Instant::now();
    worker.stop().await;
    assert!(began.elapsed() <= 12 * SECOND, "{:?}", began.elapsed());
    let rows = Outbox::list(bench.memory(), false, None, usize::MAX)
        .await
        .unwrap();
    let due: Vec<_> = rows
        .iter()
        .filter(|row| row.kind == "enrich" && row.next_at <= (bench.clock)())
        .collect();
    assert_eq!(due.len(), 6, "{rows:?}");
    assert!(due.iter().all(|row| row.last_error.is_none()));
    let far = (bench.clock)() + time::Duration::HOUR;
    let has_crashed = bench.memory().has_crashed(ENRICH, far).await;
    assert_eq!(has_crashed, Ok(false), "a stop is no death");
}
