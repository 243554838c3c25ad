//! Attributes requests that are refused or not answered in time: to the posting, or to the
//! endpoint.
//!
//! A posting whose requests fail again and again is at fault itself. When those of several postings
//! fail alike, one after another and with no answer in between, the endpoint is.

use std::{
    collections::{HashMap, HashSet},
    sync::{Mutex, MutexGuard, PoisonError},
};

use enrichment::DraftKey;

/// So many postings in a row that fail alike are not at fault.
const SEVERAL: usize = 3;
/// The most attempts of a posting.
const ATTEMPTS: u32 = 3;
/// The most postings to remember. There are as many only when everything fails, and then what is
/// forgotten costs an attempt.
const MOST: usize = 4_096;
/// The largest [`FailureTracker::timeout_factor`].
pub const MAX_TIMEOUT_FACTOR: u32 = 1 << (ATTEMPTS - 1);

/// A request without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoAnswer {
    /// It was refused, with this status.
    Refused(u16),
    /// It took too long.
    TimedOut,
}

/// What a failed request is attributed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultAttribution {
    /// Not known yet: the posting is to be tried again.
    Unknown,
    /// The posting.
    Posting,
    /// The endpoint.
    Endpoint,
}

/// The failures of an endpoint so far.
#[derive(Debug, Default)]
pub struct FailureTracker(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// The last failure, and the postings that met it since the last answer.
    in_a_row: Option<(NoAnswer, HashSet<DraftKey>)>,
    /// The attempts of each posting that were not the endpoint's fault.
    attempts: HashMap<DraftKey, u32>,
}

impl FailureTracker {
    /// The endpoint has answered about a posting.
    pub fn answered(&self, posting: &DraftKey) {
        let mut state = self.state();
        state.in_a_row = None;
        state.attempts.remove(posting);
    }

    /// A request about a posting has failed.
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

    /// How many times the usual limit a call about a posting may take: it doubles with each
    /// attempt.
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
    fn a_posting_alone_is_tried_a_few_times_with_more_time() {
        for failure in [REFUSED, NoAnswer::TimedOut] {
            let tracker = FailureTracker::default();
            let attempts = [(); 3].map(|()| {
                // Others are answered meanwhile.
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
                "an operator tries it anew"
            );
        }
    }

    #[test]
    fn what_meets_several_in_a_row_is_the_endpoints() {
        let tracker = FailureTracker::default();
        let met = [1, 2, 1, 3, 4, 1].map(|number| tracker.failed(posting(number), REFUSED));
        let (unknown, endpoint) = (FaultAttribution::Unknown, FaultAttribution::Endpoint);
        assert_eq!(
            met,
            [unknown, unknown, unknown, endpoint, endpoint, endpoint]
        );
        // Those attempts do not count against a posting.
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
