use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures_util::future::{BoxFuture, FutureExt as _, Shared};
use kernel::StoreError;
use tokio::time::{Instant, sleep_until};

const PACE: Duration = Duration::from_millis(50);

type Found<K, V> = Result<Arc<HashMap<K, V>>, StoreError>;
type Read<K, V> =
    Arc<dyn Fn(Vec<K>) -> BoxFuture<'static, Result<HashMap<K, V>, StoreError>> + Send + Sync>;

/// Combines the lookups of unauthenticated callers. The store is read by one lookup at a time, at
/// most twenty times a second. So each caller waits for at most two reads.
pub struct Gathered<K, V> {
    read: Read<K, V>,
    /// Locked while a read is in progress. Holds the start of the last read.
    turn: Arc<tokio::sync::Mutex<Option<Instant>>>,
    next: Arc<Mutex<Option<Next<K, V>>>>,
}

struct Next<K, V> {
    keys: Vec<K>,
    outcome: Shared<BoxFuture<'static, Found<K, V>>>,
}

impl<K, V> Gathered<K, V>
where
    K: Clone + Eq + Hash + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    /// `read` returns the values of the keys that exist.
    pub fn new<F>(read: impl Fn(Vec<K>) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<HashMap<K, V>, StoreError>> + Send + 'static,
    {
        Self {
            read: Arc::new(move |keys| read(keys).boxed()),
            turn: Arc::default(),
            next: Arc::default(),
        }
    }

    /// Reads the key's value. The read begins after this call.
    pub async fn get(&self, key: K) -> Result<Option<V>, StoreError> {
        let outcome = self.join(key.clone());
        let found = outcome.await?;
        Ok(found.get(&key).cloned())
    }

    fn join(&self, key: K) -> Shared<BoxFuture<'static, Found<K, V>>> {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let next = next.get_or_insert_with(|| Next {
            keys: Vec::new(),
            outcome: self.round().boxed().shared(),
        });
        next.keys.push(key);
        next.outcome.clone()
    }

    /// Waits its turn, then reads all keys that have arrived. Every caller polls the future, so it
    /// continues when a caller disconnects.
    fn round(&self) -> impl Future<Output = Found<K, V>> + Send + 'static {
        let (read, turn, next) = (self.read.clone(), self.turn.clone(), self.next.clone());
        async move {
            let mut last = turn.lock().await;
            if let Some(last) = *last {
                sleep_until(last + PACE).await;
            }
            *last = Some(Instant::now());
            let taken = next.lock().unwrap_or_else(PoisonError::into_inner).take();
            let keys = taken.map(|next| next.keys).unwrap_or_default();
            read(keys).await.map(Arc::new)
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::future::join_all;
    use tokio::time::sleep;

    use super::*;

    type Reads = Arc<Mutex<Vec<Vec<u32>>>>;

    /// Each read takes 10 ms.
    fn evens(reads: &Reads) -> Arc<Gathered<u32, u32>> {
        let reads = Arc::clone(reads);
        Arc::new(Gathered::new(move |keys: Vec<u32>| {
            reads.lock().unwrap().push(keys.clone());
            async move {
                sleep(Duration::from_millis(10)).await;
                let evens = keys.into_iter().filter(|key| key % 2 == 0);
                Ok(evens.map(|key| (key, key * 10)).collect())
            }
        }))
    }

    #[tokio::test(start_paused = true)]
    async fn callers_that_wait_are_answered_by_one_read() {
        let reads = Reads::default();
        let gathered = evens(&reads);
        let start = Instant::now();
        let all = join_all((0..30).map(|key| gathered.get(key))).await;
        for (key, found) in (0..).zip(all) {
            assert_eq!(found, Ok((key % 2 == 0).then_some(key * 10)));
        }
        assert_eq!(gathered.get(4).await, Ok(Some(40)));
        // The first caller's read begins at once. The other callers wait for its end and the pace.
        assert_eq!(start.elapsed(), 2 * PACE + Duration::from_millis(10));
        let sizes: Vec<_> = reads.lock().unwrap().iter().map(Vec::len).collect();
        assert_eq!(sizes, [1, 29, 1]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_key_that_comes_during_a_read_is_read_afterwards_and_none_waits_for_one_that_left() {
        let reads = Reads::default();
        let gathered = evens(&reads);
        let leaving = {
            let gathered = Arc::clone(&gathered);
            tokio::spawn(async move { gathered.get(1).await })
        };
        sleep(Duration::from_millis(1)).await;
        let late = {
            let gathered = Arc::clone(&gathered);
            tokio::spawn(async move { gathered.get(2).await })
        };
        sleep(Duration::from_millis(1)).await;
        leaving.abort();
        assert_eq!(late.await.unwrap(), Ok(Some(20)));
        assert_eq!(*reads.lock().unwrap(), [[1], [2]]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_failed_read_fails_only_its_callers() {
        let count = Mutex::new(0);
        let gathered = Gathered::new(move |_: Vec<u32>| {
            let mut count = count.lock().unwrap();
            *count += 1;
            let is_first = *count == 1;
            async move {
                let gone = || StoreError::Unavailable("gone".to_owned());
                if is_first {
                    Err(gone())
                } else {
                    Ok(HashMap::from([(1, 1)]))
                }
            }
        });
        let (first, second) = tokio::join!(gathered.get(1), gathered.get(2));
        assert!(first.is_err());
        assert_eq!(second, Ok(None));
        assert_eq!(gathered.get(1).await, Ok(Some(1)));
    }
}
