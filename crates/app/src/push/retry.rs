//! When to try again, and when to give up.

use std::time::{Duration, Instant};

use crate::waits::Waits;

/// How to treat a service that does not do its work.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// The first wait; the next ones grow, with jitter.
    pub first_wait: Duration,
    /// The longest wait that is not asked for by the service.
    pub longest_wait: Duration,
    /// When to give a line up, from its first attempt.
    pub limit: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            first_wait: Duration::from_millis(250),
            longest_wait: Duration::from_secs(15),
            limit: Duration::from_mins(3),
        }
    }
}

/// The attempts at one thing.
#[derive(Debug)]
pub struct Attempts {
    waits: Waits,
    limit: Duration,
    started: Instant,
    failed: u32,
}

impl Attempts {
    /// The first attempt starts now.
    pub fn new(patience: Patience) -> Self {
        Self {
            waits: Waits::growing(patience.first_wait, patience.longest_wait),
            limit: patience.limit,
            started: Instant::now(),
            failed: 0,
        }
    }

    /// How long to wait after a failed attempt: at least as long as the service asked for.
    /// `None` when the wait would take too long.
    pub fn next_wait(&mut self, asked_for: Option<Duration>) -> Option<Duration> {
        self.failed += 1;
        let wait = self.waits.next()?.max(asked_for.unwrap_or_default());
        (self.started.elapsed() + wait <= self.limit).then_some(wait)
    }

    /// When the first attempt started.
    pub fn started(&self) -> Instant {
        self.started
    }

    /// A sentence about why there is no further attempt.
    pub fn given_up(&self, message: &str) -> String {
        let seconds = self.started.elapsed().as_secs();
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
        let patience = Patience::default();
        let mut attempts = Attempts::new(patience);
        let waits: Vec<_> = (0..12).map_while(|_| attempts.next_wait(None)).collect();
        assert!(
            (patience.first_wait..patience.first_wait * 2).contains(&waits[0]),
            "{waits:?}"
        );
        assert!(waits[3] >= patience.first_wait * 8, "{waits:?}");
        assert!(
            waits.iter().all(|wait| *wait <= patience.longest_wait * 2),
            "{waits:?}"
        );
        let over = Patience {
            limit: Duration::ZERO,
            ..patience
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
        let mut attempts = Attempts::new(Patience::default());
        let asked_for = Duration::from_secs(20);
        assert_eq!(attempts.next_wait(Some(asked_for)), Some(asked_for));
        assert_eq!(attempts.next_wait(Some(Duration::from_hours(1))), None);
    }
}
