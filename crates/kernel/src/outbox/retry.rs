//! When a failed task is tried again.

use time::{Duration, OffsetDateTime};

/// Growing, jittered waits until a time limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// The wait after the first failure.
    pub first: Duration,
    /// The longest wait.
    pub longest: Duration,
    /// The time from the first failure to giving a task up.
    pub give_up_after: Duration,
}

impl RetryPolicy {
    /// The policy of all tasks: from a second to ten minutes, for twelve hours.
    pub const STANDARD: Self = Self {
        first: Duration::seconds(1),
        longest: Duration::minutes(10),
        give_up_after: Duration::hours(12),
    };

    /// The time of the next attempt after the `attempts`-th one failed, or `None` to give up.
    ///
    /// The wait doubles with each attempt. `jitter`, a random number from 0 to 1, spreads it over
    /// its upper half, so that tasks that failed together are not retried together. `asked` is a
    /// wait that the other side asked for, which is kept.
    pub fn next(
        &self,
        attempts: u32,
        first_failed_at: Option<OffsetDateTime>,
        asked: Option<Duration>,
        jitter: f64,
        now: OffsetDateTime,
    ) -> Option<OffsetDateTime> {
        if now - first_failed_at.unwrap_or(now) >= self.give_up_after {
            return None;
        }
        let doublings = attempts.saturating_sub(1).min(30);
        let wait = (self.first * 2_i32.pow(doublings)).min(self.longest);
        let wait = wait * (0.5 + jitter.clamp(0.0, 1.0) / 2.0);
        // A wait past the end of time is one for ever.
        now.checked_add(wait.max(asked.unwrap_or(Duration::ZERO)))
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-01-01 00:00 UTC);

    fn wait(attempts: u32, asked: Option<Duration>, jitter: f64) -> Duration {
        RetryPolicy::STANDARD
            .next(attempts, Some(NOW), asked, jitter, NOW)
            .unwrap()
            - NOW
    }

    #[test]
    fn waits_double_up_to_the_longest() {
        let waits: Vec<_> = [1, 2, 3, 10, 11, u32::MAX]
            .map(|n| wait(n, None, 1.0).whole_seconds())
            .into();
        assert_eq!(waits, [1, 2, 4, 512, 600, 600]);
    }

    #[test]
    fn jitter_takes_at_most_half_away() {
        assert_eq!(wait(4, None, 0.0), Duration::seconds(4));
        assert_eq!(wait(4, None, 1.0), Duration::seconds(8));
    }

    #[test]
    fn a_wait_that_was_asked_for_is_kept() {
        assert_eq!(
            wait(1, Some(Duration::minutes(30)), 0.5),
            Duration::minutes(30)
        );
    }

    #[test]
    fn gives_up_twelve_hours_after_the_first_failure() {
        let policy = RetryPolicy::STANDARD;
        let late = NOW + Duration::hours(12);
        assert_eq!(policy.next(50, Some(NOW), None, 0.5, late), None);
        assert!(
            policy
                .next(50, Some(NOW), None, 0.5, late - Duration::SECOND)
                .is_some()
        );
        assert!(policy.next(50, None, None, 0.5, late).is_some());
    }
}
