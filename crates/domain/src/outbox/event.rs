//! What happened, and to what.

use std::{borrow::Cow, fmt, sync::Arc};

use time::OffsetDateTime;
use uuid::Uuid;

/// What happened, by its name in the contract. A name is declared by the context that raises the
/// event; a store keeps any.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EventName(Cow<'static, str>);

impl EventName {
    /// Declares an event by its name.
    pub const fn new(name: &'static str) -> Self {
        Self(Cow::Borrowed(name))
    }

    /// Takes a name that was stored.
    pub const fn from_store(name: String) -> Self {
        Self(Cow::Owned(name))
    }

    /// The event's name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for EventName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// What happened.
    pub name: EventName,
    /// What it happened to.
    pub subject: Subject,
    /// When.
    pub at: OffsetDateTime,
}

/// What an event is about. The events of one subject are delivered in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// Its id in this service.
    pub id: Uuid,
    /// Its id in the world that it comes from, where it has one.
    pub source_identifier: Option<Arc<str>>,
}

impl Subject {
    /// A subject that this service alone names.
    pub const fn of(id: Uuid) -> Self {
        Self {
            id,
            source_identifier: None,
        }
    }
}
