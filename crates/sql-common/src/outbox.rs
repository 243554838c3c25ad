//! Rows of the outbox.

use domain::{
    outbox::{EVENTS, Effect, Event, EventName, Queue, Subject, Work},
    store::StoreError,
};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::stored::corrupt;

/// The columns of a row of the outbox that say what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredWork {
    /// What it is for.
    pub subject: Uuid,
    /// Of events only.
    pub event_name: Option<String>,
    /// Of the events of postings only.
    pub source_identifier: Option<String>,
    /// Of events only.
    pub occurred_at: Option<OffsetDateTime>,
}

impl StoredWork {
    /// What a task of this queue is to do.
    pub fn of(self, queue: Queue) -> Result<Work, StoreError> {
        if queue != EVENTS {
            return Ok(Work::Effect(Effect::new(queue, self.subject)));
        }
        let name = self.event_name.filter(|name| !name.is_empty());
        let name = name.ok_or_else(|| corrupt("outbox.event_name", ""))?;
        let at = self.occurred_at;
        Ok(Work::Event(Event {
            name: EventName::from_store(name),
            subject: Subject {
                id: self.subject,
                source_identifier: self.source_identifier.map(Into::into),
            },
            at: at.ok_or_else(|| corrupt("outbox.occurred_at", at))?,
        }))
    }
}

/// What operators know a row of the outbox by: [`domain::outbox::TaskRow::key`].
pub fn task_key(event_name: Option<&str>, subject: Uuid) -> String {
    match event_name {
        Some(name) => format!("{name}:{subject}"),
        None => subject.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use domain::{
        outbox::Kind,
        testing::{noon, uuid},
    };

    use super::*;
    use crate::stored::tests::reports;

    fn effect() -> StoredWork {
        StoredWork {
            subject: uuid(1),
            event_name: None,
            source_identifier: None,
            occurred_at: None,
        }
    }

    fn event() -> StoredWork {
        StoredWork {
            event_name: Some("JobPostingExpired".to_owned()),
            source_identifier: Some("job-1".to_owned()),
            occurred_at: Some(noon()),
            ..effect()
        }
    }

    #[test]
    fn an_effect_is_its_queue_and_what_it_is_for() {
        let lane = Queue::lane_of(Kind::new("dance"), "slow");
        let expect = Work::Effect(Effect::new(lane, uuid(1)));
        assert_eq!(effect().of(lane), Ok(expect));
    }

    #[test]
    fn an_event_has_a_name_a_subject_and_a_time() {
        for source_identifier in [Some("job-1"), None] {
            let row = StoredWork {
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
            assert_eq!(row.of(EVENTS), Ok(Work::Event(expect)));
        }
    }

    #[test]
    fn an_event_lacks_nothing() {
        let check = |change: fn(&mut StoredWork), column: &str, value: &str| {
            let mut row = event();
            change(&mut row);
            reports(row.of(EVENTS), column, value);
        };
        check(|row| row.event_name = None, "outbox.event_name", "\"\"");
        check(|row| row.occurred_at = None, "outbox.occurred_at", "None");
    }

    #[test]
    fn operators_know_events_by_their_names() {
        let subject = uuid(1);
        assert_eq!(task_key(None, subject), subject.to_string());
        assert_eq!(
            task_key(Some("JobPostingExpired"), subject),
            format!("JobPostingExpired:{subject}")
        );
    }
}
