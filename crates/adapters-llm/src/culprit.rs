//! Whose fault it is when a request is refused or not answered in time: the posting's, or the
//! endpoint's.
//!
//! One posting that meets trouble again and again has brought it about. Several that meet the same,
//! one after another and with no answer in between, have not.

use std::{
    collections::{HashMap, HashSet},
    sync::{Mutex, MutexGuard, PoisonError},
};

use domain::enrichment::DraftKey;

/// So many postings in a row that meet the same trouble have not brought it about.
const SEVERAL: usize = 3;
/// The most attempts of a posting.
const ATTEMPTS: u32 = 3;
/// The most postings to remember. There are as many only when trouble is everywhere, and then what
/// is forgotten costs an attempt.
const MOST: usize = 4_096;
/// The longest time limit of a call, in times of the usual one.
pub const MOST_PATIENCE: u32 = 1 << (ATTEMPTS - 1);

/// A request without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// It was refused, with this status.
    Refused(u16),
    /// It took too long.
    TimedOut,
}

/// Who has brought the trouble about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Culprit {
    /// Not known yet: the posting is to be tried again.
    Unknown,
    /// The posting.
    Posting,
    /// The endpoint.
    Endpoint,
}

/// The troubles of an endpoint so far.
#[derive(Debug, Default)]
pub struct Troubles(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// The last trouble, and the postings that met it since the last answer.
    in_a_row: Option<(Trouble, HashSet<DraftKey>)>,
    /// The attempts of each posting that were not the endpoint's fault.
    attempts: HashMap<DraftKey, u32>,
}

impl Troubles {
    /// The endpoint has answered about a posting.
    pub fn answered(&self, posting: &DraftKey) {
        let mut state = self.state();
        state.in_a_row = None;
        state.attempts.remove(posting);
    }

    /// A posting has met trouble.
    pub fn met(&self, posting: DraftKey, trouble: Trouble) -> Culprit {
        let mut state = self.state();
        let (last, postings) = state
            .in_a_row
            .get_or_insert_with(|| (trouble, HashSet::new()));
        if *last != trouble {
            (*last, *postings) = (trouble, HashSet::new());
        }
        if postings.len() < SEVERAL {
            postings.insert(posting);
        }
        if postings.len() >= SEVERAL {
            return Culprit::Endpoint;
        }
        if state.attempts.len() >= MOST {
            state.attempts.clear();
        }
        let attempts = state.attempts.entry(posting).or_default();
        *attempts += 1;
        if *attempts < ATTEMPTS {
            return Culprit::Unknown;
        }
        state.attempts.remove(&posting);
        Culprit::Posting
    }

    /// How long a call about a posting may take, in times of the usual limit: twice as long after
    /// each attempt.
    pub fn patience(&self, posting: &DraftKey) -> u32 {
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

    const REFUSED: Trouble = Trouble::Refused(400);

    fn posting(number: u8) -> DraftKey {
        DraftKey::from_bytes([number; 32])
    }

    #[test]
    fn a_posting_alone_is_tried_a_few_times_with_more_patience() {
        for trouble in [REFUSED, Trouble::TimedOut] {
            let troubles = Troubles::default();
            let attempts = [(); 3].map(|()| {
                // Others are answered meanwhile.
                troubles.answered(&posting(9));
                (
                    troubles.patience(&posting(1)),
                    troubles.met(posting(1), trouble),
                )
            });
            let expect = [
                (1, Culprit::Unknown),
                (2, Culprit::Unknown),
                (4, Culprit::Posting),
            ];
            assert_eq!(attempts, expect);
            assert_eq!(
                troubles.patience(&posting(1)),
                1,
                "an operator tries it anew"
            );
        }
    }

    #[test]
    fn what_meets_several_in_a_row_is_the_endpoints() {
        let troubles = Troubles::default();
        let met = [1, 2, 1, 3, 4, 1].map(|number| troubles.met(posting(number), REFUSED));
        let (unknown, endpoint) = (Culprit::Unknown, Culprit::Endpoint);
        assert_eq!(
            met,
            [unknown, unknown, unknown, endpoint, endpoint, endpoint]
        );
        // Those attempts do not count against a posting.
        troubles.answered(&posting(9));
        assert_eq!(troubles.met(posting(3), REFUSED), unknown);
        assert_eq!(troubles.met(posting(1), REFUSED), Culprit::Posting);
    }

    #[test]
    fn troubles_that_differ_or_have_an_answer_in_between_are_not_alike() {
        let troubles = Troubles::default();
        for (number, trouble) in [
            (1, REFUSED),
            (2, Trouble::TimedOut),
            (3, REFUSED),
            (4, Trouble::Refused(413)),
        ] {
            assert_eq!(troubles.met(posting(number), trouble), Culprit::Unknown);
        }
        for number in 10..20 {
            assert_eq!(troubles.met(posting(number), REFUSED), Culprit::Unknown);
            troubles.answered(&posting(9));
        }
    }

    #[test]
    fn an_answer_ends_the_trouble_of_a_posting() {
        let troubles = Troubles::default();
        troubles.met(posting(1), Trouble::TimedOut);
        troubles.answered(&posting(1));
        assert_eq!(troubles.patience(&posting(1)), 1);
    }
}
