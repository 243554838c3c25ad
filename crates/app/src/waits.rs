//! Backoff before retries: growing waits with jitter, so that processes that failed together do not
//! retry together.

use std::time::Duration;

use backon::{BackoffBuilder as _, ExponentialBackoff, ExponentialBuilder};

/// Waits after conflicts, which are over within milliseconds.
pub fn after_conflicts() -> ExponentialBackoff {
    growing(Duration::from_millis(5), Duration::from_millis(250))
}

/// Waits for a row that another transaction holds locked.
pub fn after_locks() -> ExponentialBackoff {
    growing(Duration::from_millis(25), Duration::from_millis(500))
}

/// Waits after failures of the store.
pub fn after_failures() -> ExponentialBackoff {
    growing(Duration::from_millis(250), Duration::from_secs(5))
}

/// A time with jitter of ±25 %, so that processes do not act at the same moment.
pub fn about(time: Duration) -> Duration {
    time.mul_f64(0.75 + rand::random::<f64>() / 2.0)
}

fn growing(first: Duration, longest: Duration) -> ExponentialBackoff {
    ExponentialBuilder::default()
        .with_min_delay(first)
        .with_max_delay(longest)
        .without_max_times()
        .with_jitter()
        .build()
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

    #[test]
    fn waits_of_different_callers_differ() {
        let (one, other): (Vec<_>, Vec<_>) = (
            after_conflicts().take(20).collect(),
            after_conflicts().take(20).collect(),
        );
        assert_ne!(one, other);
    }
}
