//! Renewals of a lease.

use std::{fmt::Display, time::Duration};

use kernel::StoreError;
use tokio::time::sleep;

use crate::panics;

/// The time between two attempts after a failure, as a part of that between two renewals.
const SOONER: u32 = 10;

/// Renews a lease at intervals for as long as it is polled, and returns when it is lost: when a
/// renewal answers `false`. One that fails is made again soon, as the lease may still be held.
pub async fn keep<E, F>(lease: &str, every: Duration, mut renew: impl FnMut() -> F)
where
    E: From<StoreError> + Display,
    F: Future<Output = Result<bool, E>>,
{
    let mut wait = every;
    loop {
        sleep(wait).await;
        wait = match panics::caught(renew()).await {
            Ok(true) => every,
            Ok(false) => return,
            Err(error) => {
                tracing::warn!(%error, "the lease of {lease} was not renewed");
                every / SOONER
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use std::future::ready;

    use tokio::time::Instant;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_lease_is_renewed_until_it_is_lost_and_soon_again_after_a_failure() {
        let away = || Err(StoreError::Unavailable("away".to_owned()));
        let mut answers = vec![Ok(false), Ok(true), away(), away(), Ok(true)];
        let start = Instant::now();
        let mut times = Vec::new();
        keep("a task", Duration::from_secs(10), || {
            times.push(start.elapsed().as_secs());
            ready(answers.pop().unwrap())
        })
        .await;
        assert_eq!(times, [10, 20, 21, 22, 32]);
    }
}
