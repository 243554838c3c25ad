//! The use case, step by step, for both stages of a lane.

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

use super::found::Commits;
use crate::{clock::Clock, panics};

/// What the stages of a lane share. A panic in the use case is a failure of one batch, not the
/// end of the lane.
pub(super) struct Runner {
    store: Arc<dyn Store>,
    lifetime: Lifetime,
    clock: Clock,
    commits: AtomicU64,
    arriving: AtomicUsize,
    read: Notify,
}

impl Runner {
    pub fn new(store: Arc<dyn Store>, lifetime: Lifetime, clock: Clock) -> Self {
        Self {
            store,
            lifetime,
            clock,
            commits: AtomicU64::new(0),
            arriving: AtomicUsize::new(0),
            read: Notify::new(),
        }
    }

    /// How often the lane has committed, or tried to: what was read when there were fewer may
    /// have changed since.
    pub fn commits(&self) -> Commits {
        self.commits.load(Ordering::Acquire)
    }

    /// Notes that a command is on its way to the first stage.
    pub fn arrives(&self) {
        self.arriving.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes that the first stage is done with so many commands.
    pub fn have_arrived(&self, commands: usize) {
        self.arriving.fetch_sub(commands, Ordering::Relaxed);
        self.read.notify_waiters();
    }

    /// Waits for the first stage to be done with a batch, if there is anything for it to do.
    pub async fn next_arrivals(&self) -> bool {
        let read = self.read.notified();
        let is_any = self.arriving.load(Ordering::Relaxed) > 0;
        if is_any {
            read.await;
        }
        is_any
    }

    /// Loads what commands need to know.
    pub async fn load(&self, puts: &[&PutPosting]) -> Result<Known, StoreError> {
        panics::caught(usecase::load_batch(self.store.as_ref(), puts)).await
    }

    /// The answer to a command that changes nothing of what is known.
    pub fn unchanged(&self, known: &Known, put: &PutPosting) -> Option<Answer> {
        let now = (self.clock)();
        let decided = catch_unwind(AssertUnwindSafe(|| decide(known, put, self.lifetime, now)));
        match decided {
            Ok(Ok(decision)) if decision.change.is_none() => Some(decision.answer),
            // Refusals are left to the stage that knows what is about to be written, and so is
            // what fails.
            _ => None,
        }
    }

    /// The rows that the commit of a batch would lock, unless there is none.
    pub fn locks(&self, known: &Known, puts: &[&PutPosting]) -> Option<RowLocks> {
        let now = (self.clock)();
        // What panics is left to the commit.
        let decided = catch_unwind(AssertUnwindSafe(|| {
            usecase::decide_batch(known.clone(), puts, self.lifetime, now)
        }));
        let (_, writes) = decided.ok()?;
        let locks = RowLocks::of(&writes, known);
        (!locks.is_empty()).then_some(locks)
    }

    /// What a batch would lock and others hold locked, and what is known besides.
    pub async fn find_held(&self, puts: &[&PutPosting]) -> Result<(RowLocks, Known), StoreError> {
        let known = self.load(puts).await?;
        let locks = self.locks(&known, puts).unwrap_or_default();
        let held = self.held(&locks).await?;
        Ok((held, known))
    }

    /// Those rows that others hold locked.
    async fn held(&self, locks: &RowLocks) -> Result<RowLocks, StoreError> {
        panics::caught(self.store.held(locks)).await
    }

    /// Carries a batch out.
    pub async fn ingest(&self, puts: &[&PutPosting]) -> Result<Answers, StoreError> {
        let known = self.load(puts).await?;
        self.commit(puts, known).await
    }

    /// Carries a batch out on what is known.
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
        self.commits.fetch_add(1, Ordering::Release);
        result
    }
}

/// The answer to a command that was alone in its batch.
pub(super) fn only(answers: Answers) -> Result<Answer, IngestError> {
    match answers.into_iter().next() {
        Some(answer) => answer.map_err(IngestError::from),
        None => Err(IngestError::Broken("a command got no answer".to_owned())),
    }
}
