use newsletter::tasks;

use super::*;

#[tokio::test(start_paused = true)]
async fn twelve_hours_of_outage_lose_nothing_and_more_are_for_an_operator() {
    let mut bench = Bench::new();
    bench.settings.poll_every = 10 * SECOND;
    bench.script.treat(Old, Treatment::Fail(busy(None)));
    let worker = bench.start();
    for n in 0..10 {
        bench.put(&format!("person{n}@example.com"), "{}").await;
    }
    sleep(Duration::from_mins(12 * 60 - 1)).await;
    assert_eq!(bench.backlog(tasks::SYNC).await.dead, 0);
    assert_eq!(bench.backlog(tasks::SYNC).await.waiting, 10);
    // With the pauses after a refused key, at most four calls are made each time.
    let asked = bench.script.asked(Old).len();
    assert!(asked < 400, "{asked}");
    sleep(HOUR).await;
    let dead = bench.rows(true).await;
    assert_eq!(dead.len(), 10);
    let error = dead[0].last_error.as_deref();
    assert_eq!(error, Some("the provider answered 503"));

    bench.script.relent(Old);
    let all = kernel::outbox::Revive::All;
    let revived = bench.memory().revive(&all, None, (bench.clock)()).await;
    assert_eq!(revived, Ok(10));
    bench.until_idle().await;
    assert_eq!(bench.script.memory.count(Old), 10);
    worker.stop().await;
}

/// Neither a busy nor a locked account counts as a failure of a task.
#[tokio::test(start_paused = true)]
async fn a_busy_or_locked_account_is_not_called() {
    let wait = Duration::from_secs(90);
    for (error, least) in [(limited(wait), wait), (locked(), 10 * SECOND)] {
        let mut bench = Bench::new();
        bench.settings.poll_every = 10 * SECOND;
        let worker = bench.start();
        bench.script.treat(Old, Treatment::Fail(error));
        for n in 0..10 {
            bench.put(&format!("person{n}@example.com"), "{}").await;
            let mover = format!("mover{n}@example.com");
            bench.put(&mover, "{}").await;
            bench.migrate(&mover).await;
        }
        // After this time, a failing task would be a dead letter.
        sleep(13 * HOUR).await;
        let asked = bench.script.asked(Old);
        let pauses = asked.windows(2).map(|pair| pair[1] - pair[0]);
        // Concurrent calls have no pause in between, and count as one.
        let pauses: Vec<_> = pauses.filter(|gap| *gap > SECOND).collect();
        assert!(pauses.len() > 20, "{pauses:?}");
        assert!(pauses.iter().all(|pause| *pause >= least), "{pauses:?}");
        let rows = bench.rows(false).await;
        assert!(rows.iter().all(|row| row.last_error.is_none()), "{rows:?}");
        bench.script.relent(Old);
        bench.until_idle().await;
        assert!(bench.rows(true).await.is_empty());
        worker.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_pause_holds_for_the_next_process() {
    let bench = Bench::new();
    let worker = bench.start();
    let wait = Duration::from_mins(10);
    bench.script.treat(Old, Treatment::Fail(limited(wait)));
    bench.put(ADA, "{}").await;
    let paused = Instant::now();
    sleep(10 * SECOND).await;
    worker.stop().await;
    let kept = bench.memory().account_state(Old).await.unwrap();
    assert!(kept.paused_until.is_some());
    assert_eq!(kept.pause_reason.unwrap(), "the provider answered 429");

    bench.script.relent(Old);
    let other: Arc<Script> = Arc::default();
    let worker = bench.start_with(&other, Arc::clone(&bench.stores.faulty.memory) as _);
    bench.until_idle().await;
    assert!(paused.elapsed() >= wait, "{:?}", paused.elapsed());
    assert!(paused.elapsed() < wait + Duration::from_mins(1));
    assert_eq!(other.asked(Old).len(), 1);
    worker.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_key_that_is_refused_for_only_one_person_ends_her_task() {
    let bench = Bench::new();
    bench
        .script
        .treat(Old, Treatment::FailFor(email(ADA), locked()));
    let worker = bench.start();
    bench.put(ADA, "{}").await;
    for n in 0..40 {
        bench.put(&format!("person{n}@example.com"), "{}").await;
        sleep(5 * SECOND).await;
    }
    bench.until_idle().await;
    assert_eq!(bench.script.memory.count(Old), 40);
    let dead = bench.rows(true).await;
    assert_eq!(dead.len(), 1, "{dead:?}");
    let error = dead[0].last_error.as_deref().unwrap();
    assert!(error.starts_with("the provider answered 401"), "{error}");
    worker.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_busy_account_holds_up_nothing_for_the_other() {
    let bench = Bench::new();
    let worker = bench.start();
    bench.put(BOB, "{}").await;
    bench.migrate(BOB).await;
    bench.until_idle().await;
    let wait = Duration::from_hours(2);
    bench.script.treat(Old, Treatment::Fail(limited(wait)));
    bench.put(ADA, "{}").await;
    sleep(Duration::from_mins(1)).await;
    bench.put(BOB, &named("Bob")).await;
    sleep(Duration::from_mins(1)).await;
    let bob = bench.script.memory.person(New, &email(BOB)).unwrap();
    assert_eq!(bob.profile.unwrap().fields.name.as_deref(), Some("Bob"));
    assert_eq!(bench.backlog(tasks::SYNC).await.waiting, 1);
    worker.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_defect_of_the_provider_s_client_is_a_failure() {
    let bench = Bench::new();
    let worker = bench.start();
    bench.script.treat(Old, Treatment::Panic);
    bench.put(ADA, "{}").await;
    sleep(10 * SECOND).await;
    let rows = bench.rows(false).await;
    let error = rows[0].last_error.as_deref();
    assert_eq!(error, Some("it panicked: a provider's defect"));
    bench.script.relent(Old);
    bench.until_idle().await;
    worker.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_conflict_on_recording_repeats_no_call() {
    let bench = Bench::new();
    bench.put(ADA, &named("Ada")).await;
    let conflict = Fault::Fail(StoreError::Conflict);
    bench.stores.faulty.fail_next(vec![conflict; 5]);
    let worker = bench.start();
    bench.until_idle().await;
    assert_eq!(bench.script.asked(Old).len(), 1);
    assert!(!bench.subscriber(ADA).await.needs_sync());
    worker.stop().await;
}
