//! What became of commits lately: whether the next one is likely to succeed.

use std::time::{Duration, Instant};

use domain::store::StoreError;

/// For how long a commit that succeeded, or a look at it, says that the next one will.
const FRESH: Duration = Duration::from_secs(1);
/// For how long a commit that failed says that the next one will. A small one may succeed on a disk
/// that is full for others.
const FAILING: Duration = Duration::from_secs(5);

/// What became of commits lately.
#[derive(Debug, Default)]
pub(crate) struct Recent {
    succeeded: Option<Instant>,
    failed: Option<(Instant, String)>,
    /// When and with what outcome something was written only to see whether that works.
    probed: Option<(Instant, Result<(), StoreError>)>,
}

impl Recent {
    /// Notes what became of a commit.
    pub(crate) fn note<T>(&mut self, result: &Result<T, StoreError>, now: Instant) {
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

    /// Notes what became of a probe.
    pub(crate) fn note_probe(&mut self, result: Result<(), StoreError>, now: Instant) {
        self.probed = Some((now, result));
    }

    /// Whether commits succeed; `None` when that has to be probed.
    pub(crate) fn verdict(&self, now: Instant) -> Option<Result<(), StoreError>> {
        let is_within = |at: Instant, time| now.saturating_duration_since(at) < time;
        if let Some((at, why)) = &self.failed
            && is_within(*at, FAILING)
        {
            return Some(Err(StoreError::Unavailable(why.clone())));
        }
        if self.succeeded.is_some_and(|at| is_within(at, FRESH)) {
            return Some(Ok(()));
        }
        let (at, result) = self.probed.as_ref()?;
        is_within(*at, FRESH).then(|| result.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_commits_tell_what_to_expect() {
        let start = Instant::now();
        let after = |millis| start + Duration::from_millis(millis);
        let full = || Err(StoreError::Unavailable("full".to_owned()));
        let mut recent = Recent::default();
        assert_eq!(recent.verdict(start), None);
        recent.note(&Ok(()), start);
        assert_eq!(recent.verdict(after(900)), Some(Ok(())));
        assert_eq!(recent.verdict(after(1_100)), None);
        recent.note::<()>(&full(), after(1_200));
        recent.note_probe(Ok(()), after(1_300));
        assert_eq!(recent.verdict(after(1_400)), Some(full()));
        recent.note::<()>(&Err(StoreError::Conflict), after(1_500));
        assert_eq!(recent.verdict(after(6_100)), Some(full()));
        assert_eq!(recent.verdict(after(6_300)), None);
        recent.note_probe(full(), after(6_300));
        assert_eq!(recent.verdict(after(6_400)), Some(full()));
        recent.note(&Ok(()), after(6_500));
        assert_eq!(recent.verdict(after(6_600)), Some(Ok(())));
    }
}
