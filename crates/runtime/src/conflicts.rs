//! Retries after conflicts and transient failures.

use std::time::Duration;

use kernel::{StoreError, StoreFailure};
use tokio::time::sleep;

use crate::{panics, waits};

/// The time limit for a command whose caller waits.
pub const COMMAND_PATIENCE: Duration = Duration::from_secs(10);

/// Retries a use case after conflicts, with growing, jittered waits, for at most `within`. Each
/// attempt decides again by the current state. A panic counts as a failure of the store.
pub async fn decide_again<T, E: StoreFailure, F>(
    within: Duration,
    mut attempt: impl FnMut() -> F,
) -> Result<T, E>
where
    F: Future<Output = Result<T, E>>,
{
    let waits = waits::after_conflicts().within(within).from_now();
    // The box keeps whole postings out of the futures of all callers.
    retry(waits, E::is_conflict, || Box::pin(attempt())).await
}

/// Retries with these waits after transient failures. A panic counts as a failure of the store.
pub async fn retry<T, E: From<StoreError>, F>(
    mut waits: impl Iterator<Item = Duration>,
    may_pass: impl Fn(&E) -> bool,
    mut call: impl FnMut() -> F,
) -> Result<T, E>
where
    F: Future<Output = Result<T, E>>,
{
    loop {
        match panics::caught(call()).await {
            Err(error) if may_pass(&error) => match waits.next() {
                Some(wait) => sleep(wait).await,
                None => return Err(error),
            },
            result => return result,
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::Instant;

    use super::*;

    const WITHIN: Duration = Duration::from_secs(10);

    #[tokio::test(start_paused = true)]
    async fn a_conflict_is_decided_again_and_nothing_else_is() {
        let mut answers = vec![Ok(7), Err(StoreError::Conflict), Err(StoreError::Conflict)];
        let answer = decide_again(WITHIN, || std::future::ready(answers.pop().unwrap())).await;
        assert_eq!(answer, Ok(7));

        let mut tries = 0;
        let down = StoreError::Unavailable("gone".to_owned());
        let answer = decide_again(WITHIN, || {
            tries += 1;
            std::future::ready(Err::<(), _>(down.clone()))
        })
        .await;
        assert_eq!((answer, tries), (Err(down.clone()), 1));
    }

    #[tokio::test(start_paused = true)]
    async fn conflicts_that_never_end_do() {
        let start = Instant::now();
        let answer = decide_again(WITHIN, || {
            std::future::ready(Err::<(), _>(StoreError::Conflict))
        })
        .await;
        assert_eq!(answer, Err(StoreError::Conflict));
        let took = start.elapsed();
        assert!(took <= WITHIN && took > WITHIN / 2, "{took:?}");
    }

    #[tokio::test]
    async fn a_panic_is_a_failure() {
        let answer = decide_again(WITHIN, || async { panic!("a defect") }).await;
        let broken = StoreError::Broken("it panicked: a defect".to_owned());
        assert_eq!(answer, Err::<(), _>(broken));
    }
}
