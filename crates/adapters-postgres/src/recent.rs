//! Judges from recent commits whether the next commit can succeed.

use std::time::{Duration, Instant};

use kernel::StoreError;

/// So many consecutive failed commits count as an outage.
const FAILURES_IN_A_ROW: usize = 3;
/// How long the outage lasts after the last failed commit.
const FAILING_FOR: Duration = Duration::from_secs(10);

#[derive(Debug, Default)]
pub(crate) struct RecentCommits {
    failed: usize,
    last: Option<(Instant, String)>,
}

impl RecentCommits {
    /// Records a commit's outcome. Errors that concern only that commit do not count.
    pub(crate) fn record<T>(&mut self, result: &Result<T, StoreError>, now: Instant) {
        match result {
            Ok(_) => *self = Self::default(),
            Err(StoreError::Unavailable(why) | StoreError::InDoubt(why)) => {
                self.failed = self.failed.saturating_add(1);
                self.last = Some((now, why.clone()));
            }
            Err(_) => {}
        }
    }

    pub(crate) fn check(&self, now: Instant) -> Result<(), StoreError> {
        match &self.last {
            Some((at, why))
                if self.failed >= FAILURES_IN_A_ROW
                    && now.saturating_duration_since(*at) < FAILING_FOR =>
            {
                Err(StoreError::Unavailable(format!(
                    "the last {} commits failed: {why}",
                    self.failed
                )))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_that_fail_in_a_row_count_as_failing() {
        let start = Instant::now();
        let mut recent = RecentCommits::default();
        let full = || Err::<(), _>(StoreError::Unavailable("full".to_owned()));
        for _ in 0..2 {
            recent.record(&full(), start);
            recent.record::<()>(&Err(StoreError::Conflict), start);
        }
        assert_eq!(recent.check(start), Ok(()));
        recent.record(&full(), start);
        let check = recent.check(start + Duration::from_secs(9));
        assert!(check.unwrap_err().to_string().contains("full"));
        assert_eq!(recent.check(start + Duration::from_secs(11)), Ok(()));
        recent.record(&Ok(()), start);
        assert_eq!(recent.check(start), Ok(()));
    }
}
