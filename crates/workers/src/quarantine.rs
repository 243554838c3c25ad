//! Isolates tasks whose worker died without a report, because such a task may have killed it. A
//! process handles one such task at a time, and enriches nothing else meanwhile. If the process
//! dies meanwhile, that task is the cause: only enrichments compute on untrusted input.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use domain::posting::ENRICH;
use kernel::outbox::{Kind, Queue};
use runtime::Recent;
use tokio::sync::{MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};

#[derive(Default)]
pub(super) struct Quarantine {
    one: tokio::sync::Mutex<()>,
    /// Rounds of enrichment share this lock. A task that may be poison takes it exclusively.
    enriching: RwLock<()>,
    looked_at: Mutex<Recent<Queue>>,
}

pub(super) struct Exclusive<'a> {
    _one: MutexGuard<'a, ()>,
    _enriching: RwLockWriteGuard<'a, ()>,
}

impl Quarantine {
    fn looked_at(&self) -> std::sync::MutexGuard<'_, Recent<Queue>> {
        self.looked_at
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub fn is_to_look(&self, queue: Queue, every: Duration) -> bool {
        let mut looked_at = self.looked_at();
        let is_due = !looked_at.has(&queue);
        if is_due {
            looked_at.remember(queue, every);
        }
        is_due
    }

    /// Looks again soon, because a queue with one crashed task may have more.
    pub fn look_again(&self, queue: Queue) {
        self.looked_at().forget(&queue);
    }

    pub async fn exclusive(&self) -> Exclusive<'_> {
        Exclusive {
            _one: self.one.lock().await,
            _enriching: self.enriching.write().await,
        }
    }

    pub async fn shared(&self, kind: Kind) -> Option<RwLockReadGuard<'_, ()>> {
        if kind == ENRICH.kind() {
            Some(self.enriching.read().await)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use newsletter::tasks::MIGRATE;

    use super::*;

    #[tokio::test]
    async fn what_may_be_poison_is_worked_on_exclusively() {
        let quarantine = Quarantine::default();
        let ordinary = quarantine.shared(ENRICH.kind()).await;
        assert!(ordinary.is_some());
        let mut poison = Box::pin(quarantine.exclusive());
        assert!(poison.as_mut().now_or_never().is_none());
        drop(ordinary);
        let exclusive = poison.await;
        assert!(quarantine.exclusive().now_or_never().is_none());
        let enriching = quarantine.shared(ENRICH.kind());
        assert!(enriching.now_or_never().is_none());
        for kind in &crate::kinds()[1..] {
            assert!(quarantine.shared(*kind).now_or_never().is_some());
        }
        drop(exclusive);
        let enriching = quarantine.shared(ENRICH.kind());
        assert!(enriching.now_or_never().is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn queues_are_looked_at_now_and_then() {
        let (quarantine, every) = (Quarantine::default(), Duration::from_secs(1));
        let looks = |queue| quarantine.is_to_look(queue, every);
        assert!(looks(MIGRATE) && looks(ENRICH));
        assert!(!looks(MIGRATE));
        quarantine.look_again(MIGRATE);
        assert!(looks(MIGRATE) && !looks(ENRICH));
        tokio::time::advance(every).await;
        assert!(looks(ENRICH));
    }
}
