use std::time::Duration;

use tokio::{sync::Mutex, time::Instant};

pub struct Cached<T> {
    lifetime: Duration,
    last: Mutex<Option<(Instant, T)>>,
}

impl<T: Clone> Cached<T> {
    pub const fn new(lifetime: Duration) -> Self {
        Self {
            lifetime,
            last: Mutex::const_new(None),
        }
    }

    /// Returns the cached value, or computes a new one. Concurrent callers share one computation.
    pub async fn get(&self, new: impl Future<Output = T>) -> T {
        let mut last = self.last.lock().await;
        if let Some((at, value)) = last.as_ref()
            && at.elapsed() < self.lifetime
        {
            return value.clone();
        }
        let value = new.await;
        *last = Some((Instant::now(), value.clone()));
        value
    }
}

#[cfg(test)]
mod tests {
    use std::future::ready;

    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_value_is_found_once_in_its_lifetime() {
        let cached = Cached::new(Duration::from_secs(5));
        let mut found = Vec::new();
        for n in 0..4 {
            found.push(cached.get(ready(n)).await);
            advance(Duration::from_secs(3)).await;
        }
        assert_eq!(found, [0, 0, 2, 2]);
    }
}
