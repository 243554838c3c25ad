//! Decides which line of an import sets a company's name and logo: the first that names it.
//!
//! Lines of a file may disagree. If the last writer won, an unchanged file would change the company
//! each time. The decision is made here, while lines are in order, before lanes execute them
//! concurrently.

use std::collections::HashMap;

use domain::posting::{CompanyPatch, NamedBefore, PutPosting};
use fields::Patch;
use kernel::CompanyId;
use twox_hash::XxHash3_64;

/// Half of a company's id, which is a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct CompanyKey(u64);

impl CompanyKey {
    pub const fn of(company: CompanyId) -> Self {
        let (_, half) = company.uuid().as_u64_pair();
        Self(half)
    }

    /// The key for a cache, where 0 means none. No key is 0, because the id's variant sets a bit.
    pub const fn as_u64(key: Option<Self>) -> u64 {
        match key {
            Some(Self(key)) => key,
            None => 0,
        }
    }

    pub const fn from_u64(key: u64) -> Option<Self> {
        if key == 0 { None } else { Some(Self(key)) }
    }
}

/// Hashes of the name and logo that a line sets; 0 if unset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Claims([u32; 2]);

impl Claims {
    pub fn of(company: &CompanyPatch) -> Self {
        Self([part(&company.name), part(&company.logo_path)])
    }

    pub fn as_u64(self) -> u64 {
        let Self([name, logo]) = self;
        u64::from(name) << 32 | u64::from(logo)
    }

    pub fn from_u64(both: u64) -> Self {
        Self([both >> 32, both & u64::from(u32::MAX)].map(half))
    }

    fn agree_with(self, earlier: Self) -> bool {
        let mut parts = self.0.into_iter().zip(earlier.0);
        parts.all(|(part, earlier)| part == 0 || part == earlier)
    }
}

fn part(patch: &Patch<String>) -> u32 {
    let text = match patch {
        Patch::Keep => return 0,
        Patch::Clear => "",
        Patch::Set(text) => text,
    };
    half(XxHash3_64::oneshot(text.as_bytes()) >> 32).max(1)
}

fn half(number: u64) -> u32 {
    u32::try_from(number).unwrap_or_default()
}

/// The largest number of remembered companies: about 40 MiB. At this number an import forgets all
/// of them, so a later line may change one of these companies again.
const MOST_COMPANIES: usize = 1 << 20;

#[derive(Default)]
pub(super) struct NamedCompanies(HashMap<CompanyKey, Claims>);

impl NamedCompanies {
    /// Notes that a line names a company. Returns whether an earlier line did.
    pub fn note(&mut self, company: CompanyKey, claims: Claims) -> NamedBefore {
        let Self(known) = self;
        match known.get(&company) {
            Some(earlier) if claims.agree_with(*earlier) => NamedBefore::Alike,
            Some(_) => NamedBefore::Differently,
            None => {
                if known.len() >= MOST_COMPANIES {
                    known.clear();
                }
                known.insert(company, claims);
                NamedBefore::No
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// The line names no company, or is refused regardless of the stored state.
    Nothing,
    Company(CompanyKey),
    /// The stored posting's company.
    OfPosting,
}

impl Named {
    pub fn by(put: &PutPosting) -> Self {
        let company = put.patch.company();
        if !put.errors.is_empty() {
            return Self::Nothing;
        }
        match company.key() {
            Some(key) => Self::Company(CompanyKey::of(CompanyId::of(key))),
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
            assert_eq!(
                named.note(CompanyKey(n), Claims::default()),
                NamedBefore::No
            );
        }
        let again = named.note(CompanyKey(1), Claims::default());
        assert_eq!(again, NamedBefore::Alike, "all of them are known");
        let other = named.note(CompanyKey(most + 1), Claims::default());
        assert_eq!((other, named.0.len()), (NamedBefore::No, 1));
    }

    #[test]
    fn a_line_agrees_with_an_earlier_one_that_says_the_same_or_more() {
        let claims =
            |name, logo: Patch<&str>| Claims::of(&CompanyPatch::parse(name, &logo).unwrap());
        let first = claims(Some("Acme"), Patch::Set("/1.svg"));
        assert_eq!(Claims::from_u64(first.as_u64()), first);
        for (later, expect) in [
            (first, NamedBefore::Alike),
            (claims(Some("Acme"), Patch::Keep), NamedBefore::Alike),
            (claims(Some("Acme"), Patch::Clear), NamedBefore::Differently),
            (
                claims(Some("Acme AB"), Patch::Keep),
                NamedBefore::Differently,
            ),
        ] {
            let mut named = NamedCompanies::default();
            named.note(CompanyKey(1), first);
            assert_eq!(named.note(CompanyKey(1), later), expect);
        }
        let mut named = NamedCompanies::default();
        named.note(CompanyKey(1), claims(Some("Acme"), Patch::Keep));
        assert_eq!(named.note(CompanyKey(1), first), NamedBefore::Differently);
    }
}
