use std::{cell::RefCell, future::pending, sync::Arc};

use kernel::testing::noon;
use newsletter::{
    store::{SubscriberWrite, WriteSet},
    subscriber::SubscriberId,
    testing::{MemoryStore, email, report},
    usecase::put_subscribers,
};
use tokio::time::sleep;

use super::*;
use crate::testing::FaultyStore;

fn address(n: usize) -> String {
    format!("person{n:04}@example.com")
}

async fn store(people: usize) -> Arc<FaultyStore> {
    let store = FaultyStore::new();
    let puts: Vec<_> = (0..people).map(|n| report(&address(n), "{}")).collect();
    put_subscribers(&*store.memory, &puts, noon())
        .await
        .unwrap();
    store
}

fn mover(store: &FaultyStore, requests_per_minute: u32) -> Launch<'_> {
    Launch {
        store,
        outbox: &*store.memory,
        clock: Arc::new(noon),
        source: MigrationSource::Launch,
        requests_per_minute: requests_per_minute.try_into().unwrap(),
    }
}

async fn unmigrated(memory: &MemoryStore) -> u64 {
    usecase::count_to_move(memory).await.unwrap()
}

/// Returns three counts of moves (started, done, with unknown result), and the time of each move.
async fn drive(mover: &Launch<'_>, people: People<'_>) -> ([u32; 3], Vec<Duration>) {
    let (mut tally, mut times, start) = ([0; 3], Vec::new(), Instant::now());
    let settle = |_: &Email, migration| {
        tally[match migration {
            Migration::Started => 0,
            Migration::Unchanged => 1,
            Migration::Unknown => 2,
        }] += 1;
        times.push(start.elapsed());
    };
    let end = mover.run(people, pending(), settle).await.unwrap();
    assert_eq!(end, LaunchEnd::Complete);
    (tally, times)
}

#[tokio::test(start_paused = true)]
async fn everybody_moves_no_faster_than_the_account_takes_it() {
    let store = store(250).await;
    let people = People::everybody(&*store.memory);
    let (tally, times) = drive(&mover(&store, 120), people).await;
    assert_eq!(tally, [250, 0, 0]);
    assert_eq!(unmigrated(&store.memory).await, 0);
    // Each move needs two requests, and 120 a minute are allowed.
    for minute in 0..5 {
        let start = Duration::from_mins(minute);
        let within = start..start + Duration::from_mins(1);
        let moved = times.iter().filter(|at| within.contains(*at)).count();
        assert!(moved <= 60, "{moved} in minute {minute}");
    }
    let last = times.last().unwrap();
    assert!(*last < Duration::from_mins(5), "nor slower: {last:?}");
}

#[tokio::test(start_paused = true)]
async fn a_short_list_moves_at_once() {
    let store = store(50).await;
    let emails: Vec<_> = (0..50).map(|n| email(&address(n))).collect();
    let people = People::Named(emails.into_iter());
    let (tally, times) = drive(&mover(&store, 120), people).await;
    assert_eq!(tally, [50, 0, 0]);
    assert!(times.iter().all(|at| *at < Duration::from_secs(1)));
}

#[tokio::test(start_paused = true)]
async fn who_has_moved_or_is_unknown_costs_no_time() {
    let store = store(3).await;
    let everybody = People::everybody(&*store.memory);
    drive(&mover(&store, 120), everybody).await;
    settle_moves(&store.memory, |_| MoveResult::Done).await;
    let names = [address(1), "nobody@example.com".to_owned(), address(2)];
    let emails: Vec<_> = names.iter().map(|name| email(name)).collect();
    let people = People::Named(emails.into_iter());
    let (tally, times) = drive(&mover(&store, 1), people).await;
    assert_eq!(tally, [0, 2, 1]);
    assert!(times.iter().all(|at| *at < Duration::from_secs(1)));
}

#[tokio::test(start_paused = true)]
async fn it_stops_between_batches_and_goes_on_from_there() {
    let store = store(100).await;
    let moved = RefCell::new(0);
    let stop = sleep(Duration::from_secs(90));
    let people = People::everybody(&*store.memory);
    let end = mover(&store, 60)
        .run(people, stop, |_, _| *moved.borrow_mut() += 1)
        .await
        .unwrap();
    assert_eq!((end, moved.take()), (LaunchEnd::Stopped, 60));
    assert_eq!(unmigrated(&store.memory).await, 40);
    let people = People::everybody(&*store.memory);
    let (tally, _) = drive(&mover(&store, 60), people).await;
    assert_eq!(tally, [40, 0, 0]);
}

#[tokio::test(start_paused = true)]
async fn others_writes_are_no_failure() {
    let store = store(2).await;
    store.fail_next(vec![StoreError::Conflict; 3]);
    let people = People::everybody(&*store.memory);
    let (tally, _) = drive(&mover(&store, 120), people).await;
    assert_eq!(tally, [2, 0, 0]);
}

enum MoveResult {
    GivenUp,
    FindsNobody,
    Done,
}

async fn settle_moves(memory: &MemoryStore, fate: impl Fn(usize) -> MoveResult) {
    let (hour, lease) = (time::Duration::HOUR, uuid::Uuid::max());
    let claimed = memory
        .claim(newsletter::tasks::MIGRATE, 10_000, hour, lease, noon())
        .await;
    for (nth, task) in claimed.unwrap().into_iter().enumerate() {
        let fate = fate(nth);
        if matches!(fate, MoveResult::GivenUp) {
            memory.give_up(task.token, "422", noon()).await.unwrap();
            continue;
        }
        let id = SubscriberId::new(task.effect.key());
        let known = memory.load_by_id(&[id]).await.unwrap();
        let mut subscriber = known[&id].clone();
        let expected = subscriber.version;
        subscriber.version += 1;
        let migrated = subscriber.migrated.as_mut().unwrap();
        (migrated.arrived, migrated.was_found) = (true, matches!(fate, MoveResult::Done));
        let mut writes = WriteSet::new(noon());
        let write = SubscriberWrite {
            expected: Some(expected),
            subscriber,
        };
        writes.subscribers.insert(id, write);
        writes.tasks.done.push(task.token);
        memory.commit(writes).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn it_stops_by_itself_when_too_many_moves_fail_or_find_no_one() {
    let store = store(300).await;
    let mover = mover(&store, 120);
    let people = People::everybody(&*store.memory);
    let work = async {
        loop {
            sleep(Duration::from_secs(10)).await;
            let fate = |nth| match nth % 20 {
                0 => MoveResult::GivenUp,
                1 => MoveResult::FindsNobody,
                _ => MoveResult::Done,
            };
            settle_moves(&store.memory, fate).await;
        }
    };
    let end = tokio::select! {
        end = mover.run(people, pending(), |_, _| {}) => end.unwrap(),
        () = work => unreachable!(),
    };
    let LaunchEnd::TooManyFailed(outcome) = end else {
        panic!("{end:?}");
    };
    assert_eq!((outcome.failed, outcome.nobody), (3, 3));
    let text = outcome.to_string();
    assert!(text.starts_with("6 of "), "{text}");
    assert_eq!(unmigrated(&store.memory).await, 240, "one batch has gone");
}

#[tokio::test(start_paused = true)]
async fn it_does_not_run_far_ahead_of_the_workers() {
    let store = store(300).await;
    let mover = mover(&store, 20);
    let people = People::everybody(&*store.memory);
    let drive = mover.run(people, sleep(Duration::from_hours(24)), |_, _| {});
    assert_eq!(drive.await.unwrap(), LaunchEnd::Stopped);
    // Batches have ten moves, and no worker runs.
    assert_eq!(unmigrated(&store.memory).await, 300 - 110);
}
