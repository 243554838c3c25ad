//! The audit: the actions of operators, each written in the commit that carries it out.
//!
//! A command turns its [`Attribution`] into an [`Entry`] of its
//! [`TaskWrites`](crate::outbox::TaskWrites). Entries name subscribers by id; an address is looked
//! up when an entry is shown, so a changed or erased address leaves the audit as it is.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use serde_json::{Map, Value};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    StoreError,
    line::{InvalidText, short_text},
    name::name,
    words,
};

/// The longest name of an operator, in characters.
const NAME_LENGTH: usize = 100;

/// The name of an operator: one line of at most a hundred characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Operator(Arc<str>);

impl Operator {
    /// Parses a name, trimmed.
    pub fn new(name: &str) -> Result<Self, InvalidText> {
        Ok(Self(short_text(name, NAME_LENGTH)?.into()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

name! {
    /// The kind of an audited action, such as `subscribers.suppress`.
    Action
}

impl Action {
    /// Dead tasks were brought back.
    pub const OUTBOX_RETRY: Self = Self::new("outbox.retry");
    /// A dead task was dismissed.
    pub const OUTBOX_DISMISS: Self = Self::new("outbox.dismiss");
    /// A posting was approved.
    pub const POSTINGS_APPROVE: Self = Self::new("postings.approve");
    /// A posting was rejected.
    pub const POSTINGS_REJECT: Self = Self::new("postings.reject");
    /// A posting was featured, or is no longer.
    pub const POSTINGS_FEATURE: Self = Self::new("postings.feature");
    /// Postings that expired long ago were deleted.
    pub const POSTINGS_PURGE: Self = Self::new("postings.purge");
    /// A posting was taken down.
    pub const POSTINGS_EXPIRE: Self = Self::new("postings.expire");
    /// A posting was erased.
    pub const POSTINGS_ERASE: Self = Self::new("postings.erase");
    /// An expired posting was brought back.
    pub const POSTINGS_REOPEN: Self = Self::new("postings.reopen");

    /// The name, the logo or the owner of a company was changed.
    pub const COMPANIES_UPDATE: Self = Self::new("companies.update");

    /// A token signing key was made.
    pub const KEYS_GENERATE: Self = Self::new("keys.generate");
    /// A token signing key was removed.
    pub const KEYS_RETIRE: Self = Self::new("keys.retire");

    /// An OAuth client was made.
    pub const CLIENTS_CREATE: Self = Self::new("clients.create");
    /// The settings of an OAuth client were changed.
    pub const CLIENTS_UPDATE: Self = Self::new("clients.update");
    /// An OAuth client got another secret.
    pub const CLIENTS_ROTATE: Self = Self::new("clients.rotate");
    /// An OAuth client was revoked.
    pub const CLIENTS_REVOKE: Self = Self::new("clients.revoke");
    /// A link to an OAuth client's own pages was made.
    pub const CLIENTS_LINK: Self = Self::new("clients.link");

    /// A webhook endpoint was registered.
    pub const WEBHOOKS_CREATE: Self = Self::new("webhooks.create");
    /// A webhook endpoint was changed.
    pub const WEBHOOKS_UPDATE: Self = Self::new("webhooks.update");
    /// A webhook endpoint got another secret.
    pub const WEBHOOKS_ROTATE: Self = Self::new("webhooks.rotate");
    /// A webhook endpoint was set back in the event log.
    pub const WEBHOOKS_REPLAY: Self = Self::new("webhooks.replay");
    /// One event is delivered again.
    pub const WEBHOOKS_RESEND: Self = Self::new("webhooks.resend");
    /// A webhook endpoint was deleted.
    pub const WEBHOOKS_DELETE: Self = Self::new("webhooks.delete");
    /// A ping was sent to a webhook endpoint.
    pub const WEBHOOKS_TEST: Self = Self::new("webhooks.test");

    /// A catalogue was deleted; its postings stay.
    pub const CATALOGUES_FORGET: Self = Self::new("catalogues.forget");
    /// What an import of a catalogue expired was brought back.
    pub const CATALOGUES_UNDO: Self = Self::new("catalogues.undo");

    /// A link to the console was made.
    pub const CONSOLE_LINK: Self = Self::new("console.link");
    /// An operator signed in to the console.
    pub const CONSOLE_SIGN_IN: Self = Self::new("console.sign_in");
    /// An operator signed out.
    pub const CONSOLE_SIGN_OUT: Self = Self::new("console.sign_out");

    /// Somebody signed in to the pages of a client.
    pub const INTEGRATION_SIGN_IN: Self = Self::new("integration.sign_in");
    /// Somebody signed out of them.
    pub const INTEGRATION_SIGN_OUT: Self = Self::new("integration.sign_out");
}

/// Further details of an entry, a JSON object.
pub type Details = Map<String, Value>;

/// The operator of a command and the id of its entry. A command that is decided again after a
/// conflict keeps both, so it is recorded once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribution {
    /// The id of the entry.
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

/// A line of the audit. Writing a known id replaces its details, because those of a long run are
/// known at its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its id.
    pub id: Uuid,
    /// When it was done, or began.
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
    /// The entry of an action at this time.
    pub fn new(id: Uuid, by: String, action: Action, now: OffsetDateTime) -> Self {
        Self {
            id,
            at: now,
            by,
            action,
            subject: None,
            details: Details::new(),
        }
    }

    /// Sets the subject.
    #[must_use]
    pub fn about(mut self, subject: impl fmt::Display) -> Self {
        self.subject = Some(subject.to_string());
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
    /// The time of the entry there.
    pub at: OffsetDateTime,
    /// Its id.
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
    /// Entries older than this position.
    pub before: Option<AuditPosition>,
    /// The largest number of entries.
    pub limit: usize,
}

/// The port for reading the audit, which the commits of all contexts write.
#[async_trait]
pub trait AuditLog: Send + Sync {
    /// Entries, newest first; equal times by descending id.
    async fn entries(&self, query: &AuditQuery) -> Result<Vec<Entry>, StoreError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn details_are_told_in_words() {
        let id = Uuid::nil();
        let operator = Operator::new("ann").unwrap();
        let entry = Attribution { id, operator }
            .entry(Action::CLIENTS_UPDATE, OffsetDateTime::UNIX_EPOCH)
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
    fn an_operator_has_a_name_of_one_line() {
        assert_eq!(Operator::new(" ann ").unwrap().as_str(), "ann");
        assert!(Operator::new(&"é".repeat(NAME_LENGTH)).is_ok());
        for bad in ["", " \t ", "a\nb", "a\u{202e}b", &"x".repeat(101)] {
            assert!(Operator::new(bad).is_err(), "{bad:?}");
        }
    }
}
