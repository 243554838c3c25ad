use kernel::{StoreError, outbox::Claimed};

use super::tasks::Tasks;

/// After this many consecutive tasks whose failure could not be recorded, the store counts as
/// unavailable. A single such task may have a locked row.
const MISSES: usize = 2;

/// A batch that is handled task by task. A task whose result the store refuses is postponed alone.
pub(super) struct SplitBatch<'a> {
    tasks: &'a Tasks,
    most: usize,
    misses: usize,
}

impl<'a> SplitBatch<'a> {
    pub fn new(tasks: &'a Tasks, size: usize) -> Self {
        Self {
            tasks,
            most: MISSES.min(size),
            misses: 0,
        }
    }

    /// Notes a task's result. An error means that the store is unavailable.
    pub async fn note(
        &mut self,
        task: &Claimed,
        done: Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let error = match done {
            Ok(()) => {
                self.misses = 0;
                return Ok(());
            }
            Err(error) => error,
        };
        // After a lost lease this does nothing, because another worker has the task.
        if self.tasks.failed(task, error.clone()).await {
            self.misses = 0;
            return Ok(());
        }
        self.misses += 1;
        if self.misses < self.most {
            Ok(())
        } else {
            Err(error)
        }
    }
}
