//! The event log: limited pages, concurrent readers and writers, and deletion.

use std::time::Duration;

use domain::store::{Store, WriteSet};
use kernel::{
    Prefixes,
    event::{Cursor, EventLog, LogError, LogPage, LogQuery},
    testing::{minutes, noon},
};
use sql_common::{
    event::MOST_LOOKED_AT,
    testing::{
        Shell,
        sample::{self, TOLD},
    },
};
use tokio::task::JoinHandle;

use super::{fixture, place, processes::two};
use crate::{SqliteStore, inspect, prepare_restored};

fn raising(subjects: impl IntoIterator<Item = u128>) -> WriteSet {
    let mut writes = WriteSet::new(noon());
    writes.tasks.events = subjects.into_iter().map(sample::event).collect();
    writes
}

const fn numbered(sequence: u64) -> Cursor {
    Cursor {
        transaction: 0,
        sequence,
    }
}

async fn read(store: &SqliteStore, after: Option<Cursor>) -> LogPage {
    let query = LogQuery {
        after,
        names: vec![TOLD],
        prefixes: Prefixes::ALL,
        reader: None,
        limit: 10,
    };
    store.read(&query).await.unwrap()
}

fn subjects(page: &LogPage) -> Vec<u128> {
    let events = page.events.iter();
    events
        .map(|recorded| recorded.event.subject.id().as_u128())
        .collect()
}

/// Writes events with these numbers, all at noon. No reader wants them.
async fn fill(store: &SqliteStore, from: u64, to: u64) {
    let fill = format!(
        "INSERT INTO events (number, at, name, subject) \
         WITH RECURSIVE rows (n) AS (SELECT {from} UNION ALL SELECT n + 1 FROM rows WHERE n < {to}) \
         SELECT n, {}, 'Other', zeroblob(16) FROM rows",
        noon().unix_timestamp_nanos() / 1_000
    );
    store.batch(&fill).await.unwrap();
}

/// An operator may have deleted events.
#[tokio::test]
async fn numbers_may_be_missing() {
    let (_dir, store) = fixture().await;
    let most = MOST_LOOKED_AT as u64;
    fill(&store, 2, 3).await;
    fill(&store, 7, 7).await;
    fill(&store, 3 * most, 3 * most).await;
    store.commit(raising([7])).await.unwrap();
    let mut after = None;
    let mut pages = 0;
    let last = loop {
        let page = read(&store, after).await;
        pages += 1;
        if !page.has_more {
            break page;
        }
        assert!(after < Some(page.next), "{after:?}");
        after = Some(page.next);
    };
    assert_eq!((subjects(&last), pages), (vec![7], 2));

    let late = minutes(1);
    assert_eq!(store.cursor_at(noon() + late).await, Ok(last.next));
    assert_eq!(store.cursor_at(noon() - late).await, Ok(Cursor::START));
    let later = format!("UPDATE events SET at = at + 120000000 WHERE number >= {most}");
    store.batch(&later).await.unwrap();
    assert_eq!(store.cursor_at(noon() + late).await, Ok(numbered(7)));
    assert_eq!(store.forget(noon() + late, 99).await, Ok(3));
    assert_eq!(store.cursor_at(noon()).await, Ok(numbered(7)));
}

/// A commit may come after another commit that was decided later.
#[tokio::test]
async fn a_place_in_time_allows_for_disorder() {
    let (_dir, store) = fixture().await;
    for (n, second) in [(1, 0), (2, 6), (3, 3), (4, 4), (5, 9), (6, 60)] {
        let mut writes = raising([n]);
        writes.tasks.events[0].at += time::Duration::seconds(second);
        store.commit(writes).await.unwrap();
    }
    for (second, last) in [(0, 0), (5, 1), (7, 4), (60, 5), (61, 6)] {
        let at = noon() + time::Duration::seconds(second);
        assert_eq!(store.cursor_at(at).await, Ok(numbered(last)), "{second}");
    }
}

/// The deletion uses several transactions, so that other writers can write in between.
#[tokio::test]
async fn many_old_events_are_deleted_by_parts() {
    let (_dir, store) = fixture().await;
    fill(&store, 1, 2_500).await;
    store.commit(raising([7])).await.unwrap();
    let after = noon() + minutes(1);
    assert_eq!(store.forget(after, 2_200).await, Ok(2_200));
    let deleted = "SELECT deleted_number FROM event_log";
    assert_eq!(store.number(deleted).await, 2_200);
    let query = |after| LogQuery {
        after: Some(after),
        names: vec![TOLD],
        prefixes: Prefixes::ALL,
        reader: None,
        limit: 10,
    };
    let gone = store.read(&query(numbered(2_199))).await;
    assert_eq!(gone, Err(LogError::Gone));
    assert_eq!(subjects(&read(&store, Some(numbered(2_200))).await), [7]);
    assert_eq!(store.forget(noon(), 99).await, Ok(0));
    assert_eq!(store.forget(after, usize::MAX).await, Ok(301));
    assert_eq!(store.number(deleted).await, 2_501);
}

/// Readers' cursors may be after the end of the restored database. Readers may have acted on events
/// between backup and restore, so no number is used again.
#[tokio::test]
async fn a_restored_log_goes_on_behind_all_numbers_that_were_given_out() {
    let (dir, store) = fixture().await;
    for n in [1, 2] {
        store.commit(raising([n])).await.unwrap();
    }
    let copy = dir.path().join("50% of #1?.db");
    store.copy_into(&copy).await.unwrap();
    store.commit(raising([3])).await.unwrap();
    assert_eq!(inspect(&copy).unwrap().rows["events"], 2);
    prepare_restored(&copy).unwrap();
    let store = SqliteStore::open(&copy).unwrap();
    let lost = LogQuery {
        after: Some(numbered(3)),
        names: vec![TOLD],
        prefixes: Prefixes::ALL,
        reader: None,
        limit: 10,
    };
    assert_eq!(store.read(&lost).await, Err(LogError::Gone));
    store.commit(raising(3..=5)).await.unwrap();
    assert_eq!(store.read(&lost).await, Err(LogError::Gone));

    let kept = Some(numbered(2));
    let page = read(&store, kept).await;
    assert_eq!((subjects(&page), page.has_more), (vec![3, 4, 5], false));
    assert_eq!(page.next, numbered((1 << 32) + 5));
    assert_eq!(store.end().await, Ok(page.next));
    let old = read(&store, None).await;
    assert_eq!((subjects(&old), old.has_more), (vec![1, 2], true));
    assert_eq!(read(&store, Some(old.next)).await, page);
    assert_eq!(store.cursor_at(noon() + minutes(1)).await, Ok(page.next));
    assert_eq!(store.forget(noon() + minutes(1), 4).await, Ok(4));
    assert_eq!(subjects(&read(&store, None).await), [5]);

    // A cursor with a transaction comes from a store of the other kind.
    let foreign = LogQuery {
        after: Some(Cursor {
            transaction: 1,
            sequence: 0,
        }),
        ..lost
    };
    assert_eq!(store.read(&foreign).await, Err(LogError::Gone));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_misses_nothing_of_several_writers() {
    const EACH: u128 = 60;
    let (_dir, one, other) = two().await;
    let write = |store: SqliteStore, from: u128| {
        tokio::spawn(async move {
            for n in 0..EACH {
                let first = from + 2 * n;
                store.commit(raising([first, first + 1])).await.unwrap();
            }
        })
    };
    let writers = [write(one.clone(), 1_000), write(other.clone(), 2_000)];
    let mut seen = Vec::new();
    let mut after = None;
    loop {
        let is_over = writers.iter().all(JoinHandle::is_finished);
        let page = read(&one, after).await;
        seen.extend(subjects(&page));
        after = Some(page.next);
        if is_over && !page.has_more {
            break;
        }
        tokio::task::yield_now().await;
    }
    for writer in writers {
        writer.await.unwrap();
    }
    for from in [1_000, 2_000] {
        let of_one = seen.iter().filter(|n| (from..from + 1_000).contains(*n));
        assert!(of_one.copied().eq(from..from + 2 * EACH), "{seen:?}");
    }
    assert_eq!(other.end().await.ok(), after);
}

#[tokio::test]
async fn readers_do_not_take_the_write_lock() {
    let (_dir, path) = place();
    let store = SqliteStore::open_with(&path, Duration::from_millis(50)).unwrap();
    store.migrate().await.unwrap();
    store.commit(raising([7])).await.unwrap();
    let first = numbered(1);

    let _blocker = super::writing(&store);
    assert_eq!(subjects(&read(&store, None).await), [7]);
    assert_eq!(store.end().await, Ok(first));
    assert_eq!(store.cursor_at(noon()).await, Ok(Cursor::START));
    assert_eq!(store.forget(noon(), 10).await, Ok(0));
}
