//! Batches that failed as a whole, and are gone through task by task.

use domain::{outbox::Claimed, store::StoreError};

use super::tasks::Tasks;

/// So many tasks in a row of which nothing could be written, not even that they failed, mean that
/// the store is away. One alone may be locked by somebody.
const MISSES: usize = 2;

/// A batch that is gone through task by task. What the store refuses of one task while it takes
/// what is said about it is that task's own trouble: it is put off, and the others go on.
pub(super) struct SplitBatch<'a> {
    tasks: &'a Tasks,
    most: usize,
    misses: usize,
}

impl<'a> SplitBatch<'a> {
    /// A batch of so many tasks.
    pub fn new(tasks: &'a Tasks, size: usize) -> Self {
        Self {
            tasks,
            most: MISSES.min(size),
            misses: 0,
        }
    }

    /// Notes what came of a task. An error means that the store is away.
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
        // With a lost lease this does nothing: somebody else has the task.
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
