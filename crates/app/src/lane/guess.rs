//! Guesses that a pushed posting is new, where the database is far.
//!
//! A creation takes two round trips, one to read and one to commit. While only new postings come,
//! the first one tells nothing: a lane then leaves it out, and decides that the posting does not
//! exist and that its company is as it was found lately. The commit checks both. If either is
//! wrong it writes nothing, and its commands are read.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use domain::{company::Company, store::Known};
use kernel::CompanyId;

/// The most companies that are remembered.
const COMPANIES: usize = 16_384;

/// How many commands in a row have to be for new postings at most before the next one is guessed to
/// be, after guesses that were wrong.
const MOST: usize = 8_192;

/// What the guesses of a lane are based on.
pub(super) struct Guesses(Mutex<State>);

struct State {
    companies: HashMap<CompanyId, Company>,
    /// How many commands in a row were for new postings.
    new: usize,
    /// How many have to be, and how many while guesses are right.
    wanted: usize,
    fewest: usize,
}

impl Guesses {
    /// Guesses after so many new postings in a row.
    pub fn new(fewest: usize) -> Self {
        Self(Mutex::new(State {
            companies: HashMap::new(),
            new: 0,
            wanted: fewest,
            fewest,
        }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Learns from a read of so many postings.
    pub fn learn(&self, known: &Known, postings: usize) {
        let mut state = self.state();
        if state.companies.len() + known.companies.len() > COMPANIES {
            state.companies.clear();
        }
        let found = known.companies.iter();
        let found = found.map(|(id, company)| (*id, company.clone()));
        state.companies.extend(found.take(COMPANIES));
        if known.postings.is_empty() {
            state.new = state.new.saturating_add(postings);
        } else {
            state.new = 0;
        }
    }

    /// The company of a posting that is guessed to be new; `None` if that would be rash.
    pub fn company(&self, id: CompanyId) -> Option<Company> {
        let state = self.state();
        let is_likely = state.new >= state.wanted;
        is_likely
            .then(|| state.companies.get(&id).cloned())
            .flatten()
    }

    /// A commit of guesses succeeded.
    pub fn were_right(&self) {
        let mut state = self.state();
        state.wanted = (state.wanted / 2).max(state.fewest);
    }

    /// A commit of guesses met what it was not based on.
    pub fn were_wrong(&self, companies: impl Iterator<Item = CompanyId>) {
        let mut state = self.state();
        state.new = 0;
        state.wanted = (state.wanted * 2).min(MOST);
        for id in companies {
            state.companies.remove(&id);
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::testing::{self, posting};
    use kernel::testing::identifier;

    use super::*;

    const FEWEST: usize = 64;

    fn company() -> Company {
        testing::company("acme")
    }

    #[test]
    fn only_new_postings_in_a_row_are_followed_by_guesses() {
        let (guesses, id) = (Guesses::new(FEWEST), company().id);
        let nothing = Known::default();
        let read = Known {
            companies: [(id, company())].into(),
            ..Known::default()
        };
        guesses.learn(&read, FEWEST - 1);
        assert_eq!(guesses.company(id), None);
        guesses.learn(&nothing, 1);
        assert_eq!(guesses.company(id), Some(company()));
        let one = [(identifier("job-1"), posting(1, id))].into();
        guesses.learn(
            &Known {
                postings: one,
                ..Known::default()
            },
            64,
        );
        assert_eq!(guesses.company(id), None);
        guesses.learn(&nothing, FEWEST);
        assert_eq!(guesses.company(id), Some(company()));

        // After a wrong one, it takes longer, and the company has to be read.
        guesses.were_wrong([id].into_iter());
        guesses.learn(&read, FEWEST);
        assert_eq!(guesses.company(id), None);
        guesses.learn(&nothing, FEWEST);
        assert_eq!(guesses.company(id), Some(company()));
        guesses.were_right();
        guesses.were_wrong(std::iter::empty());
        guesses.learn(&nothing, 2 * FEWEST);
        assert_eq!(guesses.company(id), Some(company()));
    }
}
