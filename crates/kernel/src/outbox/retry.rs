//! When a failed task is retried.

use std::time::Duration;

use time::OffsetDateTime;

use crate::RetryPolicy;

/// Jitter at most doubles these waits.
const WAITS: RetryPolicy =
    RetryPolicy::doubling(Duration::from_millis(500), Duration::from_mins(5));

const GIVE_UP_AFTER: time::Duration = time::Duration::hours(12);

/// The time of the next attempt at a task whose `attempts`-th attempt failed. `None` if the task
/// must be dead-lettered.
///
/// `jitter` is random, from 0 to 1. `asked` is the requested minimum wait.
pub fn next_attempt(
    attempts: u32,
    first_failed_at: Option<OffsetDateTime>,
    asked: Option<time::Duration>,
    jitter: f64,
    now: OffsetDateTime,
) -> Option<OffsetDateTime> {
    if now - first_failed_at.unwrap_or(now) >= GIVE_UP_AFTER {
        return None;
    }
    let wait = time::Duration::try_from(WAITS.spread(attempts, jitter)).ok()?;
    now.checked_add(asked.map_or(wait, |asked| wait.max(asked)))
}

#[cfg(test)]
mod tests {
    use time::{Duration, OffsetDateTime, macros::datetime};

    use super::next_attempt;

    const NOW: OffsetDateTime = datetime!(2026-01-01 00:00 UTC);

    #[test]
    fn waits_double_up_to_the_longest_and_jitter_removes_at_most_half() {
        for (attempts, asked, jitter, seconds) in [
            (1, 0, 1.0, 1),
            (2, 0, 1.0, 2),
            (3, 0, 1.0, 4),
            (4, 0, 1.0, 8),
            (4, 0, 0.0, 4),
            (10, 0, 1.0, 512),
            (11, 0, 1.0, 600),
            (u32::MAX, 0, 1.0, 600),
            (1, 1_800, 0.5, 1_800),
        ] {
            let asked = (asked > 0).then(|| Duration::seconds(asked));
            let next = next_attempt(attempts, Some(NOW), asked, jitter, NOW);
            assert_eq!(next, Some(NOW + Duration::seconds(seconds)), "{attempts}");
        }
    }

    #[test]
    fn the_last_attempt_is_twelve_hours_after_the_first_failure() {
        let late = NOW + Duration::hours(12);
        let goes_on = |since, now| next_attempt(50, since, None, 0.5, now).is_some();
        assert!(!goes_on(Some(NOW), late));
        assert!(goes_on(Some(NOW), late - Duration::SECOND) && goes_on(None, late));
    }
}
