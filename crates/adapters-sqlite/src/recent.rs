//! Judges from recent commits whether the next commit can succeed.

use std::time::{Duration, Instant};

use kernel::StoreError;

const SUCCESS_COUNTS_FOR: Duration = Duration::from_secs(1);
/// How long a failed commit counts. On a full disk, a small commit may still succeed.
const FAILURE_COUNTS_FOR: Duration = Duration::from_secs(5);

#[derive(Debug, Default)]
pub(crate) struct RecentCommits {
    succeeded: Option<Instant>,
    failed: Option<(Instant, String)>,
    probed: Option<(Instant, Result<(), StoreError>)>,
}

impl RecentCommits {
    pub(crate) fn record<T>(&mut self, result: &Result<T, StoreError>, now: Instant) {
        match result {
            Ok(_) => {
                self.succeeded = Some(now);
                self.failed = None;
            }
            Err(StoreError::Unavailable(why) | StoreError::InDoubt(why)) => {
                self.failed = Some((now, why.clone()));
            }
            Err(_) => {}
        }
    }

    pub(crate) fn record_probe(&mut self, result: Result<(), StoreError>, now: Instant) {
        self.probed = Some((now, result));
    }

    /// Returns the answer, or `None` if a probe is needed.
    pub(crate) fn check(&self, now: Instant) -> Option<Result<(), StoreError>> {
        let is_within = |at: Instant, time| now.saturating_duration_since(at) < time;
        if let Some((at, why)) = &self.failed
            && is_within(*at, FAILURE_COUNTS_FOR)
        {
            return Some(Err(StoreError::Unavailable(why.clone())));
        }
        if self
            .succeeded
            .is_some_and(|at| is_within(at, SUCCESS_COUNTS_FOR))
        {
            return Some(Ok(()));
        }
        let (at, result) = self.probed.as_ref()?;
        is_within(*at, SUCCESS_COUNTS_FOR).then(|| result.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_commits_decide() {
        let start = Instant::now();
        let after = |millis| start + Duration::from_millis(millis);
        let full = || Err(StoreError::Unavailable("full".to_owned()));
        let mut recent = RecentCommits::default();
        assert_eq!(recent.check(start), None);
        recent.record(&Ok(()), start);
        assert_eq!(recent.check(after(900)), Some(Ok(())));
        assert_eq!(recent.check(after(1_100)), None);
        recent.record::<()>(&full(), after(1_200));
        recent.record_probe(Ok(()), after(1_300));
        assert_eq!(recent.check(after(1_400)), Some(full()));
        recent.record::<()>(&Err(StoreError::Conflict), after(1_500));
        assert_eq!(recent.check(after(6_100)), Some(full()));
        assert_eq!(recent.check(after(6_300)), None);
        recent.record_probe(full(), after(6_300));
        assert_eq!(recent.check(after(6_400)), Some(full()));
        recent.record(&Ok(()), after(6_500));
        assert_eq!(recent.check(after(6_600)), Some(Ok(())));
    }
}
