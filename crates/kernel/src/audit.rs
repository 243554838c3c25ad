//! The audit: operators' actions, written in the commits that do them.
//!
//! A command turns its [`Attribution`] into an [`Entry`] of its
//! [`TaskWrites`](crate::outbox::TaskWrites). Entries name subscribers by id. Their addresses are
//! looked up for display, so a changed or erased address leaves the audit unchanged.

use std::fmt;

use async_trait::async_trait;
use serde_json::{Map, Value};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{Actor, ClientId, Operator, StoreError, name::name, words};

name! {
    /// The kind of an audited action, such as `subscribers.suppress`.
    Action
}

/// Declares the actions of a context as constants, by their names.
#[macro_export]
macro_rules! actions {
    ($($(#[$meta:meta])* $action:ident = $name:literal,)+) => {$(
        $(#[$meta])*
        #[doc = concat!("`", $name, "`")]
        pub const $action: $crate::audit::Action = $crate::audit::Action::new($name);
    )+};
}

actions! {
    /// Dead tasks were revived.
    OUTBOX_RETRY = "outbox.retry",
    OUTBOX_DISMISS = "outbox.dismiss",
}

/// Further details of an entry, a JSON object.
pub type Details = Map<String, Value>;

/// A command's operator and run. A command that is decided again after a conflict keeps both, so
/// the audit records it once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribution {
    /// The id of the run.
    pub id: Uuid,
    /// The operator.
    pub operator: Operator,
}

impl Attribution {
    /// The entry of an action at this time.
    pub fn entry(&self, action: Action, now: OffsetDateTime) -> Entry {
        Entry::new(self.id, self.operator.to_string(), action, now)
    }
}

/// A line of the audit. A second write with the same id replaces the details, because a long run
/// knows them only at its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The id of the run, or of the run's action on this subject.
    pub id: Uuid,
    /// The run, which may act on many subjects.
    pub run: Uuid,
    /// When the action was done, or when it began.
    pub at: OffsetDateTime,
    /// The name of the operator, or `client:ID` for a client's people.
    pub by: String,
    /// The kind of action.
    pub action: Action,
    /// The id of a subscriber or key, the source identifier of a posting, and so on.
    pub subject: Option<String>,
    /// Further details.
    pub details: Details,
}

impl Entry {
    /// The entry of an action. Each run has at most one entry without a [subject](Self::about).
    pub fn new(run: Uuid, by: String, action: Action, now: OffsetDateTime) -> Self {
        Self {
            id: run,
            run,
            at: now,
            by,
            action,
            subject: None,
            details: Details::new(),
        }
    }

    /// The entry of an action by a client's people: one entry per action and day, so that clients
    /// do not fill the operators' audit.
    pub fn of_client(client: ClientId, action: Action, now: OffsetDateTime) -> Self {
        let by = Actor::Client(client).to_string();
        let name = format!("{action}\0{}", now.date());
        Self::new(client.uuid(), by, action, now).part(name.as_bytes())
    }

    /// Sets the subject. Each subject of a run has its own entry for each action.
    #[must_use]
    pub fn about(mut self, subject: impl fmt::Display) -> Self {
        let subject = subject.to_string();
        let name = format!("{}\0{subject}", self.action);
        self.subject = Some(subject);
        self.part(name.as_bytes())
    }

    /// Derives the entry's id from its run and a name.
    #[must_use]
    pub fn part(mut self, name: &[u8]) -> Self {
        self.id = Uuid::new_v5(&self.run, name);
        self
    }

    /// The details in words, such as `name: acme; scopes: job-postings:read; prefixes: none`.
    pub fn words(&self) -> String {
        words::details(&self.details)
    }

    /// Adds a detail.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }
}

/// A position in the audit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AuditPosition {
    /// The time of the entry.
    pub at: OffsetDateTime,
    /// The entry's id.
    pub id: Uuid,
}

impl From<&Entry> for AuditPosition {
    fn from(entry: &Entry) -> Self {
        Self {
            at: entry.at,
            id: entry.id,
        }
    }
}

/// A selection of entries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditQuery {
    /// The earliest time.
    pub since: Option<OffsetDateTime>,
    /// The name of the operator.
    pub by: Option<String>,
    /// The name of the action.
    pub action: Option<String>,
    /// The subject of the entries.
    pub subject: Option<String>,
    /// Entries older than this position.
    pub before: Option<AuditPosition>,
    /// The largest number of entries.
    pub limit: usize,
}

/// The port for reading the audit. The commits of all contexts write entries.
#[async_trait]
pub trait AuditLog: Send + Sync {
    /// Entries, newest first; equal times by descending id.
    async fn entries(&self, query: &AuditQuery) -> Result<Vec<Entry>, StoreError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn details_are_rendered_in_words() {
        let id = Uuid::nil();
        let operator = Operator::new("ann").unwrap();
        let entry = Attribution { id, operator }
            .entry(OUTBOX_RETRY, OffsetDateTime::UNIX_EPOCH)
            .with("count", 3)
            .with("on", true)
            .with("prefixes", Vec::<String>::new())
            .with("requests_per_minute", Value::Null)
            .with("scopes", vec!["read", "write"]);
        assert_eq!(
            entry.words(),
            "count: 3; on: yes; prefixes: none; requests per minute: none; scopes: read, write"
        );
    }

    #[test]
    fn each_act_of_a_run_has_one_entry() {
        let by = Attribution {
            id: Uuid::max(),
            operator: Operator::new("ann").unwrap(),
        };
        let entry = |action| by.entry(action, OffsetDateTime::UNIX_EPOCH);
        let dismiss = |subject: &str| entry(OUTBOX_DISMISS).about(subject);
        let others = [
            entry(OUTBOX_DISMISS),
            dismiss("b"),
            entry(OUTBOX_RETRY).about("a"),
        ];
        assert_eq!(dismiss("a").id, dismiss("a").id);
        for other in others {
            assert_ne!(other.id, dismiss("a").id);
            assert_eq!(other.run, by.id);
        }
    }
}
