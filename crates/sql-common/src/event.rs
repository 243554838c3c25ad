//! The table `events`, the event log.
//!
//! An event's key is (`commit_seq`, `number`). `commit_seq` is the writing transaction (0 in a
//! store with one writer), and `number` is the row's number.

use diesel::sql_types::{BigInt, Bool, Nullable, Text};
use domain::report::ReportState;
use fields::Website;
use kernel::{
    CompanyId, DecisionCode, EventDecision, PostingId, ReportId, StoreError,
    event::{
        CompanyState, Cursor, Event, EventName, LogPage, LogQuery, PostingState, RecordedEvent,
        ReportState as DecidedReport, Subject,
    },
};
use time::{Duration, OffsetDateTime};

use crate::{
    entity,
    stored::{Decode, corrupt, item, signed, trace},
    types::{Id, Moment, Read},
};

/// The largest number of events, wanted or not, that a page examines.
pub const MOST_LOOKED_AT: usize = 5_000;

/// The prefixes of wanted identifiers. The empty prefix matches all.
pub fn prefixes(query: &LogQuery) -> Vec<&str> {
    if query.prefixes.are_all() {
        return vec![""];
    }
    let prefixes = query.prefixes.as_slice().iter();
    prefixes.map(String::as_str).collect()
}

entity! {
    /// An event without its place in the log.
    EventRow = events of Event {
        fixed {
            at: Moment = Time(|event| Some(event.at)),
            name: Text = Text(|event| Some(event.name.as_str())),
            subject: Id = Id(|event| Some(event.subject.id())),
            source_identifier: Nullable<Text> = Text(|event| match &event.subject {
                Subject::Posting(posting) => Some(posting.source_identifier.as_str()),
                Subject::Report(report) => Some(report.source_identifier.as_str()),
                _ => None,
            }),
            version: Nullable<BigInt> = Integer(|event| match &event.subject {
                Subject::Posting(posting) => Some(posting.version),
                // A report is decided once.
                Subject::Report(_) => Some(1),
                _ => None,
            }),
            status: Nullable<Text> = Text(|event| match &event.subject {
                Subject::Posting(posting) => Some(posting.status.as_str()),
                Subject::Report(report) => Some(outcome(report).as_str()),
                _ => None,
            }),
            status_reason: Nullable<Text> = Text(|event| match &event.subject {
                Subject::Posting(posting) => posting.status_reason.as_deref(),
                Subject::Report(report) => Some(&report.sentence),
                _ => None,
            }),
            company_name: Nullable<Text> = Text(|event| Some(&company(event)?.name)),
            company_website: Nullable<Text> = Text(|event| Some(company(event)?.website.as_str())),
            company_logo_path: Nullable<Text> = Text(|event| company(event)?.logo_path.as_deref()),
            company_updated_by: Nullable<Text> = Rendered(|event| {
                company(event)?.updated_by.as_ref().map(|by| by as _)
            }),
            company_merged_into: Nullable<Id> = Id(|event| {
                company(event)?.merged_into.map(CompanyId::uuid)
            }),
            trace_parent: Nullable<Text> = Rendered(|event| {
                event.trace.as_ref().map(|trace| trace as _)
            }),
            decision_code: Nullable<Text> = Text(|event| {
                Some(decided(event)?.code.as_str())
            }),
            decision_ground: Nullable<Text> = Text(|event| Some(decided(event)?.ground?.as_str())),
            decision_by_notice: Bool = Bool(|event| {
                decided(event).is_some_and(|decided| decided.by_notice)
            }),
            reported_posting: Nullable<Id> = Id(|event| match &event.subject {
                Subject::Report(report) => Some(report.posting.uuid()),
                _ => None,
            }),
            attention: Nullable<Text> = Document(|event| match &event.subject {
                Subject::Attention(item) => Some(&**item as _),
                _ => None,
            }),
        }
        changing {}
    }
}

const fn decided(event: &Event) -> Option<&EventDecision> {
    match &event.subject {
        Subject::Posting(posting) => posting.decision.as_ref(),
        _ => None,
    }
}

const fn outcome(report: &DecidedReport) -> ReportState {
    if report.acted {
        ReportState::Acted
    } else {
        ReportState::Dismissed
    }
}

const fn company(event: &Event) -> Option<&CompanyState> {
    match &event.subject {
        Subject::Company(company) => Some(company),
        _ => None,
    }
}

pub type PlacedColumns = (BigInt, BigInt, EventRow);

pub type PlacedEvent = Read<PlacedColumns>;

/// The horizon in PostgreSQL statements that read `event_log`.
#[macro_export]
macro_rules! horizon {
    () => {
        "pg_snapshot_xmin(pg_current_snapshot())::text::bigint + transaction_offset"
    };
}

pub fn cursor(commit_seq: i64, number: i64) -> Result<Cursor, StoreError> {
    cursor_in("events", commit_seq, number)
}

pub fn cursor_in(table: &str, commit_seq: i64, number: i64) -> Result<Cursor, StoreError> {
    Ok(Cursor {
        transaction: commit_seq.decode(format_args!("{table}.commit_seq"))?,
        sequence: number.decode(format_args!("{table}.number"))?,
    })
}

pub fn cursor_values(cursor: Cursor) -> [i64; 2] {
    [cursor.transaction, cursor.sequence].map(signed)
}

pub fn recorded((commit_seq, number, row): PlacedEvent) -> Result<RecordedEvent, StoreError> {
    let id = row.subject.uuid("events.subject")?;
    let subject = match (
        row.source_identifier,
        row.company_name,
        row.reported_posting,
    ) {
        (Some(identifier), _, Some(posting)) => Subject::Report(DecidedReport {
            id: ReportId::new(id),
            posting: posting.decode("events.reported_posting")?,
            source_identifier: identifier.decode("events.source_identifier")?,
            acted: row.status.as_deref() == Some(ReportState::Acted.as_str()),
            sentence: row.status_reason.unwrap_or_default(),
        }),
        (Some(identifier), _, None) => {
            let version = row.version;
            let ground = row.decision_ground.decode("events.decision_ground")?;
            Subject::Posting(PostingState {
                id: PostingId::new(id),
                source_identifier: identifier.decode("events.source_identifier")?,
                version: version.ok_or_else(|| corrupt("events.version", version))?,
                status: row.status.unwrap_or_default().decode("events.status")?,
                status_reason: row.status_reason,
                decision: row.decision_code.map(|code| EventDecision {
                    code: DecisionCode::from_store(code),
                    ground,
                    by_notice: row.decision_by_notice,
                }),
            })
        }
        (None, Some(name), _) => Subject::Company(CompanyState {
            id: CompanyId::new(id),
            name,
            website: Website::from_store(row.company_website.unwrap_or_default()),
            logo_path: row.company_logo_path,
            merged_into: row
                .company_merged_into
                .decode("events.company_merged_into")?,
            updated_by: row.company_updated_by.decode("events.company_updated_by")?,
        }),
        (None, None, _) => match row.attention {
            Some(stored) => Subject::Attention(Box::new(item(&stored)?)),
            None => Subject::Other(id),
        },
    };
    Ok(RecordedEvent {
        cursor: cursor(commit_seq, number)?,
        event: Event {
            name: EventName::from_store(row.name),
            subject,
            at: row.at.decode("events.at")?,
            trace: trace(row.trace_parent.as_deref()),
        },
    })
}

/// Builds a page from wanted events in order. `is_full` means that the limit of events or of
/// examined events was reached. `last` is the place of the last examined event.
pub fn page(
    wanted: Vec<PlacedEvent>,
    query: &LogQuery,
    last: Cursor,
    is_full: bool,
) -> Result<LogPage, StoreError> {
    let events = wanted.into_iter().map(recorded);
    let mut events = events.collect::<Result<Vec<_>, _>>()?;
    // The events are usually sorted, but without a sort a database guarantees no order.
    events.sort_by_key(|event| event.cursor);
    let has_all = events.len() <= query.limit;
    events.truncate(query.limit);
    let next = match events.last() {
        Some(event) if !has_all => event.cursor,
        _ => last,
    };
    events.retain(|event| query.wants(&event.event));
    Ok(LogPage {
        events,
        next,
        has_more: is_full || !has_all,
    })
}

/// How far the times of events may contradict their order: clocks differ, and commits take time.
const DISORDER: Duration = Duration::seconds(10);

/// Returns a time with this guarantee: if an event is older than it, all events before that event
/// in the log are older than `at`.
pub fn well_before(at: OffsetDateTime) -> OffsetDateTime {
    at.checked_sub(DISORDER).unwrap_or(at)
}

#[cfg(test)]
mod tests {
    use kernel::testing::{noon, uuid};

    use super::*;

    fn row(number: i64) -> PlacedEvent {
        let row = EventRow {
            at: noon().into(),
            name: "Sample".to_owned(),
            subject: uuid(1).into(),
            source_identifier: None,
            version: None,
            status: None,
            status_reason: None,
            company_name: None,
            company_website: None,
            company_logo_path: None,
            company_updated_by: None,
            company_merged_into: None,
            trace_parent: None,
            decision_code: None,
            decision_ground: None,
            decision_by_notice: false,
            reported_posting: None,
            attention: None,
        };
        (7, number, row)
    }

    fn at(sequence: u64) -> Cursor {
        Cursor {
            transaction: 7,
            sequence,
        }
    }

    #[test]
    fn a_page_ends_where_the_store_stopped_looking() {
        let check = |found: i64, limit, is_full, next, has_more| {
            let rows = (1..=found).map(row).collect();
            let query = LogQuery {
                after: None,
                names: vec![EventName::new("Sample")],
                prefixes: kernel::Prefixes::ALL,
                reader: None,
                limit,
            };
            let page = page(rows, &query, at(99), is_full).unwrap();
            let read: Vec<_> = page.events.iter().map(|event| event.cursor).collect();
            let shown = u64::try_from(found).unwrap().min(limit as u64);
            assert_eq!(read, (1..=shown).map(at).collect::<Vec<_>>());
            assert_eq!((page.next, page.has_more), (at(next), has_more));
        };
        // A limited page ends at its last examined event, where the next page continues.
        check(0, 2, false, 99, false);
        check(2, 2, false, 99, false);
        check(0, 2, true, 99, true);
        check(2, 2, true, 99, true);
        check(3, 2, false, 2, true);
        check(3, 2, true, 2, true);
    }
}
