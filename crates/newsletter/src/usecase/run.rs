use kernel::{StoreError, audit::Entry};

use crate::store::{Store, WriteSet};

/// The run of a command, recorded before the first write, and again with its counts at the end.
pub struct Run {
    entry: Entry,
    has_begun: bool,
}

impl Run {
    /// A run that this entry records.
    pub const fn new(entry: Entry) -> Self {
        Self {
            entry,
            has_begun: false,
        }
    }

    /// Records the beginning of the run, on the first call only.
    pub async fn begin(&mut self, store: &dyn Store) -> Result<(), StoreError> {
        if !self.has_begun {
            record(store, &self.entry).await?;
            self.has_begun = true;
        }
        Ok(())
    }

    /// Records the counts, if the run has begun.
    pub async fn end(
        self,
        store: &dyn Store,
        counts: impl IntoIterator<Item = (&'static str, u64)>,
    ) -> Result<(), StoreError> {
        if !self.has_begun {
            return Ok(());
        }
        let add = |entry: Entry, (name, count)| entry.with(name, count);
        let entry = counts.into_iter().fold(self.entry, add);
        record(store, &entry).await
    }
}

async fn record(store: &dyn Store, entry: &Entry) -> Result<(), StoreError> {
    let mut writes = WriteSet::new(entry.at);
    writes.tasks.audit.push(entry.clone());
    store.commit(writes).await
}
