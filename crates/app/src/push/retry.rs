//! The retry policy: when to try again, and when to give up.

use std::time::{Duration, Instant};

use crate::waits::Waits;

/// The retry policy of a request.
#[derive(Clone, Copy, Debug)]
pub struct RetryPolicy {
    /// The first wait; the next ones grow, with jitter.
    pub first_wait: Duration,
    /// The longest wait, unless the service asks for a longer one.
    pub longest_wait: Duration,
    /// The time from the first failure after which a request is given up.
    pub limit: Duration,
    /// The time after which an attempt in which nothing moves has failed.
    pub patience: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            first_wait: Duration::from_millis(250),
            longest_wait: Duration::from_secs(15),
            limit: Duration::from_mins(3),
            // A client with a limit of requests is slowed down: many lines may be under way.
            patience: Duration::from_mins(15),
        }
    }
}

/// The attempts at a request.
#[derive(Debug)]
pub struct Attempts {
    waits: Waits,
    limit: Duration,
    first_failure: Option<Instant>,
    failed: u32,
}

impl Attempts {
    pub const fn new(policy: RetryPolicy) -> Self {
        Self {
            waits: Waits::growing(policy.first_wait, policy.longest_wait),
            limit: policy.limit,
            first_failure: None,
            failed: 0,
        }
    }

    /// The wait after a failed attempt, at least as long as the service asked for. `None` if it
    /// would exceed the limit.
    pub fn next_wait(&mut self, asked_for: Option<Duration>) -> Option<Duration> {
        self.failed += 1;
        let since = self
            .first_failure
            .get_or_insert_with(Instant::now)
            .elapsed();
        let wait = self.waits.next()?.max(asked_for.unwrap_or_default());
        (since.saturating_add(wait) <= self.limit).then_some(wait)
    }

    /// The number of the next attempt.
    pub const fn next_number(&self) -> u32 {
        self.failed + 1
    }

    /// The message about giving up.
    pub fn given_up(&self, message: &str) -> String {
        let since = self.first_failure.map(|at| at.elapsed());
        let seconds = since.unwrap_or_default().as_secs();
        let attempts = match self.failed {
            1 => "1 attempt".to_owned(),
            more => format!("{more} attempts"),
        };
        format!("gave up after {attempts} in {seconds} s: {message}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_with_jitter_and_end_at_the_limit() {
        let policy = RetryPolicy::default();
        let mut attempts = Attempts::new(policy);
        let waits: Vec<_> = (0..12).map_while(|_| attempts.next_wait(None)).collect();
        assert!(
            (policy.first_wait..policy.first_wait * 2).contains(&waits[0]),
            "{waits:?}"
        );
        assert!(waits[3] >= policy.first_wait * 8, "{waits:?}");
        assert!(
            waits.iter().all(|wait| *wait <= policy.longest_wait * 2),
            "{waits:?}"
        );
        let over = RetryPolicy {
            limit: Duration::ZERO,
            ..policy
        };
        let mut attempts = Attempts::new(over);
        assert_eq!(attempts.next_wait(None), None);
        assert_eq!(
            attempts.given_up("503"),
            "gave up after 1 attempt in 0 s: 503"
        );
    }

    #[test]
    fn a_wait_that_the_service_asks_for_is_kept_if_it_is_not_too_long() {
        let mut attempts = Attempts::new(RetryPolicy::default());
        let asked_for = Duration::from_secs(20);
        assert_eq!(attempts.next_wait(Some(asked_for)), Some(asked_for));
        assert_eq!(attempts.next_wait(Some(Duration::from_hours(1))), None);
        assert_eq!(attempts.next_wait(Some(Duration::MAX)), None);
    }
}
