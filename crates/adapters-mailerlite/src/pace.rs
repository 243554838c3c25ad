//! How fast requests to one account may follow each other.

use std::{num::NonZeroU32, time::Duration};

use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};

/// A minute as it passes here. The provider counts requests where they arrive, and of a minute's
/// requests the first may have travelled longer than the last.
const MINUTE: Duration = Duration::from_secs(61);

/// Lets requests through one by one, evenly spaced: what was not used is not saved up.
#[derive(Debug)]
pub struct Pace {
    limiter: DefaultDirectRateLimiter,
}

impl Pace {
    /// So many requests a minute.
    pub fn per_minute(limit: NonZeroU32) -> Self {
        Self {
            limiter: RateLimiter::direct(quota(limit)),
        }
    }

    /// Waits until the next request may be sent.
    pub async fn next(&self) {
        self.limiter.until_ready().await;
    }
}

fn quota(limit: NonZeroU32) -> Quota {
    Quota::with_period(MINUTE / limit.get())
        // Only for a period of nothing, which no limit is high enough for.
        .unwrap_or_else(|| Quota::per_minute(limit))
        .allow_burst(NonZeroU32::MIN)
}

#[cfg(test)]
mod tests {
    use governor::clock::FakeRelativeClock;

    use super::*;

    /// When somebody in a hurry gets through, in milliseconds, over five minutes, after having
    /// saved up for one.
    fn passages(limit: u32) -> Vec<u64> {
        let clock = FakeRelativeClock::default();
        let limiter =
            RateLimiter::direct_with_clock(quota(limit.try_into().unwrap()), clock.clone());
        clock.advance(Duration::from_mins(1));
        (0..300_000)
            .filter(|_| {
                let passes = limiter.check().is_ok();
                clock.advance(Duration::from_millis(1));
                passes
            })
            .collect()
    }

    #[test]
    fn no_minute_holds_more_than_the_limit() {
        for limit in [1, 2, 60, 120, 1000] {
            let passages = passages(limit);
            let busiest = passages
                .iter()
                .map(|start| {
                    let minute = start..&(start + 60_000);
                    passages.iter().filter(|at| minute.contains(at)).count()
                })
                .max();
            let limit = usize::try_from(limit).unwrap();
            assert!(busiest.is_some_and(|busiest| busiest <= limit), "{limit}");
            // Nor is it slower than it has to be.
            assert!(passages.len() >= limit * 5 * 95 / 100, "{limit}");
        }
    }

    #[test]
    fn nothing_is_saved_up() {
        let passages = passages(120);
        let gaps = passages.windows(2).map(|pair| pair[1] - pair[0]);
        assert_eq!(passages[0], 0);
        assert!(gaps.min() >= Some(508), "{passages:?}");
    }

    #[test]
    fn the_limit_becomes_the_quota() {
        let quota = quota(120.try_into().unwrap());
        assert_eq!(quota.burst_size().get(), 1);
        assert_eq!(quota.replenish_interval(), Duration::from_secs(61) / 120);
        let fastest = super::quota(NonZeroU32::MAX);
        assert_eq!(fastest.replenish_interval(), Duration::from_nanos(14));
    }
}
