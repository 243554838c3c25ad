//! A provider that is unavailable, rate-limiting, or refuses the key.

use newsletter::tasks;

use super::*;

#[tokio::test(start_paused = true)]
async fn twelve_hours_of_outage_lose_nothing() {
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
    bench.script.relent(Old);
    bench.until_idle().await;
    assert_eq!(bench.backlog(tasks::SYNC).await.dead, 0);
    for n in 0..10 {
        let email = email(&format!("person{n}@example.com"));
        assert!(bench.script.memory.person(Old, &email).is_some(), "{n}");
    }
    worker.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_longer_outage_is_for_an_operator() {
    let mut bench = Bench::new();
    bench.settings.poll_every = 10 * SECOND;
    bench.script.treat(Old, Treatment::Fail(busy(None)));
    let worker = bench.start();
    bench.put(ADA, "{}").await;
    sleep(12 * HOUR + Duration::from_mins(20)).await;
    let dead = bench.rows(true).await;
    assert_eq!(dead.len(), 1);
    let error = dead[0].last_error.as_deref();
    assert_eq!(error, Some("the provider answered 503"));

    bench.script.relent(Old);
    let all = kernel::outbox::Revive::All;
    let revived = bench.memory().revive(&all, None, (bench.clock)()).await;
    assert_eq!(revived, Ok(1));
    bench.until_idle().await;
    assert!(bench.script.memory.person(Old, &email(ADA)).is_some());
    worker.stop().await;
}

/// The pauses between calls; concurrent calls count once.
fn pauses(asked: &[Instant]) -> Vec<Duration> {
    let gaps = asked.windows(2).map(|pair| pair[1] - pair[0]);
    gaps.filter(|gap| *gap > SECOND).collect()
}

#[tokio::test(start_paused = true)]
async fn a_busy_account_is_left_alone_for_as_long_as_it_asks() {
    let bench = Bench::new();
    let worker = bench.start();
    let wait = Duration::from_secs(90);
    bench.script.treat(Old, Treatment::Fail(limited(wait)));
    for n in 0..10 {
        bench.put(&format!("person{n}@example.com"), "{}").await;
        // Moves call the same account.
        let mover = format!("mover{n}@example.com");
        bench.put(&mover, "{}").await;
        bench.migrate(&mover).await;
    }
    sleep(HOUR).await;
    let pauses = pauses(&bench.script.asked(Old));
    assert!(pauses.len() > 20, "{pauses:?}");
    assert!(pauses.iter().all(|pause| *pause >= wait), "{pauses:?}");
    // No task has failed.
    let rows = bench.rows(false).await;
    assert!(rows.iter().all(|row| row.last_error.is_none()), "{rows:?}");
    bench.script.relent(Old);
    bench.until_idle().await;
    assert!(bench.rows(true).await.is_empty());
    worker.stop().await;
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
async fn one_person_s_odd_answer_holds_up_nobody() {
    for error in [
        busy(Some(HOUR)),
        ProviderError::Permanent("the provider answered 403 Forbidden".to_owned()),
    ] {
        let bench = Bench::new();
        bench
            .script
            .treat(Old, Treatment::FailFor(email(ADA), error));
        let worker = bench.start();
        bench.put(ADA, "{}").await;
        sleep(30 * SECOND).await;
        let begun = Instant::now();
        for n in 0..20 {
            bench.put(&format!("person{n}@example.com"), "{}").await;
        }
        bench
            .until("all others are told", async || {
                bench.script.memory.count(Old) == 20
            })
            .await;
        assert!(begun.elapsed() < 10 * SECOND, "{:?}", begun.elapsed());
        worker.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_key_that_is_refused_for_one_person_alone_ends_her_task() {
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
async fn an_outage_is_looked_at_by_few_calls() {
    let bench = Bench::new();
    bench.script.treat(Old, Treatment::Fail(busy(None)));
    let worker = bench.start();
    for n in 0..200 {
        bench.put(&format!("person{n}@example.com"), "{}").await;
    }
    sleep(HOUR).await;
    // With the pauses of a refused key, at most four calls each time.
    let asked = bench.script.asked(Old).len();
    assert!(asked < 60, "{asked}");
    bench.script.relent(Old);
    bench.until_idle().await;
    assert_eq!(bench.script.memory.count(Old), 200);
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
async fn a_key_that_is_refused_pauses_the_account_and_kills_nothing() {
    let mut bench = Bench::new();
    bench.settings.poll_every = 10 * SECOND;
    let worker = bench.start();
    bench.script.treat(Old, Treatment::Fail(locked()));
    for n in 0..10 {
        bench.put(&format!("person{n}@example.com"), "{}").await;
    }
    // Far longer than a task may fail.
    sleep(48 * HOUR).await;
    let pauses = pauses(&bench.script.asked(Old));
    for (pause, least) in pauses.iter().zip([10, 20, 40, 80, 160, 320, 600, 600]) {
        assert!(pause.as_secs() >= least, "{pauses:?}");
        // The call itself, and a look at the outbox.
        assert!(pause.as_secs() <= least + 15, "{pauses:?}");
    }
    assert!(bench.rows(true).await.is_empty());
    let rows = bench.rows(false).await;
    assert_eq!(rows.len(), 10);
    // A refused call is not a failure of the task.
    assert!(rows.iter().all(|row| row.last_error.is_none()), "{rows:?}");

    bench.script.relent(Old);
    let repaired = Instant::now();
    bench.until_idle().await;
    assert!(repaired.elapsed() < Duration::from_mins(12));
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
async fn a_crash_between_the_answer_and_the_commit_does_no_harm() {
    let away = || "away".to_owned();
    for fault in [
        Fault::Panic,
        Fault::Fail(StoreError::InDoubt(away())),
        Fault::Fail(StoreError::Unavailable(away())),
        Fault::Fail(StoreError::Broken(away())),
    ] {
        let bench = Bench::new();
        bench.put(ADA, &named("Ada")).await;
        bench.stores.faulty.fail_next([fault.clone()]);
        let worker = bench.start();
        bench.until_idle().await;
        let upsert = Call::Upsert(Old, email(ADA), false);
        let calls = bench.script.memory.calls();
        assert_eq!(calls, [upsert.clone(), upsert], "{fault:?}");
        assert!(!bench.subscriber(ADA).await.needs_sync());
        worker.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_conflict_on_recording_calls_nobody_again() {
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
