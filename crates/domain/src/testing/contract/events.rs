//! The event log: recorded with a commit, read by cursor, deleted by age.

use std::collections::HashMap;

use kernel::{
    DecisionCode, EventDecision, Ground, PostingId, Prefixes, Status,
    event::{
        Cursor, Event, EventLog, EventName, LogError, LogPage, LogQuery, PostingState, Subject,
    },
    testing::{Checked, identifier, minutes, noon, uuid},
    trace::TraceParent,
};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{companies::find, put};
use crate::{
    company::Company,
    posting::{
        PutPosting,
        event::{COMPANY_UPDATED, JOB_POSTING_CREATED, JOB_POSTING_REJECTED},
    },
    store::{Store, WriteSet},
    testing::{company, company_state, company_write, create, renaming},
};

const TOLD: EventName = EventName::new("Told");

fn event(n: u128, at: OffsetDateTime) -> Event {
    Event {
        name: TOLD,
        subject: Subject::Other(Uuid::from_u128(n)),
        at,
        trace: None,
    }
}

/// Commits these events, and waits until they can be read. All earlier events must be readable.
pub async fn commit_events<S: Store + EventLog>(store: &S, events: Vec<Event>) -> Checked {
    let before = end(store).await?;
    let mut writes = WriteSet::new(noon());
    writes.tasks.events = events;
    store.commit(writes).await?;
    until_readable(store, before).await?;
    Ok(())
}

/// Waits until the log has grown. On a shared server, an event is readable only after the end of
/// all earlier transactions in any database.
pub(super) async fn until_readable<S: EventLog>(store: &S, before: Cursor) -> Checked {
    for _ in 0..100_000 {
        if end(store).await? > before {
            return Ok(());
        }
    }
    panic!("no event after {before} can be read");
}

/// Commits a marker, and waits until it is readable. Then all earlier events are readable, too.
pub(super) async fn until_all_readable<S: Store + EventLog>(store: &S) -> Checked {
    let marker = event(u128::MAX, noon());
    let mut writes = WriteSet::new(noon());
    writes.tasks.events = vec![marker.clone()];
    store.commit(writes).await?;
    for _ in 0..100_000 {
        if walk(store, None, &[TOLD]).await?.last() == Some(&marker) {
            return Ok(());
        }
    }
    panic!("the marker cannot be read");
}

pub(super) async fn put_events<S: Store + EventLog>(store: &S, puts: &[PutPosting]) -> Checked {
    let before = end(store).await?;
    put(store, puts).await?;
    until_readable(store, before).await?;
    Ok(())
}

/// Commits one event per number, a minute apart from noon.
pub async fn commit_each<S: Store + EventLog>(
    store: &S,
    numbers: impl IntoIterator<Item = u128>,
) -> Checked {
    for n in numbers {
        let minute = i64::try_from(n)?;
        commit_events(store, vec![event(n, noon() + minutes(minute))]).await?;
    }
    Ok(())
}

fn query(after: Option<Cursor>, names: &[EventName], limit: usize) -> LogQuery {
    LogQuery {
        after,
        names: names.to_vec(),
        prefixes: Prefixes::ALL,
        reader: None,
        limit,
    }
}

async fn read<S: EventLog>(
    store: &S,
    after: Option<Cursor>,
    names: &[EventName],
    limit: usize,
) -> Checked<LogPage> {
    Ok(store.read(&query(after, names, limit)).await?)
}

pub(super) async fn walk<S: EventLog>(
    store: &S,
    after: Option<Cursor>,
    names: &[EventName],
) -> Checked<Vec<Event>> {
    let mut events = Vec::new();
    let mut after = after;
    loop {
        let page = read(store, after, names, 2).await?;
        assert!(page.events.len() <= 2);
        assert!(after <= Some(page.next), "a cursor never goes back");
        events.extend(page.events.into_iter().map(|recorded| recorded.event));
        after = Some(page.next);
        if !page.has_more {
            return Ok(events);
        }
    }
}

/// The cursor of the newest event.
pub async fn end<S: EventLog>(store: &S) -> Checked<Cursor> {
    Ok(store.end().await?)
}

fn numbers(events: &[Event]) -> Vec<u128> {
    let numbers = events.iter().map(|event| event.subject.id().as_u128());
    numbers.collect()
}

kernel::contract_cases!(
    events,
    impl Store + EventLog,
    async fn events_are_read_as_they_were_recorded(store: &S) {
        let state = |n, version, status, reason: Option<&str>| {
            Subject::Posting(PostingState {
                id: PostingId::new(uuid(n)),
                source_identifier: identifier("an/id ü"),
                version,
                status,
                status_reason: reason.map(str::to_owned),
                decision: (status == Status::Rejected).then_some(EventDecision {
                    code: DecisionCode::OPERATOR,
                    ground: Some(Ground::Law),
                    by_notice: true,
                }),
            })
        };
        let logo = Company {
            logo_path: Some("/1.svg".into()),
            ..company("acme")
        };
        let of_company = |company| Subject::Company(company_state(company));
        let event = |name, subject, minute| Event {
            name,
            subject,
            at: noon() + minutes(minute),
            trace: TraceParent::new(7, 1, false).filter(|_| minute < 2),
        };
        let pending = state(1, 1, Status::PendingEnrichment, None);
        let rejected = state(1, 2, Status::Rejected, Some("spam: \"No\".\\ 😀"));
        let batches = [
            vec![
                event(JOB_POSTING_CREATED, pending, 0),
                event(TOLD, Subject::Other(uuid(2)), 1),
            ],
            vec![event(JOB_POSTING_REJECTED, rejected, 2)],
            vec![
                event(COMPANY_UPDATED, of_company(&logo), 1),
                event(COMPANY_UPDATED, of_company(&company("bolt")), 3),
            ],
        ];
        for batch in &batches {
            commit_events(store, batch.clone()).await?;
        }
        let names = [
            JOB_POSTING_CREATED,
            JOB_POSTING_REJECTED,
            COMPANY_UPDATED,
            TOLD,
        ];
        assert_eq!(walk(store, None, &names).await?, batches.concat());
    },
    async fn a_reader_goes_on_where_it_was(store: &S) {
        let before = end(store).await?;
        assert_eq!(walk(store, None, &[TOLD]).await?, []);
        commit_each(store, 1..=5).await?;
        let page = read(store, None, &[TOLD], 9).await?;
        assert_eq!(page.events.len(), 5);
        assert!(!page.has_more);
        assert!(page.events.is_sorted_by_key(|event| event.cursor));
        let cursors: Vec<_> = page.events.iter().map(|event| event.cursor).collect();
        assert_eq!(cursors.last(), Some(&page.next));
        assert_eq!(end(store).await?, page.next);
        for (cursor, rest) in cursors.iter().zip((1..=5_u128).rev()) {
            let rest: Vec<_> = (7 - rest..=5).collect();
            let events = walk(store, Some(*cursor), &[TOLD]).await?;
            assert_eq!(numbers(&events), rest);
        }
        commit_each(store, [6]).await?;
        assert_eq!(numbers(&walk(store, Some(page.next), &[TOLD]).await?), [6]);
        let all = walk(store, Some(before), &[TOLD]).await?;
        assert_eq!(numbers(&all), [1, 2, 3, 4, 5, 6]);
    },
    async fn events_are_found_by_their_cursors(store: &S) {
        commit_each(store, 1..=5).await?;
        let events = read(store, None, &[TOLD], 9).await?.events;
        let [first, second, .., last] = &events[..] else {
            panic!("there are five");
        };
        let later = Cursor {
            sequence: last.cursor.sequence + 1,
            ..last.cursor
        };
        let wanted = [last.cursor, later, first.cursor, last.cursor, second.cursor];
        let expect = [first, second, last].map(Clone::clone);
        assert_eq!(store.events_at(&wanted).await, Ok(expect.to_vec()));
        assert_eq!(store.events_at(&[]).await, Ok(Vec::new()));
        assert_eq!(store.forget(noon() + minutes(2), 9).await, Ok(1));
        let kept = expect[1..].to_vec();
        assert_eq!(store.events_at(&wanted).await, Ok(kept));
    },
    async fn the_newest_event_of_a_company_is_found(store: &S) {
        let states = [1, 2, 1].map(|n| company_state(&company(&format!("c{n}"))));
        for (minute, state) in (1..).zip(states.clone()) {
            let updated = Event {
                name: COMPANY_UPDATED,
                subject: Subject::Company(state),
                at: noon() + minutes(minute),
                trace: None,
            };
            commit_events(store, vec![updated]).await?;
        }
        commit_each(store, [5]).await?;
        let events = read(store, None, &[COMPANY_UPDATED], 9).await?.events;
        let asked = [states[0].id, states[1].id, company("none").id];
        let newest = [2, 1].map(|n: usize| (events[n].event.subject.id(), events[n].cursor));
        let found = store.newest_of(&asked).await?;
        let found: HashMap<_, _> = found.iter().map(|(id, at)| (id.uuid(), *at)).collect();
        assert_eq!(found, HashMap::from(newest));
        assert_eq!(store.newest_of(&[]).await, Ok(HashMap::new()));
    },
    async fn a_reader_sees_the_names_that_it_asks_for(store: &S) {
        put_events(store, &[create("a", "acme")]).await?;
        commit_each(store, [1]).await?;
        put_events(store, &[create("b", "acme")]).await?;
        assert_eq!(numbers(&walk(store, None, &[TOLD]).await?), [1]);
        let created = walk(store, None, &[JOB_POSTING_CREATED]).await?;
        assert_eq!(created.len(), 2);
        for none in [&[][..], &[JOB_POSTING_REJECTED]] {
            assert_eq!(walk(store, None, none).await?, []);
            let mut page = read(store, None, none, 9).await?;
            while page.has_more {
                page = read(store, Some(page.next), none, 9).await?;
            }
            assert_eq!(page.next, end(store).await?);
        }
    },
    /// Several commits are decided before the first one is written. A change raises the event with
    /// the company's state. A commit without effect raises no event.
    async fn a_change_of_a_company_is_recorded_once(store: &S) {
        put_events(store, &[create("a", "acme")]).await?;
        let mut after = end(store).await?;
        let renamed = Company {
            name: "Acme AB".into(),
            ..company("acme")
        };
        let with_logo = Company {
            logo_path: Some("/1.svg".into()),
            ..company("acme")
        };
        let both = Company {
            logo_path: with_logo.logo_path.clone(),
            ..renamed.clone()
        };
        let new = company("bolt");
        for (decided, sets_name, sets_logo_path, recorded) in [
            (&renamed, true, false, Some(&renamed)),
            (&renamed, true, false, None),
            (&with_logo, false, true, Some(&both)),
            (&with_logo, false, true, None),
            (&renamed, false, true, Some(&renamed)),
            (&new, true, false, Some(&new)),
        ] {
            let mut writes = WriteSet::new(noon());
            let write = company_write(decided, sets_name, sets_logo_path);
            writes.companies.insert(decided.id, write);
            writes.tasks.events.push(Event {
                name: COMPANY_UPDATED,
                subject: Subject::Company(company_state(decided)),
                at: noon(),
                trace: None,
            });
            writes.tasks.events.push(event(1, noon()));
            store.commit(writes).await?;
            until_readable(store, after).await?;
            let page = read(store, Some(after), &[COMPANY_UPDATED], 9).await?;
            let subjects: Vec<_> = page
                .events
                .into_iter()
                .map(|recorded| recorded.event.subject)
                .collect();
            let expect: Vec<_> = recorded
                .map(|company| Subject::Company(company_state(company)))
                .into_iter()
                .collect();
            assert_eq!(subjects, expect);
            after = page.next;
        }
        assert_eq!(find(store, renamed.id).await?, Some(renamed));
    },
    async fn old_events_are_deleted(store: &S) {
        let start = end(store).await?;
        commit_each(store, 1..=6).await?;
        let page = read(store, None, &[TOLD], 9).await?;
        let cursors: Vec<_> = page.events.iter().map(|event| event.cursor).collect();
        let before = noon() + minutes(5);
        for (limit, deleted) in [(3, 3), (3, 1), (3, 0)] {
            assert_eq!(store.forget(before, limit).await, Ok(deleted));
        }
        assert_eq!(numbers(&walk(store, None, &[TOLD]).await?), [5, 6]);
        let from = |after| query(Some(after), &[TOLD], 9);
        for gone in [Cursor::START, start, cursors[0], cursors[2]] {
            assert_eq!(store.read(&from(gone)).await, Err(LogError::Gone), "{gone}");
        }
        let events = walk(store, Some(cursors[3]), &[TOLD]).await?;
        assert_eq!(numbers(&events), [5, 6]);
        assert_eq!(store.forget(noon() + minutes(99), 9).await, Ok(2));
        assert_eq!(end(store).await?, cursors[5]);
        assert_eq!(walk(store, Some(cursors[5]), &[TOLD]).await?, []);
        assert_eq!(store.read(&from(cursors[4])).await, Err(LogError::Gone));
        commit_each(store, [7]).await?;
        assert_eq!(numbers(&walk(store, None, &[TOLD]).await?), [7]);
        assert_eq!(numbers(&walk(store, Some(cursors[5]), &[TOLD]).await?), [7]);
    },
    /// After an older backup was restored, a reader's cursor may be beyond the end, or between
    /// later events.
    async fn a_cursor_without_an_event_is_refused(store: &S) {
        let beyond = |cursor: Cursor, transactions, numbers| Cursor {
            transaction: cursor.transaction + transactions,
            sequence: cursor.sequence + numbers,
        };
        let start = end(store).await?;
        commit_each(store, [1]).await?;
        let first = end(store).await?;
        commit_each(store, [2]).await?;
        let last = end(store).await?;
        for cursor in [
            beyond(start, 0, 1 << 20),
            beyond(first, 0, 1 << 20),
            beyond(last, 0, 1),
            beyond(last, 1 << 40, 0),
            beyond(last, 1 << 40, 1),
        ] {
            let query = query(Some(cursor), &[TOLD], 9);
            assert_eq!(store.read(&query).await, Err(LogError::Gone), "{cursor}");
        }
        for (cursor, rest) in [(start, &[1, 2][..]), (first, &[2]), (last, &[])] {
            assert_eq!(numbers(&walk(store, Some(cursor), &[TOLD]).await?), rest);
        }
    },
    async fn a_cursor_is_found_by_time(store: &S) {
        let find = async |minute| {
            let at = noon() + minutes(minute);
            store.cursor_at(at).await
        };
        assert_eq!(find(1).await?, end(store).await?);
        commit_each(store, 1..=9).await?;
        for (minute, first) in [(-9, 1), (1, 1), (2, 2), (5, 5), (9, 9)] {
            let events = walk(store, Some(find(minute).await?), &[TOLD]).await?;
            assert_eq!(
                numbers(&events),
                (first..=9).collect::<Vec<_>>(),
                "{minute}"
            );
        }
        assert_eq!(find(10).await?, end(store).await?);
        assert_eq!(store.forget(noon() + minutes(4), 9).await, Ok(3));
        let events = walk(store, Some(find(2).await?), &[TOLD]).await?;
        assert_eq!(numbers(&events), [4, 5, 6, 7, 8, 9]);
    },
    async fn events_of_other_prefixes_are_passed(store: &S) {
        let created = ["a-1", "ab", "b%1", "B-1", "ü%_"].map(|id| create(id, "acme"));
        put_events(store, &created).await?;
        put_events(store, &[renaming(create("c", "acme"), "Acme AB")]).await?;
        commit_events(store, vec![event(1, noon())]).await?;
        let identifiers = async |prefixes: &[&str], limit| -> Checked<Vec<_>> {
            let mut query = LogQuery {
                after: None,
                names: vec![JOB_POSTING_CREATED, COMPANY_UPDATED, TOLD],
                prefixes: Prefixes::new(prefixes)?,
                reader: None,
                limit,
            };
            let mut found = Vec::new();
            loop {
                let page = store.read(&query).await?;
                assert!(page.events.len() <= limit);
                let subjects = page.events.into_iter().map(|read| read.event.subject);
                found.extend(subjects.map(|subject| match subject {
                    Subject::Posting(posting) => posting.source_identifier.to_string(),
                    Subject::Company(company) => company.name,
                    Subject::Report(report) => report.source_identifier.to_string(),
                    Subject::Attention(_) | Subject::Other(_) => TOLD.to_string(),
                }));
                if !page.has_more {
                    return Ok(found);
                }
                query.after = Some(page.next);
            }
        };
        for limit in [1, 100] {
            for (prefixes, expect) in [
                (&["a-"][..], &["a-1"][..]),
                (&["a", "b%"], &["a-1", "ab", "b%1"]),
                (&["b_", "a%"], &[]),
                (&["ü%"], &["ü%_"]),
                (&[], &["a-1", "ab", "b%1", "B-1", "ü%_", "c"]),
            ] {
                let mut found = identifiers(prefixes, limit).await?;
                found.retain(|text| text != "Acme AB" && text != "Told");
                assert_eq!(found, expect, "{prefixes:?}");
            }
            assert_eq!(identifiers(&["none"], limit).await?, ["Acme AB", "Told"]);
        }
    },
);
