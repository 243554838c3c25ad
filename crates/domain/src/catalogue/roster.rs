//! The guard against imports that look broken.

use kernel::{SourceIdentifier, digest};

use super::Patience;
use crate::import::HeldBecause;

/// The largest share of a catalogue's postings that may be missing, in per cent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaxMissing(u8);

impl MaxMissing {
    /// A percentage; `None` above 100.
    pub const fn new(percent: u8) -> Option<Self> {
        if percent <= 100 {
            Some(Self(percent))
        } else {
            None
        }
    }

    /// The percentage.
    pub const fn percent(self) -> u8 {
        self.0
    }
}

impl Default for MaxMissing {
    fn default() -> Self {
        Self(30)
    }
}

/// The limits above which an import is held back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The largest share that may be missing.
    pub max_missing: MaxMissing,
    /// The number of missing postings up to which the share does not matter.
    pub min_missing: u64,
    /// The largest number of unattributed lines with which missing postings may expire. Each such
    /// line may name a posting that seems to be missing.
    pub max_unattributed: u64,
}

impl Default for Guard {
    fn default() -> Self {
        Self {
            max_missing: MaxMissing::default(),
            min_missing: 20,
            max_unattributed: 0,
        }
    }
}

/// The first half of an identifier's SHA-256. It is long enough to prevent deliberate collisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PostingDigest(u128);

impl PostingDigest {
    /// The digest of an identifier.
    pub fn of(identifier: &SourceIdentifier) -> Self {
        let digest = digest::of_parts([identifier.as_str().as_bytes()]);
        Self(u128::from_be_bytes(digest.as_chunks().0[0]))
    }
}

/// A catalogue's open postings before an import, with a mark for each that a line has named. A
/// posting takes 16 bytes and one bit. The default is empty.
#[derive(Debug, Default)]
pub struct Roster {
    postings: Vec<PostingDigest>,
    named: Vec<u64>,
    missing: usize,
}

impl Roster {
    /// The roster of these postings, each counted once.
    pub fn new(mut postings: Vec<PostingDigest>) -> Self {
        postings.sort_unstable();
        postings.dedup();
        Self {
            named: vec![0; postings.len().div_ceil(64)],
            missing: postings.len(),
            postings,
        }
    }

    /// Notes that a line names a posting.
    pub fn name(&mut self, identifier: &SourceIdentifier) {
        if let Some((word, bit)) = self.place(identifier)
            && let Some(word) = self.named.get_mut(word)
        {
            self.missing -= usize::from(*word & bit == 0);
            *word |= bit;
        }
    }

    /// Whether the catalogue had this posting, but no line has named it.
    pub fn is_missing(&self, identifier: &SourceIdentifier) -> bool {
        let place = self.place(identifier);
        place.is_some_and(|(word, bit)| self.named.get(word).is_some_and(|word| word & bit == 0))
    }

    fn place(&self, identifier: &SourceIdentifier) -> Option<(usize, u64)> {
        let found = self.postings.binary_search(&PostingDigest::of(identifier));
        found.ok().map(|place| (place / 64, 1 << (place % 64)))
    }

    /// The number of postings that no line has named.
    pub const fn missing(&self) -> usize {
        self.missing
    }

    /// Whether lines have named any posting of the catalogue.
    pub const fn is_any_named(&self) -> bool {
        self.missing < self.postings.len()
    }

    /// Returns why no missing posting may expire, if there is a reason.
    pub fn held(
        &self,
        guard: Guard,
        unattributed: u64,
        patience: Patience,
        proves_none: bool,
    ) -> Option<HeldBecause> {
        let (missing, had) = (self.missing, self.postings.len());
        if missing == 0 {
            return None;
        }
        if unattributed > guard.max_unattributed {
            return Some(HeldBecause::Unattributed);
        }
        if proves_none && !patience.is_none() {
            return None;
        }
        let percent = usize::from(guard.max_missing.0);
        let are_few = u64::try_from(missing).is_ok_and(|missing| missing <= guard.min_missing);
        if percent == 100 {
            None
        } else if missing == had {
            Some(HeldBecause::Empty)
        } else {
            (!are_few && missing * 100 > had * percent).then_some(HeldBecause::Share)
        }
    }
}

#[cfg(test)]
mod tests {
    use kernel::testing::identifier;

    use super::*;

    fn roster(had: usize, named: usize) -> Roster {
        let digests = (0..had).map(|n| PostingDigest::of(&identifier(&n.to_string())));
        let mut roster = Roster::new(digests.collect());
        (0..named).for_each(|n| roster.name(&identifier(&n.to_string())));
        roster
    }

    #[test]
    fn an_import_that_names_few_is_held_back() {
        let (share, empty) = (Some(HeldBecause::Share), Some(HeldBecause::Empty));
        for (had, named, percent, held) in [
            (0, 0, 30, None),
            (1, 1, 0, None),
            (1, 0, 30, empty),
            (1, 0, 100, None),
            (20, 1, 0, None),
            (20, 0, 99, empty),
            (21, 1, 0, None),
            (22, 1, 0, share),
            (40, 20, 30, None),
            (40, 19, 30, share),
            (100, 70, 30, None),
            (100, 69, 30, share),
            (1_000, 700, 30, None),
            (1_000, 699, 30, share),
            (1_000, 1, 99, share),
            (1_000, 10, 99, None),
            (1_000, 0, 99, empty),
            (1_000, 0, 100, None),
        ] {
            let roster = roster(had, named);
            assert_eq!(roster.missing(), had - named);
            let guard = Guard {
                max_missing: MaxMissing::new(percent).unwrap(),
                ..Guard::default()
            };
            let is = roster.held(guard, 0, Patience::default(), false);
            assert_eq!(is, held, "{had} {named} {percent}");
        }
        for (had, named, min_missing, held) in [
            (100, 1, 99, None),
            (100, 1, 98, share),
            (100, 0, 100, empty),
            (10, 5, 0, share),
        ] {
            let guard = Guard {
                min_missing,
                ..Guard::default()
            };
            let is = roster(had, named).held(guard, 0, Patience::default(), false);
            assert_eq!(is, held, "{had} {named} {min_missing}");
        }
        assert_eq!(MaxMissing::new(101), None);
    }

    #[test]
    fn unattributed_lines_hold_all_missing_postings() {
        let unattributed = Some(HeldBecause::Unattributed);
        for (named, percent, max_unattributed, lines, held) in [
            (99, 30, 0, 1, unattributed),
            (99, 30, 1, 1, None),
            (99, 30, 1, 2, unattributed),
            (0, 100, 0, 1, unattributed),
            (0, 100, 1, 1, None),
            (0, 30, 1, 1, Some(HeldBecause::Empty)),
            (100, 30, 0, 1, None),
        ] {
            let guard = Guard {
                max_missing: MaxMissing::new(percent).unwrap(),
                max_unattributed,
                ..Guard::default()
            };
            let is = roster(100, named).held(guard, lines, Patience::default(), false);
            assert_eq!(is, held, "{named} {percent} {max_unattributed} {lines}");
        }
    }

    #[test]
    fn an_import_that_proves_zero_is_held_back_unless_it_needs_others_like_it() {
        let (empty, unattributed) = (HeldBecause::Empty, HeldBecause::Unattributed);
        for (misses, lines, proves_none, held) in [
            (1, 0, true, Some(empty)),
            (2, 0, true, None),
            (2, 0, false, Some(empty)),
            (10, 0, true, None),
            (10, 1, true, Some(unattributed)),
        ] {
            let patience = Patience::new(misses).unwrap();
            let is = roster(100, 0).held(Guard::default(), lines, patience, proves_none);
            assert_eq!(is, held, "{misses} {lines} {proves_none}");
        }
    }

    #[test]
    fn a_name_counts_once() {
        let digests = ["0", "1", "0", "2"].map(|text| PostingDigest::of(&identifier(text)));
        let mut roster = Roster::new(digests.to_vec());
        for _ in 0..2 {
            roster.name(&identifier("1"));
            roster.name(&identifier("new"));
        }
        assert_eq!(roster.missing(), 2);
        let missing = ["0", "1", "2", "new"].map(|text| roster.is_missing(&identifier(text)));
        assert_eq!(missing, [true, false, true, false]);
        // Two of three are missing: the repeated posting counts once.
        let guard = Guard {
            max_missing: MaxMissing::new(60).unwrap(),
            min_missing: 0,
            ..Guard::default()
        };
        let is = roster.held(guard, 0, Patience::default(), false);
        assert_eq!(is, Some(HeldBecause::Share));
    }
}
