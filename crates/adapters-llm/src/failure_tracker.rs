//! Decides whether the posting or the endpoint caused a refused or timed-out request.
//!
//! If a posting's requests fail repeatedly, the posting is the cause. If several postings in a row
//! fail in the same way, the endpoint is the cause.

use std::{
    collections::{HashMap, HashSet},
    sync::{Mutex, MutexGuard, PoisonError},
};

use enrichment::DraftKey;

/// If this many different postings in a row fail in the same way, the endpoint is the cause.
const SEVERAL: usize = 3;
const ATTEMPTS: u32 = 3;
/// The most postings with counted attempts. Above it, all are forgotten, which only causes retries.
const MOST: usize = 4_096;
pub const MAX_TIMEOUT_FACTOR: u32 = 1 << (ATTEMPTS - 1);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoAnswer {
    Refused(u16),
    TimedOut,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultAttribution {
    /// The cause is unknown, so the posting is retried.
    Unknown,
    Posting,
    Endpoint,
}

#[derive(Debug, Default)]
pub struct FailureTracker(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// The last failure, and the postings that failed in this way since the last answer.
    in_a_row: Option<(NoAnswer, HashSet<DraftKey>)>,
    /// The failed attempts of each posting, except those that the endpoint caused.
    attempts: HashMap<DraftKey, u32>,
}

impl FailureTracker {
    pub fn answered(&self, posting: &DraftKey) {
        let mut state = self.state();
        state.in_a_row = None;
        state.attempts.remove(posting);
    }

    pub fn failed(&self, posting: DraftKey, failure: NoAnswer) -> FaultAttribution {
        let mut state = self.state();
        let (last, postings) = state
            .in_a_row
            .get_or_insert_with(|| (failure, HashSet::new()));
        if *last != failure {
            (*last, *postings) = (failure, HashSet::new());
        }
        if postings.len() < SEVERAL {
            postings.insert(posting);
        }
        if postings.len() >= SEVERAL {
            return FaultAttribution::Endpoint;
        }
        if state.attempts.len() >= MOST {
            state.attempts.clear();
        }
        let attempts = state.attempts.entry(posting).or_default();
        *attempts += 1;
        if *attempts < ATTEMPTS {
            return FaultAttribution::Unknown;
        }
        state.attempts.remove(&posting);
        FaultAttribution::Posting
    }

    /// The factor for the usual time limit. It doubles with each failed attempt, up to 4.
    pub fn timeout_factor(&self, posting: &DraftKey) -> u32 {
        let attempts = self.state().attempts.get(posting).copied();
        1 << attempts.unwrap_or_default().min(ATTEMPTS - 1)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REFUSED: NoAnswer = NoAnswer::Refused(400);

    fn posting(number: u8) -> DraftKey {
        DraftKey::from_bytes([number; 32])
    }

    #[test]
    fn a_single_failing_posting_is_retried_with_more_time() {
        for failure in [REFUSED, NoAnswer::TimedOut] {
            let tracker = FailureTracker::default();
            let attempts = [(); 3].map(|()| {
                tracker.answered(&posting(9));
                (
                    tracker.timeout_factor(&posting(1)),
                    tracker.failed(posting(1), failure),
                )
            });
            let expect = [
                (1, FaultAttribution::Unknown),
                (2, FaultAttribution::Unknown),
                (4, FaultAttribution::Posting),
            ];
            assert_eq!(attempts, expect);
            assert_eq!(
                tracker.timeout_factor(&posting(1)),
                1,
                "an operator retries it"
            );
        }
    }

    #[test]
    fn a_failure_of_several_postings_in_a_row_is_the_endpoints() {
        let tracker = FailureTracker::default();
        let met = [1, 2, 1, 3, 4, 1].map(|number| tracker.failed(posting(number), REFUSED));
        let (unknown, endpoint) = (FaultAttribution::Unknown, FaultAttribution::Endpoint);
        assert_eq!(
            met,
            [unknown, unknown, unknown, endpoint, endpoint, endpoint]
        );
        tracker.answered(&posting(9));
        assert_eq!(tracker.failed(posting(3), REFUSED), unknown);
        assert_eq!(
            tracker.failed(posting(1), REFUSED),
            FaultAttribution::Posting
        );
    }

    #[test]
    fn failures_that_differ_or_have_an_answer_in_between_are_not_alike() {
        let tracker = FailureTracker::default();
        for (number, failure) in [
            (1, REFUSED),
            (2, NoAnswer::TimedOut),
            (3, REFUSED),
            (4, NoAnswer::Refused(413)),
        ] {
            assert_eq!(
                tracker.failed(posting(number), failure),
                FaultAttribution::Unknown
            );
        }
        for number in 10..20 {
            assert_eq!(
                tracker.failed(posting(number), REFUSED),
                FaultAttribution::Unknown
            );
            tracker.answered(&posting(9));
        }
    }

    #[test]
    fn an_answer_clears_a_posting() {
        let tracker = FailureTracker::default();
        tracker.failed(posting(1), NoAnswer::TimedOut);
        tracker.answered(&posting(1));
        assert_eq!(tracker.timeout_factor(&posting(1)), 1);
    }
}
