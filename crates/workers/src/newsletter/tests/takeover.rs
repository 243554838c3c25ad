use std::sync::Mutex;

use async_trait::async_trait;
use newsletter::{store::AccountState, subscriber::Account};
use time::OffsetDateTime;
use uuid::Uuid;

use super::*;

/// Leases that a test can take away.
struct Leases {
    memory: Arc<MemoryStore>,
    answer: Mutex<Option<Result<bool, StoreError>>>,
}

impl Leases {
    fn of(bench: &Bench) -> Arc<Self> {
        Arc::new(Self {
            memory: Arc::clone(&bench.stores.faulty.memory),
            answer: Mutex::default(),
        })
    }

    fn answer(&self, answer: Option<Result<bool, StoreError>>) {
        *self.answer.lock().unwrap() = answer;
    }
}

#[async_trait]
impl Accounts for Leases {
    async fn lease(
        &self,
        accounts: &[Account],
        holder: Uuid,
        until: OffsetDateTime,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        let answer = self.answer.lock().unwrap().clone();
        match answer {
            Some(answer) => answer,
            None => self.memory.lease(accounts, holder, until, now).await,
        }
    }

    async fn release(&self, holder: Uuid) -> Result<(), StoreError> {
        self.memory.release(holder).await
    }

    async fn account_state(&self, account: Account) -> Result<AccountState, StoreError> {
        self.memory.account_state(account).await
    }

    async fn keep_account_state(
        &self,
        account: Account,
        state: &AccountState,
    ) -> Result<(), StoreError> {
        self.memory.keep_account_state(account, state).await
    }
}

#[tokio::test(start_paused = true)]
async fn of_two_workers_one_speaks_to_the_accounts() {
    let bench = Bench::new();
    let other_script: Arc<Script> = Arc::default();
    let one = bench.start();
    sleep(SECOND).await;
    let other = bench.start_with(&other_script, Arc::clone(&bench.stores.faulty.memory) as _);
    for n in 0..40 {
        bench
            .put(&format!("person{n}@example.com"), INDIVIDUAL)
            .await;
        // By then, the leases were renewed.
        sleep(10 * SECOND).await;
    }
    bench.until_idle().await;
    assert_eq!(bench.script.asked(Old).len(), 40);
    assert_eq!(other_script.asked(Old).len(), 0);

    // A stopped worker releases the accounts.
    one.stop().await;
    let left = Instant::now();
    bench.put(ADA, "{}").await;
    bench.until_idle().await;
    assert_eq!(other_script.asked(Old).len(), 1);
    assert!(left.elapsed() < 10 * SECOND, "{:?}", left.elapsed());
    other.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_loses_the_lease_stops_calling_at_once() {
    let bench = Bench::new();
    let leases = Leases::of(&bench);
    let worker = bench.start_with(&bench.script, Arc::clone(&leases) as _);
    bench.script.treat(Old, Treatment::Slow(HOUR));
    bench.put(ADA, "{}").await;
    bench.put(BOB, "{}").await;
    bench.until_under_way(2).await;
    sleep(SECOND).await;
    leases.answer(Some(Ok(false)));
    let lost = Instant::now();
    bench.until_under_way(0).await;
    assert!(lost.elapsed() <= bench.settings.lease.renew_every + SECOND);
    sleep(HOUR).await;
    assert_eq!(bench.script.asked(Old).len(), 2);
    let rows = bench.rows(false).await;
    assert!(rows.iter().all(|row| row.next_at <= (bench.clock)()));
    assert!(rows.iter().all(|row| row.last_error.is_none()), "{rows:?}");

    leases.answer(None);
    bench.script.relent(Old);
    bench.until_idle().await;
    worker.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_cannot_be_renewed_is_relied_on_until_shortly_before_its_end() {
    let bench = Bench::new();
    let leases = Leases::of(&bench);
    let worker = bench.start_with(&bench.script, Arc::clone(&leases) as _);
    bench.script.treat(Old, Treatment::Slow(HOUR));
    bench.put(ADA, "{}").await;
    bench.until_under_way(1).await;
    let away = StoreError::Unavailable("away".to_owned());
    leases.answer(Some(Err(away)));
    let away_since = Instant::now();
    bench.until_under_way(0).await;
    let relied_on = away_since.elapsed();
    assert!(relied_on < bench.settings.lease.length, "{relied_on:?}");
    assert!(relied_on > bench.settings.lease.length / 2, "{relied_on:?}");
    worker.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_slow_call_keeps_its_task() {
    let bench = Bench::new();
    let worker = bench.start();
    bench
        .script
        .treat(Old, Treatment::Slow(5 * Duration::from_mins(1)));
    bench.put(ADA, "{}").await;
    bench.until_idle().await;
    assert_eq!(bench.script.asked(Old).len(), 1);
    worker.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_the_call_that_is_under_way_and_gives_the_rest_back() {
    let bench = Bench::new();
    for n in 0..10 {
        bench.put(&format!("person{n}@example.com"), "{}").await;
    }
    let worker = bench.start();
    bench.until_under_way(4).await;
    worker.stop().await;
    assert_eq!(bench.script.asked(Old).len(), 4);
    let rows = bench.rows(false).await;
    assert_eq!(rows.len(), 6, "what was under way was done");
    assert!(rows.iter().all(|row| row.next_at <= (bench.clock)()));
    let (now, lease) = ((bench.clock)(), time::Duration::MINUTE);
    let leased = bench
        .memory()
        .lease(&[Old, New], Uuid::max(), now + lease, now);
    assert_eq!(leased.await, Ok(true));
}
