//! The newsletter follows the event log, and old events are deleted.

use ::newsletter::{
    subscriber::SubscriberId,
    tasks::CONSUMER,
    testing::{email, report, subscriber_id},
    usecase::put_subscribers,
};
use domain::{posting::event::JOB_POSTING_CREATED, store::WriteSet};
use kernel::{
    event::{Event, Subject},
    testing::uuid,
};

use super::*;
use crate::testing::is_heard;

const MEMBER: &str = r#"{"membership":{"plan_category":"individual","status":"active"}}"#;
const SECOND: Duration = Duration::from_secs(1);

fn broken() -> StoreError {
    StoreError::Broken("a row that nobody can read".to_owned())
}

impl Bench {
    /// Reports people whose membership raises an event; returns their ids.
    async fn report(&self, names: &[&str]) -> Vec<SubscriberId> {
        let addresses = names.iter().map(|name| format!("{name}@example.com"));
        let addresses: Vec<_> = addresses.collect();
        let reports: Vec<_> = addresses.iter().map(|it| report(it, MEMBER)).collect();
        let reported = put_subscribers(&*self.waking, &reports, (self.clock)()).await;
        assert!(reported.unwrap().iter().all(|it| it.is_new));
        addresses.iter().map(|it| subscriber_id(it)).collect()
    }

    /// Whether there is a sync of everybody of these.
    async fn syncs(&self, people: &[SubscriberId]) -> bool {
        let rows = self.rows(false).await;
        let has_task = |id: &SubscriberId| rows.iter().any(|row| row.key == id.uuid());
        people.iter().all(has_task)
    }

    async fn until_syncs(&self, people: &[SubscriberId]) {
        eventually("they are to be synced", async || self.syncs(people).await).await;
    }

    async fn until_heard(&self) {
        let log = self.memory();
        eventually("the newsletter has passed all", async || {
            is_heard(log).await
        })
        .await;
    }

    async fn kept(&self) -> Option<kernel::event::Cursor> {
        EventLog::cursor(self.memory(), CONSUMER).await.unwrap()
    }
}

#[tokio::test(start_paused = true)]
async fn a_commit_wakes_the_newsletter() {
    let mut bench = Bench::new();
    bench.settings.poll_every = Duration::from_hours(1);
    let worker = bench.start();
    sleep(SECOND).await;
    let people = bench.report(&["ann", "bo"]).await;
    bench.until_syncs(&people).await;
    bench.until_heard().await;
    worker.stop().await;
}

#[tokio::test(start_paused = true)]
async fn an_event_of_another_process_is_found_and_passed() {
    let mut bench = Bench::new();
    bench.settings.poll_every = SECOND;
    let workers = [bench.start(), bench.start()];
    sleep(SECOND).await;
    // Commits that wake no worker, also with events that the newsletter does not want.
    let (reports, now) = ([report("ann@example.com", MEMBER)], (bench.clock)());
    let puts = [create("a", "acme")];
    let pushed = usecase::ingest(bench.memory(), &puts, bench.lifetime, now).await;
    assert!(pushed.unwrap()[0].is_ok());
    put_subscribers(bench.memory(), &reports, now)
        .await
        .unwrap();
    let end = EventLog::end(bench.memory()).await.unwrap();
    bench.until_syncs(&[subscriber_id("ann@example.com")]).await;
    sleep(2 * SECOND).await;
    // The posting's enrichment has raised further events.
    assert!(bench.kept().await >= Some(end));
    for worker in workers {
        worker.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_event_that_always_fails_is_passed_and_holds_up_nobody() {
    let bench = Bench::new();
    let people = bench.report(&["ann", "bo", "cy"]).await;
    bench.store.poison_person(people[1], broken());
    let worker = bench.start();
    bench.until_syncs(&[people[0], people[2]]).await;
    // Until it is given up, the kept cursor is before it.
    assert!(!is_heard(bench.memory()).await);
    let later = bench.report(&["dora"]).await;
    bench.until_syncs(&later).await;
    sleep(60 * SECOND).await;
    assert!(is_heard(bench.memory()).await);
    assert!(!bench.syncs(&people[1..2]).await);
    worker.stop().await;
}

#[tokio::test(start_paused = true)]
async fn an_event_that_waits_for_a_lock_is_not_passed() {
    let bench = Bench::new();
    let people = bench.report(&["ann", "bo"]).await;
    bench
        .store
        .poison_person(people[0], StoreError::Locked("a row".to_owned()));
    let worker = bench.start();
    bench.until_syncs(&people[1..]).await;
    sleep(3600 * SECOND).await;
    assert!(!is_heard(bench.memory()).await);
    bench.store.heal();
    sleep(20 * SECOND).await;
    bench.until_syncs(&people).await;
    bench.until_heard().await;
    worker.stop().await;
}

/// It may be the fault of the store, and not of the events.
#[tokio::test(start_paused = true)]
async fn no_event_is_passed_while_all_fail() {
    for error in [broken(), StoreError::Unavailable("away".to_owned())] {
        let bench = Bench::new();
        let people = bench.report(&["ann", "bo"]).await;
        for person in &people {
            bench.store.poison_person(*person, error.clone());
        }
        let worker = bench.start();
        sleep(3600 * SECOND).await;
        assert!(!is_heard(bench.memory()).await);
        bench.store.heal();
        // The longest wait.
        sleep(20 * SECOND).await;
        bench.until_syncs(&people).await;
        bench.until_heard().await;
        worker.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn the_newsletter_goes_on_after_events_that_were_deleted() {
    let bench = Bench::new();
    bench.report(&["ann", "bo"]).await;
    let first = kernel::event::Cursor::START;
    let moved = bench.memory().move_cursor(CONSUMER, None, first).await;
    assert_eq!(moved, Ok(true));
    let now = (bench.clock)() + time::Duration::SECOND;
    let deleted = bench.memory();
    assert_eq!(EventLog::forget(deleted, now, 1).await, Ok(1));
    let worker = bench.start();
    let bo = ::newsletter::store::Store::load(bench.memory(), &[email("bo@example.com")]).await;
    let bo = bo.unwrap()[&email("bo@example.com")].id;
    bench.until_syncs(&[bo]).await;
    bench.until_heard().await;
    worker.stop().await;
}

#[tokio::test(start_paused = true)]
async fn old_events_are_deleted() {
    let mut bench = Bench::new();
    bench.settings.keep_events = Duration::from_hours(48);
    let now = (bench.clock)();
    for (hours, count) in [(100, 12_000), (49, 1), (47, 1), (0, 1)] {
        let at = now - time::Duration::hours(hours);
        let mut writes = WriteSet::new(at);
        writes.tasks.events = (0..count)
            .map(|n| Event {
                name: JOB_POSTING_CREATED,
                subject: Subject::Other(uuid(n)),
                at,
                trace: None,
            })
            .collect();
        bench.memory().commit(writes).await.unwrap();
    }
    let worker = bench.start();
    eventually("the old ones are gone", async || {
        let query = kernel::event::LogQuery {
            after: None,
            names: vec![JOB_POSTING_CREATED],
            prefixes: kernel::Prefixes::ALL,
            limit: usize::MAX,
        };
        bench.memory().read(&query).await.unwrap().events.len() == 2
    })
    .await;
    worker.stop().await;
}
