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

    #[test]
    fn waits_double_up_to_the_longest_and_jitter_takes_at_most_half_away() {
        for (attempts, asked, jitter, seconds) in [
            (1, 0, 1.0, 1),
            (2, 0, 1.0, 2),
            (3, 0, 1.0, 4),
            (4, 0, 1.0, 8),
            (4, 0, 0.0, 4),
            (10, 0, 1.0, 512),
            (11, 0, 1.0, 600),
            (u32::MAX, 0, 1.0, 600),
            // A wait that was asked for is kept.
            (1, 1_800, 0.5, 1_800),
        ] {
            let asked = (asked > 0).then(|| Duration::seconds(asked));
            let next = RetryPolicy::STANDARD.next(attempts, Some(NOW), asked, jitter, NOW);
            assert_eq!(next, Some(NOW + Duration::seconds(seconds)), "{attempts}");
        }
    }

    #[test]
    fn gives_up_twelve_hours_after_the_first_failure() {
        let policy = RetryPolicy::STANDARD;
        let late = NOW + Duration::hours(12);
        let goes_on = |since, now| policy.next(50, since, None, 0.5, now).is_some();
        assert!(!goes_on(Some(NOW), late));
        assert!(goes_on(Some(NOW), late - Duration::SECOND) && goes_on(None, late));
    }
}
