//! Leases: their terms, how long a holder may rely on a lease, and its renewal.

use std::{
    fmt::Display,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use kernel::StoreError;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::panics;

/// A failed renewal is retried after this fraction of the interval.
const SOONER: u32 = 10;

/// A holder relies on a lease for this part of its length. The rest covers requests and calls.
const RELIABLE: f64 = 0.8;

#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// The time from a renewal to the end of the lease.
    pub length: Duration,
    pub renew_every: Duration,
}

impl Terms {
    pub const STANDARD: Self = Self {
        length: Duration::from_secs(30),
        renew_every: Duration::from_secs(10),
    };

    /// The time until which a holder may rely on a lease that it requests now.
    pub fn until(&self) -> Instant {
        Instant::now() + self.length.mul_f64(RELIABLE)
    }

    /// Renews leases at intervals while polled. Ends when `renew` returns `false`: the leases are
    /// lost. A failed renewal is retried soon.
    pub async fn renew<E, F>(&self, leases: &str, mut renew: impl FnMut() -> F)
    where
        E: From<StoreError> + Display,
        F: Future<Output = Result<bool, E>>,
    {
        let mut wait = self.renew_every;
        loop {
            sleep(wait).await;
            wait = match panics::caught(renew()).await {
                Ok(true) => self.renew_every,
                Ok(false) => return,
                Err(error) => {
                    tracing::warn!(%error, "the lease of {leases} was not renewed");
                    self.renew_every / SOONER
                }
            };
        }
    }

    /// Renews one lease like [`renew`](Self::renew), and ends `held` when the lease is lost.
    pub async fn keep<E, F>(&self, name: &str, held: &Held, renew: impl Fn() -> F)
    where
        E: From<StoreError> + Display,
        F: Future<Output = Result<bool, E>>,
    {
        self.renew(name, async || {
            let until = self.until();
            let is_held = renew().await?;
            if is_held {
                held.extend(until);
            }
            Ok::<_, E>(is_held)
        })
        .await;
        held.end();
    }
}

#[derive(Debug)]
pub struct Held {
    until: Mutex<Instant>,
    lost: CancellationToken,
}

impl Held {
    pub fn until(until: Instant) -> Self {
        Self {
            until: Mutex::new(until),
            lost: CancellationToken::new(),
        }
    }

    pub fn holds(&self) -> bool {
        !self.lost.is_cancelled() && Instant::now() < self.end_of_trust()
    }

    /// Returns a token that a loss or end of the lease cancels. An expiry in an outage is no loss.
    pub const fn lost(&self) -> &CancellationToken {
        &self.lost
    }

    pub fn end(&self) {
        self.lost.cancel();
    }

    pub fn extend(&self, until: Instant) {
        *self.until.lock().unwrap_or_else(PoisonError::into_inner) = until;
    }

    /// Waits until the holder may no longer rely on the lease.
    pub async fn lapsed(&self) {
        while Instant::now() < self.end_of_trust() {
            sleep_until(self.end_of_trust()).await;
        }
    }

    fn end_of_trust(&self) -> Instant {
        *self.until.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::future::ready;

    use super::*;

    fn unavailable() -> Result<bool, StoreError> {
        Err(StoreError::Unavailable("down".to_owned()))
    }

    #[tokio::test(start_paused = true)]
    async fn a_lease_is_renewed_until_it_is_lost_and_soon_again_after_a_failure() {
        let mut answers = vec![Ok(false), Ok(true), unavailable(), unavailable(), Ok(true)];
        let start = Instant::now();
        let mut times = Vec::new();
        Terms::STANDARD
            .renew("tasks", || {
                times.push(start.elapsed().as_secs());
                ready(answers.pop().unwrap())
            })
            .await;
        assert_eq!(times, [10, 20, 21, 22, 32]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_lease_that_is_not_renewed_is_relied_on_until_shortly_before_its_end() {
        let (terms, start) = (Terms::STANDARD, Instant::now());
        let held = Held::until(terms.until());
        let is_down = |at: Duration| at > Duration::from_secs(15) && at < Duration::from_mins(1);
        let kept = terms.keep("a lease", &held, || {
            let at = start.elapsed();
            ready(if is_down(at) {
                unavailable()
            } else {
                Ok(at < Duration::from_mins(2))
            })
        });
        let looked = async {
            held.lapsed().await;
            assert_eq!(start.elapsed().as_secs(), 34, "24 seconds after a renewal");
            assert!(!held.holds());
            assert!(!held.lost().is_cancelled(), "no other process has taken it");
            sleep(Duration::from_mins(1)).await;
            assert!(held.holds(), "renewed again");
            held.lost().cancelled().await;
        };
        tokio::join!(kept, looked);
        assert!(!held.holds());
    }
}
