//! Rows of the outbox.

use time::OffsetDateTime;
use uuid::Uuid;

/// The number of a row of the outbox, in the order of writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TaskId(pub i64);

/// A row of the outbox as an operator sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskRow {
    /// The row.
    pub id: TaskId,
    /// The name of its kind.
    pub kind: String,
    /// The UUID of its subject.
    pub key: Uuid,
    /// The number of claims since the attempts were last reset.
    pub attempts: u32,
    /// When it is due, or its lease ends.
    pub next_at: OffsetDateTime,
    /// The last error.
    pub last_error: Option<String>,
}
