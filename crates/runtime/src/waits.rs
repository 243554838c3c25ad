//! Back-off with jitter. Processes that failed together do not retry together.

use std::time::Duration;

use kernel::RetryPolicy;
use tokio::time::Instant;

#[derive(Clone, Debug)]
pub struct Waits {
    policy: RetryPolicy,
    failures: u32,
}

impl Waits {
    pub const fn growing(first: Duration, longest: Duration) -> Self {
        Self {
            policy: RetryPolicy::doubling(first, longest),
            failures: 0,
        }
    }
}

impl Waits {
    /// Ends the waits after `most`, counted from the first wait.
    pub const fn within(self, most: Duration) -> Within {
        Within {
            waits: self,
            most,
            since: None,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Within {
    waits: Waits,
    most: Duration,
    since: Option<Instant>,
}

impl Within {
    pub fn from_now(self) -> Self {
        Self {
            since: Some(Instant::now()),
            ..self
        }
    }
}

impl Iterator for Within {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        let since = *self.since.get_or_insert_with(Instant::now);
        let wait = self.waits.next()?;
        (since.elapsed() + wait <= self.most).then_some(wait)
    }
}

impl Iterator for Waits {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        self.failures = self.failures.saturating_add(1);
        Some(self.policy.spread(self.failures, rand::random()))
    }
}

/// Short waits, because conflicts pass within milliseconds.
pub const fn after_conflicts() -> Waits {
    Waits::growing(Duration::from_millis(5), Duration::from_millis(250))
}

pub const fn after_locks() -> Waits {
    Waits::growing(Duration::from_millis(25), Duration::from_millis(500))
}

pub const fn after_failures() -> Waits {
    Waits::growing(Duration::from_millis(250), Duration::from_secs(5))
}

/// Varies a time by ±25 %.
pub fn jittered(time: Duration) -> Duration {
    time.mul_f64(0.75 + rand::random::<f64>() / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_a_limit_and_never_end() {
        let waits: Vec<_> = after_conflicts().take(50).collect();
        assert_eq!(waits.len(), 50);
        assert!(waits[0] >= Duration::from_millis(5) && waits[0] <= Duration::from_millis(10));
        assert!(waits[49] >= Duration::from_millis(250) && waits[49] <= Duration::from_millis(500));
    }

    #[tokio::test(start_paused = true)]
    async fn waits_end_in_time_from_the_first_on() {
        let mut waits = after_failures().within(Duration::from_secs(9));
        let from_now = waits.clone().from_now();
        tokio::time::advance(Duration::from_secs(20)).await;
        assert_eq!(from_now.count(), 0);
        for wait in waits.by_ref() {
            tokio::time::advance(wait).await;
        }
        assert_eq!(waits.next(), None);
    }

    #[test]
    fn waits_of_different_callers_differ() {
        let (one, other): (Vec<_>, Vec<_>) = (
            after_conflicts().take(20).collect(),
            after_conflicts().take(20).collect(),
        );
        assert_ne!(one, other);
    }
}
