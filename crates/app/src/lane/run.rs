//! The steps of the use case that the stages of a lane share: load, decide, commit.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use domain::{
    company::Company,
    decision::{Decision, decide},
    posting::{Answer, Lifetime, PutPosting},
    store::{Known, LockedRows, RowLocks, Store, WriteSet},
    usecase::{self, Answers, IngestError},
};
use kernel::{CompanyId, StoreError};
use tokio::{
    sync::{Notify, futures::Notified},
    time::Instant,
};

use super::{
    guess::Guesses,
    pace::{Limits, Pace},
    snapshot::{Read, RecentWrites, Written},
};
use crate::{clock::Clock, panics};

/// Runs the steps of the use case for the stages of one lane. A panic in a step fails one batch,
/// not the lane.
pub(super) struct Runner {
    store: Arc<dyn Store>,
    locks: Arc<dyn LockedRows>,
    lifetime: Lifetime,
    clock: Clock,
    writes: Arc<RecentWrites>,
    pace: Pace,
    guesses: Guesses,
    unread: AtomicUsize,
    read: Notify,
}

/// A batch that was decided.
pub(super) struct Decided {
    /// Valid once the writes are committed.
    pub answers: Answers,
    pub writes: WriteSet,
}

impl Runner {
    pub fn new(
        store: Arc<dyn Store>,
        locks: Arc<dyn LockedRows>,
        lifetime: Lifetime,
        clock: Clock,
        limits: Limits,
    ) -> Self {
        Self {
            store,
            locks,
            lifetime,
            clock,
            writes: Arc::default(),
            pace: Pace::new(limits),
            guesses: Guesses::new(limits.guess_after),
            unread: AtomicUsize::new(0),
            read: Notify::new(),
        }
    }

    pub fn pace(&self) -> &Pace {
        &self.pace
    }

    pub fn guesses(&self) -> &Guesses {
        &self.guesses
    }

    /// What the lane has written lately.
    pub fn recent_writes(&self) -> &RecentWrites {
        &self.writes
    }

    /// Marks the start of a read whose snapshots are kept.
    pub fn begin_read(&self) -> Arc<Read> {
        self.writes.begin_read()
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

    /// The next time that the first stage is done with a batch.
    pub fn next_read(&self) -> Notified<'_> {
        self.read.notified()
    }

    /// Whether commands wait for the first stage, or are being read there.
    pub fn is_reading(&self) -> bool {
        self.unread.load(Ordering::Relaxed) > 0
    }

    /// Loads the postings and companies that commands name.
    pub async fn load(&self, puts: &[&PutPosting]) -> Result<Known, StoreError> {
        let start = Instant::now();
        let loaded = panics::caught(usecase::load_batch(self.store.as_ref(), puts)).await;
        self.pace.note(start.elapsed());
        loaded
    }

    /// The answer to a command that would change nothing; `None` if it has to be committed.
    pub fn unchanged(&self, known: &Known, put: &PutPosting) -> Option<Answer> {
        let now = (self.clock)();
        let decided = catch_unwind(AssertUnwindSafe(|| decide(known, put, self.lifetime, now)));
        match decided {
            Ok(Ok(Decision {
                answer,
                change: None,
            })) => Some(Answer {
                basis: known.basis(&put.identifier),
                ..answer
            }),
            // Refusals and failures are left to the second stage, which knows the writes of the
            // commands before.
            _ => None,
        }
    }

    /// The company of a command that would create its posting, if the lane guesses that it does.
    pub fn guess(&self, put: &PutPosting) -> Option<Company> {
        if !self.pace.is_far() {
            return None;
        }
        let id = CompanyId::of(put.patch.company().website()?);
        let company = self.guesses.company(id)?;
        let known = Known {
            companies: [(id, company.clone())].into(),
            ..Known::default()
        };
        let now = (self.clock)();
        let decided = catch_unwind(AssertUnwindSafe(|| decide(&known, put, self.lifetime, now)));
        // A refusal is none of an existing posting.
        matches!(decided, Ok(Ok(_))).then_some(company)
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
        let held = panics::caught(self.locks.locked_rows(&locks)).await?;
        Ok((held, known))
    }

    /// Loads, decides and commits a batch.
    pub async fn ingest(&self, puts: &[&PutPosting]) -> Result<Answers, StoreError> {
        let known = self.load(puts).await?;
        self.commit(puts, known).await
    }

    /// Decides and commits a batch on state that was loaded.
    pub async fn commit(&self, puts: &[&PutPosting], known: Known) -> Result<Answers, StoreError> {
        self.write(self.decide(puts, known)?).await
    }

    /// Decides a batch on state that was loaded.
    pub fn decide(&self, puts: &[&PutPosting], known: Known) -> Result<Decided, StoreError> {
        let now = (self.clock)();
        let decided = catch_unwind(AssertUnwindSafe(|| {
            usecase::decide_batch(known, puts, self.lifetime, now)
        }));
        match decided {
            Ok((answers, writes)) => Ok(Decided { answers, writes }),
            Err(panic) => Err(StoreError::Broken(panics::message(panic.as_ref()))),
        }
    }

    /// Commits a batch that was decided, and gives its answers back.
    pub async fn write(&self, decided: Decided) -> Result<Answers, StoreError> {
        let Decided { answers, writes } = decided;
        if writes.is_empty() {
            return Ok(answers);
        }
        let written = Written::of(&writes);
        let start = Instant::now();
        let result = panics::caught(self.store.commit(writes)).await;
        self.pace.note(start.elapsed());
        self.writes.note(written);
        result.map(|()| answers)
    }
}

/// The answer to a command whose state could not be read or decided on.
fn refusal(error: StoreError) -> IngestError {
    match error {
        StoreError::Broken(why) => IngestError::Broken(why),
        other => IngestError::Unavailable(other.to_string()),
    }
}
