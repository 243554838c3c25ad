//! Kinds of tasks, their queues, and effects.
//!
//! The owning context declares a kind once, as `const` values such as
//! [`ENRICH`](domain::posting::ENRICH). Stores accept any kind.

use std::fmt;

use uuid::Uuid;

/// A kind of task, by its name in the stores and on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Kind {
    name: &'static str,
    purpose: &'static str,
}

impl Kind {
    /// Declares a kind by its name and its tasks' purpose, such as `judge a posting`.
    pub const fn new(name: &'static str, purpose: &'static str) -> Self {
        Self { name, purpose }
    }

    /// The kind's name.
    pub const fn as_str(self) -> &'static str {
        self.name
    }

    /// The tasks' purpose in words.
    pub const fn purpose(self) -> &'static str {
        self.purpose
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// A queue of tasks of one kind. A kind has one queue, or several lanes: one for each part of its
/// work that must not delay the other parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Queue {
    kind: Kind,
    lane: Option<&'static str>,
    fallback: Option<&'static Self>,
}

/// The suffix of a bulk lane's name. The stores' SQL has it, too.
const BULK: &str = "-bulk";

impl Queue {
    /// The only queue of a kind.
    pub const fn of(kind: Kind) -> Self {
        Self {
            kind,
            lane: None,
            fallback: None,
        }
    }

    /// A lane of a kind. A name that ends with `-bulk` marks [bulk work](Self::is_bulk).
    pub const fn lane_of(kind: Kind, lane: &'static str) -> Self {
        Self {
            kind,
            lane: Some(lane),
            fallback: None,
        }
    }

    /// The same queue, with a fallback to claim from while the queue is empty.
    #[must_use]
    pub const fn with_fallback(self, fallback: &'static Self) -> Self {
        Self {
            fallback: Some(fallback),
            ..self
        }
    }

    /// The kind of the tasks in it.
    pub const fn kind(self) -> Kind {
        self.kind
    }

    /// The lane's stored name, if the kind has several.
    pub const fn lane(self) -> Option<&'static str> {
        self.lane
    }

    /// Whether its tasks may wait for long.
    pub fn is_bulk(self) -> bool {
        self.lane.is_some_and(|lane| lane.ends_with(BULK))
    }

    /// The other queue to claim from while this queue is empty.
    pub fn fallback(self) -> Option<Self> {
        self.fallback.copied()
    }
}

/// An effect: work that a commit requests from a worker, identified by kind and key. A request in
/// another lane moves the effect to that lane. A bulk lane gets only new and dead effects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Effect {
    queue: Queue,
    key: Uuid,
}

impl Effect {
    /// The effect of a queue's kind for a key.
    pub const fn new(queue: Queue, key: Uuid) -> Self {
        Self { queue, key }
    }

    /// The effect's kind.
    pub const fn kind(self) -> Kind {
        self.queue.kind
    }

    /// The id of its subject.
    pub const fn key(self) -> Uuid {
        self.key
    }

    /// The queue in which it waits.
    pub const fn queue(self) -> Queue {
        self.queue
    }
}
