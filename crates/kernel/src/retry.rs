//! The waits between attempts after failures.

use std::time::Duration;

/// Waits that grow with each failure, up to a limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RetryPolicy {
    /// The wait after the first failure.
    pub first: Duration,
    /// The longest wait.
    pub longest: Duration,
    /// The growth factor.
    pub growth: f64,
}

impl RetryPolicy {
    /// Waits that double.
    pub const fn doubling(first: Duration, longest: Duration) -> Self {
        Self {
            first,
            longest,
            growth: 2.0,
        }
    }

    /// The wait after this many consecutive failures.
    pub fn wait(&self, failures: u32) -> Duration {
        let further = i32::try_from(failures.saturating_sub(1)).unwrap_or(i32::MAX);
        let seconds = self.first.as_secs_f64() * self.growth.powi(further);
        let wait = Duration::try_from_secs_f64(seconds).unwrap_or(self.longest);
        wait.min(self.longest)
    }

    /// The same wait with jitter, so that callers that failed together do not retry together.
    /// `jitter` (random, from 0 to 1) at most doubles the wait.
    pub fn spread(&self, failures: u32, jitter: f64) -> Duration {
        self.wait(failures).mul_f64(1.0 + jitter.clamp(0.0, 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: RetryPolicy =
        RetryPolicy::doubling(Duration::from_secs(1), Duration::from_mins(1));

    #[test]
    fn waits_double_up_to_the_longest() {
        let waits = [0, 1, 2, 3, 6, 7, u32::MAX].map(|failures| POLICY.wait(failures).as_secs());
        assert_eq!(waits, [1, 1, 2, 4, 32, 60, 60]);
    }

    #[test]
    fn jitter_at_most_doubles_a_wait() {
        for (jitter, expect) in [(-1.0, 4.0), (0.0, 4.0), (0.5, 6.0), (1.0, 8.0), (2.0, 8.0)] {
            let wait = POLICY.spread(3, jitter).as_secs_f64();
            assert!((wait - expect).abs() < 1e-6, "{jitter}: {wait}");
        }
    }
}
