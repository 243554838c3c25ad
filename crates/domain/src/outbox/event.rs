//! Events: a name and a subject.

use std::{borrow::Cow, fmt, sync::Arc};

use time::OffsetDateTime;
use uuid::Uuid;

/// An event's name in the contract, declared by the context that raises it. Stores accept any name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EventName(Cow<'static, str>);

impl EventName {
    /// Declares an event by its name.
    pub const fn new(name: &'static str) -> Self {
        Self(Cow::Borrowed(name))
    }

    /// Wraps a stored name.
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
    /// The name.
    pub name: EventName,
    /// The subject.
    pub subject: Subject,
    /// The time.
    pub at: OffsetDateTime,
}

/// The subject of an event. A subject's events are delivered in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The id in this service.
    pub id: Uuid,
    /// The integration's identifier, if there is one.
    pub source_identifier: Option<Arc<str>>,
}

impl Subject {
    /// A subject without an identifier of an integration.
    pub const fn of(id: Uuid) -> Self {
        Self {
            id,
            source_identifier: None,
        }
    }
}
