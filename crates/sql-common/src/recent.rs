//! Judges from recent commits whether the next commit can succeed.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use kernel::StoreError;

const SUCCESS_COUNTS_FOR: Duration = Duration::from_secs(1);

/// The outcome of the last commits.
#[derive(Debug)]
pub struct RecentCommits {
    /// The number of consecutive failures that counts as an outage.
    failures: usize,
    /// How long an outage lasts after the last failure.
    outage: Duration,
    last: Mutex<Last>,
}

#[derive(Debug, Default)]
struct Last {
    failed: usize,
    outcome: Option<(Instant, Result<(), StoreError>)>,
}

impl RecentCommits {
    pub fn new(failures: usize, outage: Duration) -> Self {
        Self {
            failures,
            outage,
            last: Mutex::default(),
        }
    }

    /// Records a commit's outcome. Errors that concern only that commit do not count.
    pub fn record<T>(&self, result: &Result<T, StoreError>, now: Instant) {
        let result = match result {
            Ok(_) => Ok(()),
            Err(StoreError::Unavailable(why) | StoreError::InDoubt(why)) => {
                Err(StoreError::Unavailable(why.clone()))
            }
            Err(_) => return,
        };
        let mut last = self.last();
        last.failed = result.as_ref().map_or(last.failed + 1, |()| 0);
        last.outcome = Some((now, result));
    }

    /// Returns the last outcome. `None` if it is too old, or if too few commits failed in a row.
    pub fn check(&self, now: Instant) -> Option<Result<(), StoreError>> {
        let last = self.last();
        let (at, result) = last.outcome.as_ref()?;
        let counts_for = match result {
            Ok(()) => SUCCESS_COUNTS_FOR,
            Err(_) if last.failed >= self.failures => self.outage,
            Err(_) => return None,
        };
        (now.saturating_duration_since(*at) < counts_for).then(|| result.clone())
    }

    fn last(&self) -> MutexGuard<'_, Last> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full() -> Result<(), StoreError> {
        Err(StoreError::Unavailable("full".to_owned()))
    }

    #[test]
    fn the_last_commits_decide() {
        let start = Instant::now();
        let after = |millis| start + Duration::from_millis(millis);
        let recent = RecentCommits::new(1, Duration::from_secs(5));
        assert_eq!(recent.check(start), None);
        recent.record(&Ok(()), start);
        assert_eq!(recent.check(after(900)), Some(Ok(())));
        assert_eq!(recent.check(after(1_100)), None);
        recent.record(&full(), after(1_200));
        recent.record::<()>(&Err(StoreError::Conflict), after(1_500));
        assert_eq!(recent.check(after(6_100)), Some(full()));
        assert_eq!(recent.check(after(6_300)), None);
        recent.record(&Ok(()), after(6_500));
        assert_eq!(recent.check(after(6_600)), Some(Ok(())));
    }

    #[test]
    fn only_commits_that_fail_in_a_row_count_as_an_outage() {
        let start = Instant::now();
        let recent = RecentCommits::new(3, Duration::from_secs(10));
        for _ in 0..2 {
            recent.record(&full(), start);
            recent.record::<()>(&Err(StoreError::Conflict), start);
            assert_eq!(recent.check(start), None);
        }
        recent.record(&full(), start);
        assert_eq!(recent.check(start + Duration::from_secs(9)), Some(full()));
        assert_eq!(recent.check(start + Duration::from_secs(11)), None);
        recent.record(&Ok(()), start);
        recent.record(&full(), start);
        assert_eq!(recent.check(start), None);
    }
}
