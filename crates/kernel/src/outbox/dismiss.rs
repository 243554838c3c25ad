//! Dead tasks that an operator dismisses.

use time::OffsetDateTime;

use super::row::TaskRow;
use crate::audit::{Attribution, Entry, OUTBOX_DISMISS};

/// The dismissal of dead tasks, whose effects will not happen.
#[derive(Clone, Debug)]
pub struct Dismissal {
    /// The operator.
    pub by: Attribution,
    /// The operator's reason.
    pub reason: String,
    /// The time.
    pub at: OffsetDateTime,
}

impl Dismissal {
    /// The audit entry about a task. A repeated commit writes the same entry.
    pub fn entry(&self, task: &TaskRow) -> Entry {
        let entry = self.by.entry(OUTBOX_DISMISS, self.at);
        entry
            .about(task.key)
            .part(&task.id.0.to_be_bytes())
            .with("task", task.id.0)
            .with("kind", task.kind.as_str())
            .with("reason", self.reason.as_str())
    }
}
