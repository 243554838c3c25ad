//! Isolates tasks that may be poison: those whose worker died without a report. One of them may
//! have killed it, so a process handles one of these at a time, of whatever queue, and enriches
//! nothing beside it: if the process dies then, it died of this one. Only enrichments compute on
//! untrusted input.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use domain::posting::ENRICH;
use kernel::outbox::{Kind, Queue};
use runtime::Recent;
use tokio::sync::{MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Keeps tasks that may be poison apart from each other and from enrichments.
#[derive(Default)]
pub(super) struct Quarantine {
    one: tokio::sync::Mutex<()>,
    /// Shared by rounds that enrich, and exclusive to a task that may be poison.
    enriching: RwLock<()>,
    /// The queues that were looked at for such tasks.
    looked_at: Mutex<Recent<Queue>>,
}

/// A permit to handle a task that may be poison.
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

    /// Whether to look for such tasks in a queue now: true for one loop in each interval.
    pub fn is_to_look(&self, queue: Queue, every: Duration) -> bool {
        let mut looked_at = self.looked_at();
        let is_due = !looked_at.has(&queue);
        if is_due {
            looked_at.remember(queue, every);
        }
        is_due
    }

    /// Lets the next look be at once: a queue with one of them may have more.
    pub fn look_again(&self, queue: Queue) {
        self.looked_at().forget(&queue);
    }

    /// Waits for the permit to claim and handle a task that may be poison.
    pub async fn exclusive(&self) -> Exclusive<'_> {
        Exclusive {
            _one: self.one.lock().await,
            _enriching: self.enriching.write().await,
        }
    }

    /// Waits for the permit to handle ordinary tasks of a kind.
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
