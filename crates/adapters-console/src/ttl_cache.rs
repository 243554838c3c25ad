//! Answers that are slow to compute, cached for some seconds.

use std::{future::Future, sync::Arc, time::Duration};

use kernel::StoreError;
use tokio::{
    sync::Mutex,
    time::{Instant, timeout},
};

use crate::error::Failure;

const KEPT_FOR: Duration = Duration::from_secs(30);
/// How long a page waits for an answer. Afterwards the computation continues without the page.
const WAIT: Duration = Duration::from_millis(50);

type Answer<T> = Option<(Instant, T)>;

/// The last computed answer. One task at a time computes a new one; meanwhile pages show the last.
#[derive(Debug)]
pub struct TtlCache<T> {
    last: Arc<Mutex<Answer<T>>>,
    asking: Arc<Mutex<()>>,
    lifetime: Duration,
}

impl<T> Default for TtlCache<T> {
    fn default() -> Self {
        Self::new(KEPT_FOR)
    }
}

impl<T> TtlCache<T> {
    /// Without a lifetime each page recomputes, and shows the previous answer if that takes too
    /// long.
    pub fn new(lifetime: Duration) -> Self {
        Self {
            last: Arc::default(),
            asking: Arc::default(),
            lifetime,
        }
    }
}

impl<T: Clone + Send + 'static> TtlCache<T> {
    /// Returns the last answer, or a new one if that is old. `None` if there is no answer yet.
    pub async fn get(
        &self,
        question: impl Future<Output = Result<T, StoreError>> + Send + 'static,
    ) -> Result<Option<T>, Failure> {
        let last = self.last.lock().await.clone();
        if let Some((at, answer)) = &last
            && at.elapsed() < self.lifetime
        {
            return Ok(Some(answer.clone()));
        }
        let known = last.map(|(_, answer)| answer);
        let Ok(asking) = Arc::clone(&self.asking).try_lock_owned() else {
            return Ok(known);
        };
        let place = Arc::clone(&self.last);
        let task = tokio::spawn(async move {
            let answer = question.await?;
            *place.lock().await = Some((Instant::now(), answer.clone()));
            drop(asking);
            Ok::<_, StoreError>(answer)
        });
        match timeout(WAIT, task).await {
            Ok(Ok(answer)) => Ok(Some(answer?)),
            Ok(Err(error)) => Err(Failure::broken(error)),
            Err(_) => Ok(known),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    async fn ask(kept: &TtlCache<u32>, asked: &Arc<AtomicU32>) -> Option<u32> {
        let asked = Arc::clone(asked);
        let question = async move {
            tokio::time::sleep(Duration::from_secs(1)).await;
            Ok(asked.fetch_add(1, Ordering::Relaxed) + 1)
        };
        kept.get(question)
            .await
            .expect("the question has an answer")
    }

    #[tokio::test(start_paused = true)]
    async fn a_page_waits_for_no_dear_question() {
        let (kept, asked) = (TtlCache::default(), Arc::default());
        let second = Duration::from_secs(1);
        // The answer is computed, in progress, cached, and recomputed while the old one is shown.
        for (pause, expect) in [
            (Duration::ZERO, None),
            (Duration::ZERO, None),
            (second, Some(1)),
            (KEPT_FOR, Some(1)),
            (second, Some(2)),
        ] {
            tokio::time::sleep(pause).await;
            assert_eq!(ask(&kept, &asked).await, expect);
        }
        assert_eq!(asked.load(Ordering::Relaxed), 2);
        let kept = TtlCache::new(Duration::ZERO);
        for answer in [1, 2] {
            assert!(
                matches!(kept.get(async move { Ok(answer) }).await, Ok(found) if found == Some(answer))
            );
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_unavailable_store_is_asked_again() {
        let kept = TtlCache::default();
        let away = async { Err(StoreError::Unavailable("gone".to_owned())) };
        let failed: Result<Option<u32>, _> = kept.get(away).await;
        assert!(matches!(failed, Err(Failure::Unavailable(_))));
        assert!(matches!(kept.get(async { Ok(7) }).await, Ok(Some(7))));
    }
}
