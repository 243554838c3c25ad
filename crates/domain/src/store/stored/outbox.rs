//! Rows of the outbox.

use time::OffsetDateTime;
use uuid::Uuid;

use super::{corrupt, word};
use crate::{
    company::CompanyId,
    outbox::{Effect, Event, EventName, Kind, Queue, Subject, SubjectKind, Work},
    posting::PostingId,
    store::StoreError,
    subscriber::SubscriberId,
};

/// The columns of a row of the outbox that say what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredWork {
    /// Which of the others there are.
    pub kind: Kind,
    /// Whom it is for.
    pub subject: Uuid,
    /// Of syncs only: [`Queue::lane`].
    pub lane: Option<String>,
    /// Of events only.
    pub event_name: Option<String>,
    /// Of the events of postings only.
    pub source_identifier: Option<String>,
    /// Of events only.
    pub occurred_at: Option<OffsetDateTime>,
}

impl TryFrom<StoredWork> for Work {
    type Error = StoreError;

    fn try_from(row: StoredWork) -> Result<Self, StoreError> {
        let subscriber = SubscriberId::new(row.subject);
        Ok(match row.kind {
            Kind::Enrich => Self::Effect(Effect::Enrich(PostingId::new(row.subject))),
            Kind::Sync => Self::Effect(row.sync()?),
            Kind::Migrate => Self::Effect(Effect::Migrate(subscriber)),
            Kind::Withdraw => Self::Effect(Effect::Withdraw(subscriber)),
            Kind::Event => Self::Event(row.event()?),
        })
    }
}

impl StoredWork {
    fn sync(self) -> Result<Effect, StoreError> {
        let subscriber = SubscriberId::new(self.subject);
        let is_in =
            |queue: &Queue| queue.kind() == Kind::Sync && queue.lane() == self.lane.as_deref();
        match Queue::ALL.into_iter().find(is_in) {
            Some(Queue::Sync(account)) => Ok(Effect::Sync(subscriber, account)),
            Some(Queue::BulkSync(account)) => Ok(Effect::BulkSync(subscriber, account)),
            _ => Err(corrupt("outbox.account", self.lane.unwrap_or_default())),
        }
    }

    fn event(self) -> Result<Event, StoreError> {
        let name: EventName = word(self.event_name.unwrap_or_default(), "outbox.event_name")?;
        let subject = match name.subject_kind() {
            SubjectKind::Posting => Subject::Posting {
                id: PostingId::new(self.subject),
                source_identifier: word(
                    self.source_identifier.unwrap_or_default(),
                    "outbox.source_identifier",
                )?,
            },
            SubjectKind::Company => Subject::Company(CompanyId::new(self.subject)),
            SubjectKind::Subscriber => Subject::Subscriber(SubscriberId::new(self.subject)),
        };
        Ok(Event {
            name,
            subject,
            at: self
                .occurred_at
                .ok_or_else(|| corrupt("outbox.occurred_at", self.occurred_at))?,
        })
    }
}

/// What operators know a row of the outbox by: [`crate::outbox::TaskRow::key`].
pub fn task_key(event_name: Option<&str>, subject: Uuid) -> String {
    match event_name {
        Some(name) => format!("{name}:{subject}"),
        None => subject.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::tests::reports, *};
    use crate::{
        posting::SourceIdentifier,
        subscriber::Account,
        testing::{noon, uuid},
    };

    fn effect(kind: Kind, lane: Option<&str>) -> StoredWork {
        StoredWork {
            kind,
            subject: uuid(1),
            lane: lane.map(str::to_owned),
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
            ..effect(Kind::Event, None)
        }
    }

    #[test]
    fn an_effect_is_its_kind_and_whom_it_is_for() {
        let subscriber = SubscriberId::new(uuid(1));
        let cases = [
            (
                effect(Kind::Enrich, None),
                Effect::Enrich(PostingId::new(uuid(1))),
            ),
            (
                effect(Kind::Sync, Some("old")),
                Effect::Sync(subscriber, Account::Old),
            ),
            (
                effect(Kind::Sync, Some("new")),
                Effect::Sync(subscriber, Account::New),
            ),
            (
                effect(Kind::Sync, Some("new-bulk")),
                Effect::BulkSync(subscriber, Account::New),
            ),
            (effect(Kind::Migrate, None), Effect::Migrate(subscriber)),
        ];
        for (row, expect) in cases {
            assert_eq!(Work::try_from(row), Ok(Work::Effect(expect)));
        }
        let bad = |account| Work::try_from(effect(Kind::Sync, account));
        reports(bad(None), "outbox.account", "\"\"");
        reports(bad(Some("newest")), "outbox.account", "\"newest\"");
    }

    #[test]
    fn an_event_is_of_a_posting_a_company_or_a_subscriber() {
        let expect = Event {
            name: EventName::JobPostingExpired,
            subject: Subject::Posting {
                id: PostingId::new(uuid(1)),
                source_identifier: SourceIdentifier::new("job-1").unwrap(),
            },
            at: noon(),
        };
        assert_eq!(Work::try_from(event()), Ok(Work::Event(expect)));

        let others = [
            (
                EventName::CompanyUpdated,
                Subject::Company(CompanyId::new(uuid(1))),
            ),
            (
                EventName::IndividualMembershipUpdated,
                Subject::Subscriber(SubscriberId::new(uuid(1))),
            ),
        ];
        for (name, subject) in others {
            let row = StoredWork {
                event_name: Some(name.to_string()),
                source_identifier: None,
                ..event()
            };
            let expect = Event {
                name,
                subject,
                at: noon(),
            };
            assert_eq!(Work::try_from(row), Ok(Work::Event(expect)));
        }
    }

    #[test]
    fn an_event_lacks_nothing() {
        let check = |change: fn(&mut StoredWork), column: &str, value: &str| {
            let mut row = event();
            change(&mut row);
            reports(Work::try_from(row), column, value);
        };
        check(|row| row.event_name = None, "outbox.event_name", "\"\"");
        check(
            |row| row.event_name = Some("JobPostingDanced".to_owned()),
            "outbox.event_name",
            "\"JobPostingDanced\"",
        );
        check(
            |row| row.source_identifier = None,
            "outbox.source_identifier",
            "\"\"",
        );
        check(
            |row| row.source_identifier = Some("\0".to_owned()),
            "outbox.source_identifier",
            "\"\\0\"",
        );
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
