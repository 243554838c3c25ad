//! Dead tasks that an operator dismisses.

use time::OffsetDateTime;
use uuid::Uuid;

use super::row::TaskRow;
use crate::audit::{Action, Attribution, Entry};

/// The dismissal of dead tasks: what they were for is not going to happen.
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
    /// The entry of the audit about a task. Each has one, and keeps it when the commit is repeated.
    pub fn entry(&self, task: &TaskRow) -> Entry {
        let by = Attribution {
            id: Uuid::new_v5(&self.by.id, &task.id.0.to_be_bytes()),
            operator: self.by.operator.clone(),
        };
        by.entry(Action::OUTBOX_DISMISS, self.at)
            .about(task.key)
            .with("task", task.id.0)
            .with("kind", task.kind.as_str())
            .with("reason", self.reason.as_str())
    }
}
