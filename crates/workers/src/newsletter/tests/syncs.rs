use super::*;

#[tokio::test(start_paused = true)]
async fn without_a_key_what_would_be_sent_waits_untouched() {
    let bench = Bench::new();
    *bench.script.accounts.lock().unwrap() = vec![New];
    let worker = bench.start();
    bench.put(ADA, INDIVIDUAL).await;
    bench.put(BOB, "{}").await;
    bench.migrate(BOB).await;
    sleep(HOUR).await;
    assert_eq!(bench.script.asked(New).len(), 0);
    let rows = bench.rows(false).await;
    let kinds: Vec<_> = rows.iter().map(|row| row.kind.as_str()).collect();
    assert_eq!(kinds, ["sync", "sync", "migrate"], "{rows:?}");
    assert!(rows.iter().all(|row| row.attempts == 0), "{rows:?}");
    worker.stop().await;

    *bench.script.accounts.lock().unwrap() = vec![Old, New];
    let worker = bench.start();
    bench.until_idle().await;
    assert!(bench.script.memory.person(Old, &email(ADA)).is_some());
    assert!(bench.script.memory.person(New, &email(BOB)).is_some());
    worker.stop().await;
}

#[tokio::test(start_paused = true)]
async fn calls_overlap_so_that_a_slow_account_gets_all_that_it_takes() {
    for latency in [200, 1000, 1900] {
        let bench = Bench::new();
        let minute = Duration::from_mins(1);
        // The client makes 120 calls a minute.
        *bench.script.gap.lock().unwrap() = 61 * SECOND / 120;
        *bench.script.latency.lock().unwrap() = Duration::from_millis(latency);
        for n in 0..500 {
            bench.put(&format!("person{n}@example.com"), "{}").await;
        }
        let worker = bench.start();
        sleep(minute).await;
        let before = bench.script.asked(Old).len();
        sleep(3 * minute).await;
        let asked = bench.script.asked(Old).len() - before;
        assert!(asked >= 3 * 120 * 95 / 100, "{latency} ms: {asked}");
        worker.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_changed_membership_is_synced_within_a_minute_while_thousands_wait_for_theirs() {
    let bench = Bench::new();
    *bench.script.gap.lock().unwrap() = 61 * SECOND / 120;
    *bench.script.latency.lock().unwrap() = SECOND;
    let worker = bench.start();
    bench.put(ADA, INDIVIDUAL).await;
    bench.until_idle().await;
    for n in 0..5_000 {
        let body = if n % 2 == 0 { INDIVIDUAL } else { "{}" };
        bench.put(&format!("person{n}@example.com"), body).await;
    }
    // Bob is at the end of the backlog.
    bench.put(BOB, INDIVIDUAL).await;
    let minute = Duration::from_mins(1);
    sleep(minute).await;
    let asked = bench.script.asked(Old).len();
    for address in [ADA, BOB] {
        bench.put(address, r#"{"membership":null}"#).await;
    }
    bench.put("person4998@example.com", &named("Cy")).await;
    sleep(minute).await;
    for address in [ADA, BOB, "person4998@example.com"] {
        let subscriber = bench.subscriber(address).await;
        assert!(!subscriber.needs_sync(), "{address}");
        let person = bench.script.memory.person(Old, &email(address)).unwrap();
        assert_eq!(person.profile.unwrap(), subscriber.profile());
    }
    // The other subscribers get the rest of the rate limit.
    let asked = bench.script.asked(Old).len() - asked;
    assert!(asked >= 120 * 95 / 100, "{asked}");
    worker.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_hopeless_call_fails_at_once_and_harms_no_other() {
    let bench = Bench::new();
    let worker = bench.start();
    let invalid = ProviderError::Permanent("the provider answered 422".to_owned());
    bench
        .script
        .memory
        .fail(0, newsletter::testing::Failing::Before, invalid);
    bench.put(ADA, "{}").await;
    bench.put(BOB, "{}").await;
    bench.until_idle().await;
    let dead = bench.rows(true).await;
    assert_eq!(dead.len(), 1);
    assert_eq!(dead[0].attempts, 1);
    let error = dead[0].last_error.as_deref();
    assert_eq!(error, Some("the provider answered 422"));
    assert!(bench.script.memory.person(Old, &email(BOB)).is_some());
    worker.stop().await;
}

#[tokio::test(start_paused = true)]
async fn commits_wake_the_worker() {
    let mut bench = Bench::new();
    bench.settings.poll_every = HOUR;
    let worker = bench.start();
    sleep(SECOND).await;
    let start = Instant::now();
    bench.put(ADA, INDIVIDUAL).await;
    bench.until_idle().await;
    bench.put(BOB, "{}").await;
    bench.until_idle().await;
    bench.migrate(ADA).await;
    bench.until_idle().await;
    bench.put(ADA, &named("Ada")).await;
    bench.until_idle().await;
    assert!(start.elapsed() < 10 * SECOND, "{:?}", start.elapsed());
    worker.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_sync_that_was_not_begun_forgets_nothing() {
    let bench = Bench::new();
    let worker = bench.start();
    bench.put(ADA, &named("Ada")).await;
    bench.until_idle().await;
    worker.stop().await;
    bench.script.memory.calls();

    // Another call opens the breaker.
    let wait = Duration::from_mins(1);
    bench.script.treat(Old, Treatment::Fail(limited(wait)));
    bench.put(BOB, "{}").await;
    let worker = bench.start();
    sleep(SECOND).await;
    bench.put(ADA, &named("Augusta")).await;
    sleep(10 * SECOND).await;
    assert_eq!(bench.script.asked(Old).len(), 2);
    bench.put(ADA, &named("Ada")).await;
    bench.script.relent(Old);
    bench.until_idle().await;
    let calls = bench.script.memory.calls();
    assert_eq!(calls, [Call::Upsert(Old, email(BOB), false)]);
    worker.stop().await;
}
