//! Decides when an import is repeated, and when the push fails.

use std::time::{Duration, Instant};

use runtime::RetryPolicy;

const POLICY: RetryPolicy =
    RetryPolicy::doubling(Duration::from_millis(250), Duration::from_secs(15));
/// How long attempts may fail without reaching a later line.
const LIMIT: Duration = Duration::from_mins(3);

#[derive(Debug, Default)]
pub struct Retries {
    failures: u32,
    since: Option<Instant>,
    reached: u64,
}

impl Retries {
    /// Returns the next wait, at least as long as requested. `None` if it would end after `LIMIT`.
    /// An attempt that reached a later line restarts that time.
    pub fn next_wait(
        &mut self,
        reached: u64,
        asked_for: Option<Duration>,
        now: Instant,
    ) -> Option<Duration> {
        if reached > self.reached {
            *self = Self {
                reached,
                ..Self::default()
            };
        }
        self.failures += 1;
        let failing = now.duration_since(*self.since.get_or_insert(now));
        let wait = POLICY.spread(self.failures, rand::random());
        let wait = wait.max(asked_for.unwrap_or_default());
        (failing.saturating_add(wait) <= LIMIT).then_some(wait)
    }

    pub const fn next_number(&self) -> u32 {
        self.failures + 1
    }

    pub fn given_up(&self, message: &str) -> String {
        let since = self.since.map(|at| at.elapsed());
        let seconds = since.unwrap_or_default().as_secs();
        let attempts = match self.failures {
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
    fn an_import_fails_after_three_minutes_without_progress() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut retries = Retries::default();
        let first = retries.next_wait(100, None, start).unwrap();
        assert!(first < Duration::from_millis(501), "{first:?}");
        assert!(retries.next_wait(90, None, at(170)).is_some());
        assert_eq!(retries.next_number(), 3);
        assert!(retries.next_wait(100, None, at(181)).is_none());
        assert!(retries.next_wait(101, None, at(200)).is_some(), "further");
        assert!(retries.next_wait(101, None, at(379)).is_some());
        assert!(retries.next_wait(101, None, at(381)).is_none());
        let text = retries.given_up("503");
        assert!(text.starts_with("gave up after 3 attempts in "), "{text}");
    }

    #[test]
    fn a_wait_that_the_service_asks_for_is_kept_if_it_is_not_too_long() {
        let wait = |seconds| {
            let asked_for = Some(Duration::from_secs(seconds));
            Retries::default().next_wait(0, asked_for, Instant::now())
        };
        assert_eq!(wait(20), Some(Duration::from_secs(20)));
        assert_eq!([wait(3_600), wait(u64::MAX)], [None; 2]);
    }
}
