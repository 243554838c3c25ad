//! The order of the event log with several writers, and in another server.

use std::{collections::HashMap, time::Duration};

use diesel_async::SimpleAsyncConnection;
use domain::{
    posting::{
        Lifetime, PutPosting,
        event::{COMPANY_UPDATED, JOB_POSTING_CREATED, PUBLIC},
    },
    store::{Reads as _, Store},
    testing::{commit_events, create, push, renaming},
    usecase,
};
use fields::Patch;
use kernel::event::Event;
use kernel::{
    Prefixes, StoreError,
    event::{Cursor, EventLog, LogError, LogPage, LogQuery, Subject},
    testing::noon,
};
use tokio::task::JoinSet;

use super::{
    another, company, concurrency::two, fixture, number, posting, run, texts, until_waiting,
};
use crate::PostgresStore;

async fn page(store: &PostgresStore, after: Option<Cursor>, limit: usize) -> LogPage {
    let query = LogQuery {
        after,
        names: PUBLIC.to_vec(),
        prefixes: Prefixes::ALL,
        reader: None,
        limit,
    };
    store.read(&query).await.unwrap()
}

async fn walk(store: &PostgresStore, after: Option<Cursor>) -> (Vec<Event>, Cursor) {
    let mut events = Vec::new();
    let mut after = after;
    loop {
        let page = page(store, after, 7).await;
        events.extend(page.events.into_iter().map(|recorded| recorded.event));
        if !page.has_more {
            return (events, page.next);
        }
        after = Some(page.next);
    }
}

/// Reads until there are this many events after a cursor. An older transaction that is still
/// running may hide them.
async fn walk_until(store: &PostgresStore, after: Option<Cursor>, many: usize) -> Vec<Event> {
    loop {
        let (events, _) = walk(store, after).await;
        if events.len() >= many {
            return events;
        }
    }
}

/// Repeats the push while another process interferes.
async fn put(store: &PostgresStore, puts: &[PutPosting]) {
    loop {
        match usecase::ingest(store, puts, Lifetime::days(60), noon()).await {
            Ok(answers) => {
                assert!(answers.iter().all(Result::is_ok), "{answers:?}");
                return;
            }
            Err(StoreError::Conflict) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

const PUSHES: u32 = 40;

const SHARED: u32 = 8;

/// A writer's pushes: its own postings, and sometimes a posting and a company that all share.
fn pushes(writer: u32, n: u32) -> Vec<PutPosting> {
    let name = format!("Company {writer} {n}");
    let push = |identifier: &str, company: &str| {
        let mut put = create(identifier, company);
        put.patch.title = Patch::Set(name.clone());
        renaming(put, &name)
    };
    let own = push(&format!("own-{writer}-{}", n / 4), &format!("own-{writer}"));
    if n.is_multiple_of(PUSHES / SHARED) {
        vec![push("shared", "shared"), own]
    } else {
        vec![own]
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_walk_sees_every_event_once_and_in_order() {
    let (database, one, other) = two().await;
    put(&one, &[create("shared", "shared")]).await;
    let slow = another(&database).await;
    let stores = [
        another(&database).await,
        another(&database).await,
        another(&database).await,
    ];
    let (done, is_done) = tokio::sync::watch::channel(false);
    let mut readers = JoinSet::new();
    for store in stores {
        let is_done = is_done.clone();
        readers.spawn(async move {
            let (mut events, mut after) = (Vec::new(), None);
            loop {
                let was_done = *is_done.borrow();
                let (more, next) = walk(&store, after).await;
                let was_more = !more.is_empty();
                events.extend(more);
                after = Some(next);
                if was_done && !was_more && all_are_read(&store, next).await {
                    return events;
                }
            }
        });
    }
    let mut writers = JoinSet::new();
    for writer in 0..8 {
        let store = if writer % 2 == 0 { &one } else { &other }.clone();
        writers.spawn(async move {
            for n in 0..PUSHES {
                put(&store, &pushes(writer, n)).await;
            }
        });
    }
    // The commits of this writer end after later ones.
    writers.spawn(async move {
        for _ in 0..5 {
            let commit = "BEGIN; \
                INSERT INTO events (commit_seq, at, name, subject, source_identifier, version, status) \
                SELECT pg_current_xact_id()::text::bigint, now(), 'JobPostingUpdated', \
                gen_random_uuid(), 'slow', 1, 'approved'; \
                SELECT pg_sleep(0.3); COMMIT";
            run(&slow, commit).await;
        }
    });
    writers.join_all().await;
    done.send_replace(true);
    let walks = readers.join_all().await;
    let all = number(&one, "SELECT count(*) AS value FROM events").await;
    let (again, _) = walk(&one, None).await;
    assert_eq!(i64::try_from(again.len()), Ok(all));
    for events in &walks {
        assert!(*events == again, "a walk beside writers saw something else");
    }

    let mut versions = HashMap::new();
    let mut names = HashMap::new();
    for event in &again {
        match &event.subject {
            Subject::Posting(state) => {
                let before = versions.insert(state.id, state.version);
                let before = before.unwrap_or_default();
                assert!(before <= state.version, "{before} before {state:?}");
            }
            Subject::Company(company) => {
                names.insert(company.id, company.name.clone());
            }
            other => panic!("{other:?}"),
        }
    }
    let shared = "SELECT version AS value FROM postings WHERE source_identifier = 'shared'";
    assert_eq!(number(&one, shared).await, i64::from(8 * SHARED) + 1);
    let ids: Vec<_> = names.keys().copied().collect();
    let known = one.load(&[], &ids).await.unwrap();
    for (id, name) in names {
        assert_eq!(known.companies[&id].name, name);
    }
}

async fn all_are_read(store: &PostgresStore, cursor: Cursor) -> bool {
    let Cursor {
        transaction,
        sequence,
    } = cursor;
    let ahead = format!(
        "SELECT count(*) AS value FROM events WHERE (commit_seq, number) > ({transaction}, {sequence})"
    );
    number(store, &ahead).await == 0
}

fn event(n: u128) -> Event {
    Event {
        name: JOB_POSTING_CREATED,
        subject: Subject::Posting((&posting(n, company().id)).into()),
        at: noon(),
        trace: None,
    }
}

#[tokio::test]
async fn an_event_waits_for_transactions_that_began_before_it() {
    let (database, store) = fixture().await;
    commit_events(&store, vec![event(1)]).await.unwrap();
    let before = EventLog::end(&store).await.unwrap();
    let other = another(&database).await;
    let mut early = other.connections.get().await.unwrap();
    early
        .batch_execute(
            "BEGIN; INSERT INTO events (commit_seq, at, name, subject) \
             SELECT pg_current_xact_id()::text::bigint, now(), 'CompanyUpdated', gen_random_uuid()",
        )
        .await
        .unwrap();
    let mut writes = domain::store::WriteSet::new(noon());
    writes.tasks.events.push(event(2));
    store.commit(writes).await.unwrap();
    // The later event is committed, but not visible yet.
    let committed = "SELECT count(*) AS value FROM events";
    assert_eq!(number(&store, committed).await, 2);
    assert_eq!(walk(&store, Some(before)).await, (Vec::new(), before));
    assert_eq!(EventLog::end(&store).await, Ok(before));
    assert_eq!(
        store.cursor_at(noon() + Duration::from_hours(1)).await,
        Ok(before)
    );
    let forgotten = EventLog::forget(&store, noon() + Duration::from_hours(1), 9).await;
    assert_eq!(forgotten, Ok(1), "only what can be read");
    early.batch_execute("COMMIT").await.unwrap();
    let events = walk_until(&store, Some(before), 2).await;
    let names: Vec<_> = events.iter().map(|event| event.name.clone()).collect();
    assert_eq!(names, [COMPANY_UPDATED, JOB_POSTING_CREATED]);
}

/// The first commit locked a posting, so it has the lower transaction id. It waits for another
/// posting, so it is written last.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_that_waited_is_later_in_the_log() {
    let (database, store, other) = two().await;
    put(&store, &["a", "b", "c"].map(|id| create(id, "acme"))).await;
    let rename = |posting: &str, name: &str| {
        let company = format!(r#"{{"name":"{name}","website_url":"https://acme.example"}}"#);
        push(
            posting,
            &format!(r#"{{"title":"{name}","company":{company}}}"#),
        )
    };
    let blocker = another(&database).await;
    let mut lock = blocker.connections.get().await.unwrap();
    lock.batch_execute(
        "BEGIN; SELECT FROM postings WHERE id = \
         (SELECT max(id::text)::uuid FROM postings WHERE source_identifier <> 'c') \
         FOR NO KEY UPDATE",
    )
    .await
    .unwrap();
    let puts = ["a", "b"].map(|posting| rename(posting, "Acme last"));
    let first = store.clone();
    let first = tokio::spawn(async move { put(&first, &puts).await });
    let observer = another(&database).await;
    until_waiting(&observer, 1).await;
    put(&other, &[rename("c", "Acme first")]).await;
    lock.batch_execute("ROLLBACK").await.unwrap();
    first.await.unwrap();
    let mut names = Vec::new();
    while names.len() < 2 {
        let (events, _) = walk(&store, None).await;
        names = events
            .iter()
            .filter_map(|event| match &event.subject {
                Subject::Company(company) => Some(company.name.clone()),
                _ => None,
            })
            .collect();
    }
    assert_eq!(names, ["Acme first", "Acme last"]);
    let stored = texts(&store, "SELECT name AS value FROM companies").await;
    assert_eq!(stored, ["Acme last"]);
}

/// As after restoring a dump, stored places are far above the server's transaction ids.
#[tokio::test]
async fn new_events_follow_those_of_another_server() {
    const FAR: i64 = 1 << 40;
    for stored in [
        "UPDATE events SET commit_seq = commit_seq + 1099511627776",
        "DELETE FROM events; \
         UPDATE event_log SET deleted_in = 1099511627776, deleted_number = 1",
    ] {
        let (database, store) = fixture().await;
        put(&store, &[create("a", "acme")]).await;
        run(&store, stored).await;
        let offset = "SELECT transaction_offset AS value FROM event_log";
        assert_eq!(number(&store, offset).await, 0);
        drop(store);

        let store = another(&database).await;
        assert!(number(&store, offset).await > FAR / 2, "{stored}");
        let stored_events = number(&store, "SELECT count(*) AS value FROM events").await;
        let before = walk_until(&store, None, usize::try_from(stored_events).unwrap()).await;
        let end = EventLog::end(&store).await.unwrap();
        put(&store, &[push("a", r#"{"company":{"name":"Acme AB"}}"#)]).await;
        let events = walk_until(&store, Some(end), 1).await;
        let names: Vec<_> = events.iter().map(|event| event.name.clone()).collect();
        assert_eq!(names, [COMPANY_UPDATED], "{stored}");
        let all = walk(&store, None).await.0;
        assert_eq!(all, [before, events].concat(), "{stored}");
        assert!(EventLog::end(&store).await.unwrap() > end);

        // Places that were assigned after the dump are never used again.
        let undone = Cursor {
            transaction: end.transaction + 1_000,
            sequence: end.sequence + 1,
        };
        let query = LogQuery {
            after: Some(undone),
            names: PUBLIC.to_vec(),
            prefixes: Prefixes::ALL,
            reader: None,
            limit: 1,
        };
        assert_eq!(store.read(&query).await, Err(LogError::Gone));
        let place = EventLog::end(&store).await.unwrap().transaction;
        assert!(place >= end.transaction + (1 << 32), "{place}");

        // The offset is now right, so it stays.
        let raised = number(&store, offset).await;
        let again = another(&database).await;
        assert_eq!(number(&again, offset).await, raised);
    }
}

/// The statement that operators run after the server itself was reset to an earlier time.
const RESTORED: &str = "UPDATE event_log SET transaction_offset = transaction_offset + 4294967296";

#[tokio::test]
async fn a_server_that_went_back_gives_no_place_out_twice() {
    let (database, store) = fixture().await;
    put(&store, &[create("a", "acme")]).await;
    let before = walk_until(&store, None, 1).await;
    let kept = EventLog::end(&store).await.unwrap();
    run(&store, RESTORED).await;
    let store = another(&database).await;
    put(&store, &[create("b", "acme")]).await;
    let events = walk_until(&store, Some(kept), 1).await;
    assert_eq!(walk(&store, None).await.0, [before, events].concat());
    let place = EventLog::end(&store).await.unwrap().transaction;
    assert!(place >= kept.transaction + (1 << 32), "{place}");
    let lost = LogQuery {
        after: Some(Cursor {
            transaction: kept.transaction + 1,
            sequence: kept.sequence + 1,
        }),
        names: PUBLIC.to_vec(),
        prefixes: Prefixes::ALL,
        reader: None,
        limit: 1,
    };
    assert_eq!(store.read(&lost).await, Err(LogError::Gone));
}
