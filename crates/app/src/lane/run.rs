//! The steps of the use case that the stages of a lane share: load, decide, commit.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
};

use domain::{
    posting::{Answer, Lifetime, PutPosting, decide},
    store::{Known, RowLocks, Store, StoreError},
    usecase::{self, Answers, IngestError},
};

use tokio::sync::Notify;

use super::snapshot::Epoch;
use crate::{clock::Clock, panics};

/// Runs the steps of the use case for the stages of one lane. A panic in a step fails one batch,
/// not the lane.
pub(super) struct Runner {
    store: Arc<dyn Store>,
    lifetime: Lifetime,
    clock: Clock,
    epoch: AtomicU64,
    unread: AtomicUsize,
    read: Notify,
}

impl Runner {
    pub fn new(store: Arc<dyn Store>, lifetime: Lifetime, clock: Clock) -> Self {
        Self {
            store,
            lifetime,
            clock,
            epoch: AtomicU64::new(0),
            unread: AtomicUsize::new(0),
            read: Notify::new(),
        }
    }

    /// The commit counter: commits that were made or attempted. A read from before a commit may be
    /// stale.
    pub fn epoch(&self) -> Epoch {
        self.epoch.load(Ordering::Acquire)
    }

    /// Counts a command that was queued for the first stage.
    pub fn note_queued(&self) {
        self.unread.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts commands that the first stage is done with, and wakes the second stage.
    pub fn note_read(&self, commands: usize) {
        self.unread.fetch_sub(commands, Ordering::Relaxed);
        self.read.notify_waiters();
    }

    /// Waits until the first stage is done with a batch; false at once if nothing is queued there.
    pub async fn next_read(&self) -> bool {
        let read = self.read.notified();
        let is_any = self.unread.load(Ordering::Relaxed) > 0;
        if is_any {
            read.await;
        }
        is_any
    }

    /// Loads the postings and companies that commands name.
    pub async fn load(&self, puts: &[&PutPosting]) -> Result<Known, StoreError> {
        panics::caught(usecase::load_batch(self.store.as_ref(), puts)).await
    }

    /// The answer to a command that would change nothing; `None` if it has to be committed.
    pub fn unchanged(&self, known: &Known, put: &PutPosting) -> Option<Answer> {
        let now = (self.clock)();
        let decided = catch_unwind(AssertUnwindSafe(|| decide(known, put, self.lifetime, now)));
        match decided {
            Ok(Ok(decision)) if decision.change.is_none() => Some(decision.answer),
            // Refusals and failures are left to the second stage, which knows the writes of the
            // commands before.
            _ => None,
        }
    }

    /// The answer that a command would get on the state that was loaded for its batch. It is loaded
    /// for the command alone if that failed, because another command may be the cause.
    pub async fn dry_run(
        &self,
        known: Option<&Known>,
        put: &PutPosting,
    ) -> Result<Answer, IngestError> {
        let alone;
        let known = if let Some(known) = known {
            known
        } else {
            alone = self.load(&[put]).await.map_err(refusal)?;
            &alone
        };
        let now = (self.clock)();
        let decided = panics::caught(async { Ok(decide(known, put, self.lifetime, now)) });
        let decision = decided.await.map_err(refusal)??;
        Ok(decision.answer)
    }

    /// The rows that the commit of a batch would lock; `None` if it would lock none.
    pub fn locks(&self, known: &Known, puts: &[&PutPosting]) -> Option<RowLocks> {
        let now = (self.clock)();
        // A panic is left to the commit.
        let decided = catch_unwind(AssertUnwindSafe(|| {
            usecase::decide_batch(known.clone(), puts, self.lifetime, now)
        }));
        let (_, writes) = decided.ok()?;
        let locks = RowLocks::of(&writes, known);
        (!locks.is_empty()).then_some(locks)
    }

    /// The rows of a batch that other transactions hold locked, and the state that was loaded to
    /// find that out.
    pub async fn find_held(&self, puts: &[&PutPosting]) -> Result<(RowLocks, Known), StoreError> {
        let known = self.load(puts).await?;
        let locks = self.locks(&known, puts).unwrap_or_default();
        let held = self.held(&locks).await?;
        Ok((held, known))
    }

    /// Those of these rows that other transactions hold locked.
    async fn held(&self, locks: &RowLocks) -> Result<RowLocks, StoreError> {
        panics::caught(self.store.held(locks)).await
    }

    /// Loads, decides and commits a batch.
    pub async fn ingest(&self, puts: &[&PutPosting]) -> Result<Answers, StoreError> {
        let known = self.load(puts).await?;
        self.commit(puts, known).await
    }

    /// Decides and commits a batch on state that was loaded.
    pub async fn commit(&self, puts: &[&PutPosting], known: Known) -> Result<Answers, StoreError> {
        let now = (self.clock)();
        let result = panics::caught(async {
            let (answers, writes) = usecase::decide_batch(known, puts, self.lifetime, now);
            if !writes.is_empty() {
                self.store.commit(writes).await?;
            }
            Ok(answers)
        })
        .await;
        self.epoch.fetch_add(1, Ordering::Release);
        result
    }
}

/// The answer to a command whose state could not be read or decided on.
fn refusal(error: StoreError) -> IngestError {
    match error {
        StoreError::Broken(why) => IngestError::Broken(why),
        other => IngestError::Unavailable(other.to_string()),
    }
}
