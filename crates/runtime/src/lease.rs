//! Leases: their terms, how long a holder may rely on one, and their renewal.

use std::{
    fmt::Display,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use kernel::StoreError;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::panics;

/// The time between two attempts after a failure, as a part of that between two renewals.
const SOONER: u32 = 10;

/// The part of its length for which a holder relies on a lease: requests and the calls that the
/// lease protects take a while.
const RELIABLE: f64 = 0.8;

/// How long leases last, and how often they are renewed.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// The time from a renewal to the end of a lease.
    pub length: Duration,
    /// The time between two renewals.
    pub renew_every: Duration,
}

impl Terms {
    /// The terms of all leases.
    pub const STANDARD: Self = Self {
        length: Duration::from_secs(30),
        renew_every: Duration::from_secs(10),
    };

    /// The time until which a holder may rely on a lease that it asks for now.
    pub fn until(&self) -> Instant {
        Instant::now() + self.length.mul_f64(RELIABLE)
    }

    /// Renews leases at intervals for as long as it is polled, and returns when they are lost: when
    /// a renewal answers `false`. A failed renewal is retried soon, as the leases may still be held.
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

    /// Renews a lease likewise, and ends it when it is lost.
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

/// A lease that this process has taken.
#[derive(Debug)]
pub struct Held {
    until: Mutex<Instant>,
    lost: CancellationToken,
}

impl Held {
    /// A lease that may be relied on until a time.
    pub fn until(until: Instant) -> Self {
        Self {
            until: Mutex::new(until),
            lost: CancellationToken::new(),
        }
    }

    /// Whether it may be relied on now.
    pub fn holds(&self) -> bool {
        !self.lost.is_cancelled() && Instant::now() < self.end_of_trust()
    }

    /// Is cancelled when the lease is lost. A lease that lapses while the store is unavailable is
    /// still held if no other process has taken it.
    pub const fn lost(&self) -> &CancellationToken {
        &self.lost
    }

    /// Ends it: it is not relied on any more.
    pub fn end(&self) {
        self.lost.cancel();
    }

    /// Relies on it until a later time.
    pub fn extend(&self, until: Instant) {
        *self.until.lock().unwrap_or_else(PoisonError::into_inner) = until;
    }

    /// Waits until it may not be relied on any more because it was not renewed.
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

    fn away() -> Result<bool, StoreError> {
        Err(StoreError::Unavailable("away".to_owned()))
    }

    #[tokio::test(start_paused = true)]
    async fn a_lease_is_renewed_until_it_is_lost_and_soon_again_after_a_failure() {
        let mut answers = vec![Ok(false), Ok(true), away(), away(), Ok(true)];
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
        let is_away = |at: Duration| at > Duration::from_secs(15) && at < Duration::from_mins(1);
        let kept = terms.keep("a lease", &held, || {
            let at = start.elapsed();
            ready(if is_away(at) {
                away()
            } else {
                Ok(at < Duration::from_mins(2))
            })
        });
        let looked = async {
            held.lapsed().await;
            assert_eq!(start.elapsed().as_secs(), 34, "24 seconds after a renewal");
            assert!(!held.holds());
            assert!(!held.lost().is_cancelled(), "nobody else has taken it");
            sleep(Duration::from_mins(1)).await;
            assert!(held.holds(), "renewed again");
            held.lost().cancelled().await;
        };
        tokio::join!(kept, looked);
        assert!(!held.holds());
    }
}
