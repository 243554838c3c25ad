use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, PoisonError, Weak},
};

use tokio::sync::OwnedMutexGuard;

/// Above this number of locks, unused ones are dropped.
const MAX_UNUSED: usize = 64;

type Lock = tokio::sync::Mutex<()>;

pub(super) struct People<K> {
    locks: Mutex<HashMap<K, Weak<Lock>>>,
}

impl<K> Default for People<K> {
    fn default() -> Self {
        Self {
            locks: Mutex::default(),
        }
    }
}

impl<K: Eq + Hash> People<K> {
    pub async fn alone(&self, person: K) -> OwnedMutexGuard<()> {
        self.of(person).lock_owned().await
    }

    fn of(&self, person: K) -> Arc<Lock> {
        let mut locks = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lock) = locks.get(&person).and_then(Weak::upgrade) {
            return lock;
        }
        if locks.len() > MAX_UNUSED {
            locks.retain(|_, lock| lock.strong_count() > 0);
        }
        let lock = Arc::default();
        locks.insert(person, Arc::downgrade(&lock));
        lock
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use kernel::testing::uuid;
    use newsletter::subscriber::SubscriberId;

    use super::*;

    #[tokio::test]
    async fn only_those_who_work_for_the_same_person_wait() {
        let people = People::default();
        let [ada, bob] = [1, 2].map(|n| SubscriberId::new(uuid(n)));
        let guard = people.alone(ada).await;
        assert!(people.alone(ada).now_or_never().is_none());
        assert!(people.alone(bob).now_or_never().is_some());
        drop(guard);
        assert!(people.alone(ada).now_or_never().is_some());
    }

    #[tokio::test]
    async fn unused_locks_are_dropped() {
        let people = People::default();
        let kept = people.alone(SubscriberId::new(uuid(0))).await;
        for n in 1..10 * MAX_UNUSED as u128 {
            people.alone(SubscriberId::new(uuid(n))).await;
        }
        assert!(people.locks.lock().unwrap().len() <= MAX_UNUSED + 2);
        let waits = people.alone(SubscriberId::new(uuid(0))).now_or_never();
        assert!(waits.is_none());
        drop(kept);
    }
}
