//! The steps of the use case. A panic counts as a store failure: it fails a command or batch, not
//! the lane.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

use domain::{
    decision::Decided,
    posting::{Lifetime, PutPosting, Rejection},
    store::{LockedRows, RowLocks, Store},
    usecase::{Answers, Batch},
};
use kernel::StoreError;

use time::OffsetDateTime;

use runtime::{Clock, panics};

pub(super) struct Context {
    pub store: Arc<dyn Store>,
    pub locks: Arc<dyn LockedRows>,
    pub lifetime: Lifetime,
    pub clock: Clock,
    /// Whether a command of the last load named another company than its posting has. If so, the
    /// next load also reads the named companies. Most pushes are repeated, and do not need them.
    pub names_others: AtomicBool,
}

impl Context {
    pub fn batch(&self) -> Batch {
        Batch::new(self.lifetime, (self.clock)())
    }

    pub async fn load(&self, batch: &mut Batch, puts: &[&PutPosting]) -> Result<(), StoreError> {
        let with_named = self.names_others.load(Relaxed);
        let names_others = panics::caught(batch.load(&*self.store, puts, with_named)).await?;
        self.names_others.store(names_others, Relaxed);
        Ok(())
    }

    pub async fn commit(&self, batch: Batch) -> (Answers, Result<(), StoreError>) {
        let (answers, writes) = batch.finish();
        let committed = if writes.is_empty() {
            Ok(())
        } else {
            panics::caught(self.store.commit(writes)).await
        };
        (answers, committed)
    }

    pub async fn held(&self, locks: &RowLocks) -> Result<RowLocks, StoreError> {
        if locks.is_empty() {
            return Ok(RowLocks::default());
        }
        panics::caught(self.locks.locked_rows(locks)).await
    }
}

pub(super) fn decide(
    batch: &Batch,
    put: &PutPosting,
    now: OffsetDateTime,
) -> Result<Result<Decided, Rejection>, StoreError> {
    let decided = catch_unwind(AssertUnwindSafe(|| batch.decide(put, now)));
    decided.map_err(|panic| StoreError::Broken(panics::message(panic.as_ref())))
}
