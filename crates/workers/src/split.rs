use kernel::{StoreError, outbox::Claimed};

use super::tasks::Tasks;

/// Counts consecutive items of a batch that the store refused when they were written alone.
pub(super) struct Misses {
    most: usize,
    in_a_row: usize,
}

impl Misses {
    /// A single refused item may have a locked row. After two, the store counts as unavailable.
    pub fn of_batch(size: usize) -> Self {
        Self {
            most: size.min(2),
            in_a_row: 0,
        }
    }

    pub fn end(&mut self) {
        self.in_a_row = 0;
    }

    /// Counts a refused item, and returns whether the store counts as unavailable.
    #[must_use]
    pub fn count(&mut self) -> bool {
        self.in_a_row += 1;
        self.in_a_row >= self.most
    }
}

/// A batch that is handled task by task. A task whose result the store refuses is postponed alone.
pub(super) struct SplitBatch<'a> {
    tasks: &'a Tasks,
    misses: Misses,
}

impl<'a> SplitBatch<'a> {
    pub fn new(tasks: &'a Tasks, size: usize) -> Self {
        Self {
            tasks,
            misses: Misses::of_batch(size),
        }
    }

    /// Notes a task's result. An error means that the store is unavailable.
    pub async fn note(
        &mut self,
        task: &Claimed,
        done: Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let Err(error) = done else {
            self.misses.end();
            return Ok(());
        };
        // After a lost lease this does nothing, because another worker has the task.
        if self.tasks.failed(task, error.clone()).await {
            self.misses.end();
            return Ok(());
        }
        if self.misses.count() {
            return Err(error);
        }
        Ok(())
    }
}
