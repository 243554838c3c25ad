//! Which line of an import decides the name and the logo of a company: the first that names it.
//!
//! Lines of one file may disagree about a company. If the last writer won, a file that is sent
//! again unchanged would change the company each time, so later lines leave it as it is. That is
//! decided here, where lines stand in their order, before lanes carry them out side by side.

use std::collections::HashSet;

use domain::posting::{CompanyPatch, PutPosting};
use kernel::CompanyId;

/// A company, in short: half of its id, which is a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct CompanyKey(u64);

impl CompanyKey {
    /// The key of a company.
    pub const fn of(company: CompanyId) -> Self {
        let (_, half) = company.uuid().as_u64_pair();
        Self(half)
    }

    /// The key for a cache, where 0 is none: the id's variant sets a bit.
    pub const fn as_u64(key: Option<Self>) -> u64 {
        match key {
            Some(Self(key)) => key,
            None => 0,
        }
    }

    /// The key from a cache.
    pub const fn from_u64(key: u64) -> Option<Self> {
        if key == 0 { None } else { Some(Self(key)) }
    }
}

/// The largest number of companies that an import remembers: some 20 MiB. An import that names more
/// forgets them all, and a company that it names again may be changed again.
const MOST_COMPANIES: usize = 1 << 20;

/// The companies that lines have named so far.
#[derive(Default)]
pub(super) struct NamedCompanies(HashSet<CompanyKey>);

impl NamedCompanies {
    /// Notes that a line names a company. Returns whether none did before.
    pub fn note(&mut self, company: CompanyKey) -> bool {
        let Self(known) = self;
        if known.len() >= MOST_COMPANIES && !known.contains(&company) {
            known.clear();
        }
        known.insert(company)
    }
}

/// The company that a line names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// The line says nothing of a company, or is refused whatever is stored.
    Nothing,
    /// This one.
    Company(CompanyKey),
    /// That of its posting, whatever that is.
    OfPosting,
}

impl Named {
    /// The company that a command names.
    pub fn by(put: &PutPosting) -> Self {
        let company = put.patch.company();
        if !put.errors.is_empty() {
            return Self::Nothing;
        }
        match company.website() {
            Some(website) => Self::Company(CompanyKey::of(CompanyId::of(website))),
            None if *company == CompanyPatch::default() => Self::Nothing,
            None => Self::OfPosting,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_import_remembers_a_bounded_number_of_companies() {
        let mut named = NamedCompanies::default();
        let most = MOST_COMPANIES as u64;
        for n in 1..=most {
            assert!(named.note(CompanyKey(n)));
        }
        assert!(!named.note(CompanyKey(1)), "all of them are known");
        assert!(named.note(CompanyKey(most + 1)));
        assert_eq!(named.0.len(), 1);
    }
}
