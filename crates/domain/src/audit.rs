//! The audit: what operators did, written in the same commit as what it tells of.
//!
//! A command gets a [`Deed`], which says who carries it out, and makes an [`Entry`] of it for its
//! [`TaskWrites`](crate::outbox::TaskWrites). People are named by their ids, and what shows an entry
//! looks up the address that the person has by then. So nothing has to be changed here when an
//! address changes or is erased.

use std::{borrow::Cow, fmt, sync::Arc};

use async_trait::async_trait;
use serde_json::{Map, Value};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{StoreError, line::check_line};

/// The longest name of an operator, in characters.
const NAME_LENGTH: usize = 100;

/// The name of an operator: one line of at most a hundred characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Operator(Arc<str>);

/// Why a text is no name of an operator.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidOperator {
    /// It is blank.
    #[error("must not be empty")]
    Empty,
    /// It has more characters than a name may.
    #[error("must be at most {NAME_LENGTH} characters long")]
    TooLong,
    /// It is not fit for one line.
    #[error(transparent)]
    Line(#[from] crate::line::InvalidLine),
}

impl Operator {
    /// Takes a name.
    pub fn new(name: &str) -> Result<Self, InvalidOperator> {
        let name = name.trim();
        if name.is_empty() {
            return Err(InvalidOperator::Empty);
        }
        if name.chars().count() > NAME_LENGTH {
            return Err(InvalidOperator::TooLong);
        }
        check_line(name)?;
        Ok(Self(name.into()))
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

/// The kind of a deed, such as `subscribers.suppress`. Stores keep any, so that a program can show
/// what a newer one wrote.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Action(Cow<'static, str>);

impl Action {
    /// Dead tasks were brought back.
    pub const OUTBOX_RETRY: Self = Self::new("outbox.retry");
    /// A posting was approved.
    pub const POSTINGS_APPROVE: Self = Self::new("postings.approve");
    /// A posting was rejected.
    pub const POSTINGS_REJECT: Self = Self::new("postings.reject");
    /// A posting was featured, or is no longer.
    pub const POSTINGS_FEATURE: Self = Self::new("postings.feature");

    /// Declares a kind of deed by its name.
    pub const fn new(name: &'static str) -> Self {
        Self(Cow::Borrowed(name))
    }

    /// Takes an action that was stored.
    pub fn from_store(name: String) -> Self {
        Self(Cow::Owned(name))
    }

    /// The action's name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Further things to say of a deed, by their names; a JSON object.
pub type Details = Map<String, Value>;

/// Who carries out a command, and the id of the entry that says so. A command that is decided
/// again keeps its deed, so it is recorded once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deed {
    /// The id of the entry.
    pub id: Uuid,
    /// The operator.
    pub by: Operator,
}

impl Deed {
    /// The entry that says that this was done now.
    pub fn entry(&self, action: Action, now: OffsetDateTime) -> Entry {
        Entry {
            id: self.id,
            at: now,
            by: self.by.as_str().to_owned(),
            action,
            subject: None,
            details: Details::new(),
        }
    }
}

/// One line of the audit. Writing one with an id that is there replaces its details: those of a
/// long run are known at its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its id.
    pub id: Uuid,
    /// When it was done, or began.
    pub at: OffsetDateTime,
    /// The name of the operator.
    pub by: String,
    /// The kind of the deed.
    pub action: Action,
    /// To whom or what it was done: the id of a person, the source identifier of a posting.
    pub subject: Option<String>,
    /// Further things to say.
    pub details: Details,
}

impl Entry {
    /// Names whom or what it is about.
    #[must_use]
    pub fn about(mut self, subject: impl fmt::Display) -> Self {
        self.subject = Some(subject.to_string());
        self
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

/// Which entries to read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AuditQuery {
    /// Only those from then on.
    pub since: Option<OffsetDateTime>,
    /// Only those before this one.
    pub before: Option<AuditPosition>,
    /// At most so many.
    pub limit: usize,
}

/// The port for reading the audit. What it shows is written by the commits of all contexts.
#[async_trait]
pub trait AuditLog: Send + Sync {
    /// Entries, the newest first; of one moment those with the greater id first.
    async fn entries(&self, query: &AuditQuery) -> Result<Vec<Entry>, StoreError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operator_has_a_name_of_one_line() {
        assert_eq!(Operator::new(" ann ").unwrap().as_str(), "ann");
        assert!(Operator::new(&"é".repeat(NAME_LENGTH)).is_ok());
        for bad in ["", " \t ", "a\nb", "a\u{202e}b", &"x".repeat(101)] {
            assert!(Operator::new(bad).is_err(), "{bad:?}");
        }
    }
}
