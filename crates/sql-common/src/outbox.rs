//! The table `outbox`: its rows as claimed and as listed, and statements.

use diesel::{
    Queryable,
    sql_types::{BigInt, Nullable, Text},
};
use domain::{
    outbox::{
        Claimed, EVENTS, Effect, Event, EventName, Queue, Receipt, Subject, SubjectTask, TaskId,
        TaskRow, Work,
    },
    posting::SourceIdentifier,
    store::StoreError,
};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    statement,
    stored::{corrupt, count, parse_optional},
    types::{Count, Id, Moment, StoredId, StoredTime, optional_time},
    value::Value,
};

/// The SQL types of a [`ClaimedRow`].
pub type ClaimedColumns = (
    BigInt,
    Id,
    BigInt,
    Count,
    Moment,
    Nullable<Moment>,
    Count,
    Nullable<Text>,
    Nullable<Text>,
    Nullable<Moment>,
);

/// A row of a task that is being claimed.
#[derive(Clone, Debug, Queryable)]
pub struct ClaimedRow {
    pub id: i64,
    subject: StoredId,
    generation: i64,
    attempts: i64,
    /// When it was due, before the claim.
    pub due_at: StoredTime,
    first_failed_at: Option<StoredTime>,
    pub lost: i64,
    /// For events only.
    event_name: Option<String>,
    /// For events of postings only.
    source_identifier: Option<String>,
    /// For events only.
    occurred_at: Option<StoredTime>,
}

impl ClaimedRow {
    /// The claimed task, from its queue and its lease.
    pub fn claimed(self, queue: Queue, lease: Uuid) -> Result<Claimed, StoreError> {
        Ok(Claimed {
            receipt: Receipt {
                task: TaskId(self.id),
                generation: self.generation,
                lease,
            },
            attempts: count(self.attempts, "outbox.attempts")?,
            first_failed_at: optional_time(self.first_failed_at, "outbox.first_failed_at")?,
            lost: count(self.lost, "outbox.lost")?,
            work: self.work(queue)?,
        })
    }

    fn work(self, queue: Queue) -> Result<Work, StoreError> {
        let subject = self.subject.uuid("outbox.subject")?;
        if queue != EVENTS {
            return Ok(Work::Effect(Effect::new(queue, subject)));
        }
        let name = self.event_name.filter(|name| !name.is_empty());
        let name = name.ok_or_else(|| corrupt("outbox.event_name", ""))?;
        let identifier: Option<SourceIdentifier> =
            parse_optional(self.source_identifier, "outbox.source_identifier")?;
        let at = optional_time(self.occurred_at, "outbox.occurred_at")?;
        Ok(Work::Event(Event {
            name: EventName::from_store(name),
            subject: Subject {
                id: subject,
                source_identifier: identifier.map(|identifier| identifier.as_str().into()),
            },
            at: at.ok_or_else(|| corrupt("outbox.occurred_at", at))?,
        }))
    }
}

/// The columns of a [`ListedRow`].
#[macro_export]
macro_rules! listed {
    () => {
        "id, kind, subject, event_name, attempts, next_at, last_error, dead_at"
    };
}

/// The SQL types of a [`ListedRow`].
pub type ListedColumns = (
    BigInt,
    Text,
    Id,
    Nullable<Text>,
    Count,
    Moment,
    Nullable<Text>,
    Nullable<Moment>,
);

/// A row as operators see it.
#[derive(Debug, Queryable)]
pub struct ListedRow {
    id: i64,
    kind: String,
    subject: StoredId,
    event_name: Option<String>,
    attempts: i64,
    next_at: StoredTime,
    last_error: Option<String>,
    dead_at: Option<StoredTime>,
}

impl TryFrom<ListedRow> for TaskRow {
    type Error = StoreError;

    fn try_from(row: ListedRow) -> Result<Self, StoreError> {
        let subject = row.subject.uuid("outbox.subject")?;
        Ok(Self {
            id: TaskId(row.id),
            kind: row.kind,
            key: match row.event_name {
                Some(name) => format!("{name}:{subject}"),
                None => subject.to_string(),
            },
            attempts: count(row.attempts, "outbox.attempts")?,
            next_at: row.next_at.time("outbox.next_at")?,
            last_error: row.last_error,
        })
    }
}

impl TryFrom<ListedRow> for SubjectTask {
    type Error = StoreError;

    fn try_from(row: ListedRow) -> Result<Self, StoreError> {
        Ok(Self {
            is_dead: row.dead_at.is_some(),
            task: row.try_into()?,
        })
    }
}

/// The tasks of the rows that were read.
pub fn listed<T: TryFrom<ListedRow>>(rows: Vec<ListedRow>) -> Result<Vec<T>, T::Error> {
    rows.into_iter().map(T::try_from).collect()
}

statement! {
    /// Lists dead tasks, oldest first.
    pub ListDead =
    concat!(
        "SELECT ", listed!(), " FROM outbox WHERE dead_at IS NOT NULL AND id > ? ORDER BY id LIMIT ?"
    ),
    returns ListedColumns
}

statement! {
    /// Lists tasks that are not dead, oldest first.
    pub ListLiving =
    concat!(
        "SELECT ", listed!(), " FROM outbox WHERE dead_at IS NULL AND id > ? ORDER BY id LIMIT ?"
    ),
    returns ListedColumns
}

/// The values for a list.
pub fn list_values(after: Option<TaskId>, limit: i64) -> [Value<'static>; 2] {
    [after.map_or(i64::MIN, |after| after.0).into(), limit.into()]
}

statement! {
    /// Returns a task to its queue after a failed attempt. One that was asked for again meanwhile
    /// becomes due at once, with its attempts reset.
    pub Retry =
    "UPDATE outbox SET lease = NULL, lost = 0, last_error = sent.error, \
     next_at = CASE WHEN outbox.generation = sent.generation THEN sent.next_at ELSE sent.now END, \
     attempts = CASE WHEN outbox.generation = sent.generation THEN attempts ELSE 0 END, \
     first_failed_at = CASE WHEN outbox.generation = sent.generation \
     THEN coalesce(first_failed_at, sent.now) END \
     FROM (SELECT ? AS id, ? AS lease, ? AS generation, ? AS error, ? AS now, ? AS next_at) AS sent \
     WHERE outbox.id = sent.id AND outbox.lease = sent.lease"
}

impl Retry {
    /// The values of a failed attempt.
    pub fn values(
        receipt: Receipt,
        error: &str,
        now: OffsetDateTime,
        next_at: OffsetDateTime,
    ) -> [Value<'_>; 6] {
        let [task, lease, generation, error, now] = dead_letter_values(receipt, error, now);
        [task, lease, generation, error, now, next_at.into()]
    }
}

/// The text of the statement that moves a task to the dead letters. One that was asked for again
/// meanwhile becomes due at once instead.
#[macro_export]
macro_rules! dead_letter {
    () => {
        "UPDATE outbox SET lease = NULL, lost = 0, last_error = sent.error, \
         dead_at = CASE WHEN outbox.generation = sent.generation THEN sent.now END, \
         next_at = CASE WHEN outbox.generation = sent.generation THEN next_at ELSE sent.now END, \
         attempts = CASE WHEN outbox.generation = sent.generation THEN attempts ELSE 0 END, \
         first_failed_at = \
         CASE WHEN outbox.generation = sent.generation THEN first_failed_at END \
         FROM (SELECT ? AS id, ? AS lease, ? AS generation, ? AS error, ? AS now) AS sent \
         WHERE outbox.id = sent.id AND outbox.lease = sent.lease"
    };
}

/// The values for [`dead_letter!`](crate::dead_letter).
pub fn dead_letter_values(receipt: Receipt, error: &str, now: OffsetDateTime) -> [Value<'_>; 5] {
    [
        receipt.task.0.into(),
        receipt.lease.into(),
        receipt.generation.into(),
        error.into(),
        now.into(),
    ]
}

#[cfg(test)]
mod tests {
    use domain::{
        outbox::Kind,
        testing::{noon, uuid},
    };

    use super::*;
    use crate::stored::tests::reports;

    fn effect() -> ClaimedRow {
        ClaimedRow {
            id: 7,
            subject: uuid(1).into(),
            generation: 1,
            attempts: 1,
            due_at: noon().into(),
            first_failed_at: None,
            lost: 0,
            event_name: None,
            source_identifier: None,
            occurred_at: None,
        }
    }

    fn event() -> ClaimedRow {
        ClaimedRow {
            event_name: Some("JobPostingExpired".to_owned()),
            source_identifier: Some("job-1".to_owned()),
            occurred_at: Some(noon().into()),
            ..effect()
        }
    }

    #[test]
    fn an_effect_is_its_queue_and_what_it_is_for() {
        let lane = Queue::lane_of(Kind::new("dance"), "slow");
        let expect = Work::Effect(Effect::new(lane, uuid(1)));
        assert_eq!(effect().work(lane), Ok(expect));
    }

    #[test]
    fn an_event_has_a_name_a_subject_and_a_time() {
        for source_identifier in [Some("job-1"), None] {
            let row = ClaimedRow {
                source_identifier: source_identifier.map(str::to_owned),
                ..event()
            };
            let expect = Event {
                name: EventName::new("JobPostingExpired"),
                subject: Subject {
                    id: uuid(1),
                    source_identifier: source_identifier.map(Into::into),
                },
                at: noon(),
            };
            assert_eq!(row.work(EVENTS), Ok(Work::Event(expect)));
        }
    }

    #[test]
    fn an_event_lacks_nothing() {
        let check = |change: fn(&mut ClaimedRow), column: &str, value: &str| {
            let mut row = event();
            change(&mut row);
            reports(row.work(EVENTS), column, value);
        };
        check(|row| row.event_name = None, "outbox.event_name", "\"\"");
        check(|row| row.occurred_at = None, "outbox.occurred_at", "None");
        check(
            |row| row.source_identifier = Some(String::new()),
            "outbox.source_identifier",
            "\"\"",
        );
    }

    #[test]
    fn operators_know_events_by_their_names() {
        let subject = uuid(1);
        for (event_name, key) in [
            (None, subject.to_string()),
            (
                Some("JobPostingExpired".to_owned()),
                format!("JobPostingExpired:{subject}"),
            ),
        ] {
            let row = ListedRow {
                id: 7,
                kind: "event".to_owned(),
                subject: subject.into(),
                event_name,
                attempts: 0,
                next_at: noon().into(),
                last_error: None,
                dead_at: None,
            };
            assert_eq!(TaskRow::try_from(row).map(|row| row.key), Ok(key));
        }
    }
}
