//! A posting's history: changes with time, reason and actor.

use kernel::{Actor, Status};
use time::OffsetDateTime;

/// One step of a posting's history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryEntry {
    /// The status from then on.
    pub status: Status,
    /// The time.
    pub at: OffsetDateTime,
    /// The reason, if there is one.
    pub reason: Option<String>,
    /// The actor.
    pub by: Actor,
}
