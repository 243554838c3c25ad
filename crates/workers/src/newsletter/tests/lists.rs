use newsletter::subscriber::provider::{Profile, Provider as _, ProviderStatus};

use super::*;

/// A bench whose worker reads lists, with this number of reported subscribers.
async fn bench(people: usize) -> Bench {
    let mut bench = Bench::new();
    bench.settings.reconciles = true;
    bench.settings.poll_every = 10 * SECOND;
    for n in 0..people {
        bench.put(&address(n), &named("Ada")).await;
    }
    bench
}

fn address(n: usize) -> String {
    format!("person{n:04}@example.com")
}

async fn put_in(bench: &Bench, address: &str) {
    let profile: Profile = bench.subscriber(address).await.profile();
    let memory = &bench.script.memory;
    memory.upsert(Old, &profile, false).await.unwrap();
}

fn is_page(call: &Call) -> bool {
    matches!(call, Call::Page(_))
}

#[tokio::test(start_paused = true)]
async fn who_is_there_already_costs_reads_only() {
    // An answer takes longer than the gap between two calls, so pages come as fast as answers.
    for latency in [200, 500] {
        who_is_there_costs_reads_at(latency).await;
    }
}

async fn who_is_there_costs_reads_at(latency: u64) {
    let bench = bench(600).await;
    *bench.script.accounts.lock().unwrap() = vec![Old];
    for n in 0..590 {
        put_in(&bench, &address(n)).await;
    }
    // Some subscribers differ from the stored state, and some are missing.
    bench
        .script
        .memory
        .set(Old, &email(&address(7)), ProviderStatus::Unsubscribed);
    bench.put(&address(8), &named("Augusta")).await;
    bench.script.memory.calls();
    let gap = 61 * SECOND / 120;
    *bench.script.gap.lock().unwrap() = gap;
    *bench.script.latency.lock().unwrap() = Duration::from_millis(latency);

    let start = Instant::now();
    let worker = bench.start();
    bench
        .until("the list was read", async || {
            let state = bench.memory().account_state(Old).await.unwrap();
            state.reconciled_at.is_some()
        })
        .await;
    // Pages have two entries. At the rate limit, 295 reads take this long; a tenth more is allowed.
    let reads = gap * 295;
    assert!(
        start.elapsed() <= reads + reads / 10,
        "{:?}",
        start.elapsed()
    );
    let unsubscribed = bench.subscriber(&address(7)).await.status;
    assert_eq!(unsubscribed, SubscriberStatus::Unsubscribed);

    bench.until_idle().await;
    let calls = bench.script.memory.calls();
    let is_write = |call: &Call| matches!(call, Call::Upsert(..) | Call::Update(..));
    let read: Vec<_> = calls.iter().take_while(|call| !is_write(call)).collect();
    let pages = read.iter().filter(|call| is_page(call)).count();
    assert_eq!(pages, 295, "nothing is written before");
    // Lookups of ten missing subscribers, and two writes of differences.
    let others: Vec<_> = calls.iter().filter(|call| !is_page(call)).collect();
    assert_eq!(others.len(), 12, "{others:?}");
    worker.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_walk_that_was_broken_off_starts_over() {
    let bench = bench(40).await;
    *bench.script.accounts.lock().unwrap() = vec![Old];
    for n in 0..40 {
        put_in(&bench, &address(n)).await;
    }
    bench.script.memory.calls();
    let worker = bench.start();
    sleep(5 * SECOND).await;
    drop(worker);
    let read = bench.script.memory.calls();
    assert!(read.len() < 20 && read.iter().all(is_page), "{read:?}");
    let worker = bench.start();
    bench.until_idle().await;
    let calls = bench.script.memory.calls();
    assert_eq!(calls.len(), 20, "{calls:?}");
    assert!(calls.iter().all(is_page), "{calls:?}");
    worker.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_page_that_fails_is_asked_for_again() {
    for error in [busy(None), limited(10 * SECOND), locked()] {
        let bench = bench(10).await;
        *bench.script.accounts.lock().unwrap() = vec![Old];
        for n in 0..10 {
            put_in(&bench, &address(n)).await;
        }
        bench.script.memory.calls();
        bench
            .script
            .memory
            .fail(2, newsletter::testing::Failing::Before, error);
        let worker = bench.start();
        bench.until_idle().await;
        let calls = bench.script.memory.calls();
        assert_eq!(calls.len(), 6, "{calls:?}");
        assert!(calls.iter().all(is_page), "{calls:?}");
        worker.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn what_changed_unseen_is_found_at_night() {
    let bench = bench(1).await;
    *bench.script.accounts.lock().unwrap() = vec![Old];
    let worker = bench.start();
    bench.until_idle().await;
    bench
        .script
        .memory
        .set(Old, &email(&address(0)), ProviderStatus::Junk);
    // It is noon. A restart does not read the list again.
    worker.stop().await;
    let worker = bench.start();
    sleep(13 * HOUR).await;
    assert_eq!(
        bench.subscriber(&address(0)).await.status,
        SubscriberStatus::Active
    );
    sleep(2 * HOUR).await;
    let status = bench.subscriber(&address(0)).await.status;
    assert_eq!(status, SubscriberStatus::SpamReported);
    worker.stop().await;
}
