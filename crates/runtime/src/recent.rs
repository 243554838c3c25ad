use std::{collections::HashMap, hash::Hash, time::Duration};

use tokio::time::Instant;

/// Keys that are remembered for a while, such as locked rows.
#[derive(Debug)]
pub struct Recent<K>(HashMap<K, Instant>);

impl<K> Default for Recent<K> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<K: Eq + Hash> Recent<K> {
    pub fn has(&self, key: &K) -> bool {
        let until = self.0.get(key);
        until.is_some_and(|until| *until > Instant::now())
    }

    /// Remembers the key for this time. Returns whether the key is new.
    pub fn remember(&mut self, key: K, time: Duration) -> bool {
        let now = Instant::now();
        let before = self.0.insert(key, now + time);
        before.is_none_or(|until| until <= now)
    }

    pub fn forget(&mut self, key: &K) {
        self.0.remove(key);
    }

    pub fn forget_old(&mut self) {
        let now = Instant::now();
        self.0.retain(|_, until| *until > now);
    }

    /// Also counts keys whose time is over.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_key_is_remembered_for_its_time() {
        let second = Duration::from_secs(1);
        let mut recent = Recent::default();
        assert!(recent.remember("a", second) && recent.remember("b", 2 * second));
        assert!(!recent.remember("a", second));
        advance(second).await;
        assert!(!recent.has(&"a") && recent.has(&"b"));
        assert!(recent.remember("a", second));
        advance(second).await;
        assert_eq!(recent.len(), 2);
        recent.forget_old();
        assert!(recent.is_empty());
        recent.remember("b", second);
        recent.forget(&"b");
        assert!(!recent.has(&"b"));
    }
}
