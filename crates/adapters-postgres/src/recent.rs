//! What became of commits lately: whether the next one is likely to succeed.

use std::time::{Duration, Instant};

use domain::store::StoreError;

/// So many commits have to fail one after the other before they tell something about the next.
const MANY: usize = 3;
/// For how long they do.
const FAILING: Duration = Duration::from_secs(10);

/// The commits that failed since the last one that succeeded.
#[derive(Debug, Default)]
pub(crate) struct Recent {
    failed: usize,
    last: Option<(Instant, String)>,
}

impl Recent {
    /// Notes what became of a commit. What is wrong with the commit alone does not count.
    pub(crate) fn note<T>(&mut self, result: &Result<T, StoreError>, now: Instant) {
        match result {
            Ok(_) => *self = Self::default(),
            Err(StoreError::Unavailable(why) | StoreError::InDoubt(why)) => {
                self.failed = self.failed.saturating_add(1);
                self.last = Some((now, why.clone()));
            }
            Err(_) => {}
        }
    }

    /// Fails when the next commit is likely to.
    pub(crate) fn verdict(&self, now: Instant) -> Result<(), StoreError> {
        match &self.last {
            Some((at, why))
                if self.failed >= MANY && now.saturating_duration_since(*at) < FAILING =>
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
    fn commits_that_fail_in_a_row_tell_what_to_expect() {
        let start = Instant::now();
        let mut recent = Recent::default();
        let full = || Err::<(), _>(StoreError::Unavailable("full".to_owned()));
        for _ in 0..2 {
            recent.note(&full(), start);
            recent.note::<()>(&Err(StoreError::Conflict), start);
        }
        assert_eq!(recent.verdict(start), Ok(()));
        recent.note(&full(), start);
        let verdict = recent.verdict(start + Duration::from_secs(9));
        assert!(verdict.unwrap_err().to_string().contains("full"));
        assert_eq!(recent.verdict(start + Duration::from_secs(11)), Ok(()));
        recent.note(&Ok(()), start);
        assert_eq!(recent.verdict(start), Ok(()));
    }
}
