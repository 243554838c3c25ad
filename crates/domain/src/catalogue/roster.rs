//! The guard against imports that look broken.

use std::collections::HashSet;

use kernel::{SourceIdentifier, digest};

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

/// What holds an import back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The largest share that may be missing.
    pub max_missing: MaxMissing,
    /// The number of missing postings up to which the share does not matter.
    pub min_missing: u64,
}

impl Default for Guard {
    fn default() -> Self {
        Self {
            max_missing: MaxMissing::default(),
            min_missing: 20,
        }
    }
}

/// The open postings that a catalogue had before an import, by digests of 16 bytes, and which of
/// them no line has named yet. By default there are none.
#[derive(Debug, Default)]
pub struct Roster {
    had: usize,
    missing: HashSet<u128>,
}

impl Roster {
    /// Adds a posting that the catalogue has.
    pub fn add(&mut self, identifier: &SourceIdentifier) {
        if self.missing.insert(key(identifier)) {
            self.had += 1;
        }
    }

    /// Notes that a line names a posting.
    pub fn name(&mut self, identifier: &SourceIdentifier) {
        self.missing.remove(&key(identifier));
    }

    /// Whether the catalogue had this posting, and no line has named it.
    pub fn is_missing(&self, identifier: &SourceIdentifier) -> bool {
        self.missing.contains(&key(identifier))
    }

    /// The number of postings that no line has named.
    pub fn missing(&self) -> usize {
        self.missing.len()
    }

    /// Whether so many are missing that none may expire: more than the guard's number and more than
    /// its share, or all of them. A share of 100 % lets everything expire.
    pub fn is_held(&self, guard: Guard) -> bool {
        let missing = self.missing.len();
        let percent = usize::from(guard.max_missing.0);
        let are_few = u64::try_from(missing).is_ok_and(|missing| missing <= guard.min_missing);
        let are_many = !are_few && missing * 100 > self.had * percent;
        percent < 100 && missing > 0 && (are_many || missing == self.had)
    }
}

/// The first half of a SHA-256, which is long enough that collisions cannot be made.
fn key(identifier: &SourceIdentifier) -> u128 {
    let digest = digest::of_parts([identifier.as_str().as_bytes()]);
    u128::from_be_bytes(digest.as_chunks().0[0])
}

#[cfg(test)]
mod tests {
    use kernel::testing::identifier;

    use super::*;

    fn roster(had: usize, named: usize) -> Roster {
        let mut roster = Roster::default();
        (0..had).for_each(|n| roster.add(&identifier(&n.to_string())));
        (0..named).for_each(|n| roster.name(&identifier(&n.to_string())));
        roster
    }

    #[test]
    fn an_import_that_names_few_is_held_back() {
        for (had, named, percent, is_held) in [
            (0, 0, 30, false),
            (1, 1, 0, false),
            (1, 0, 30, true),
            (1, 0, 100, false),
            (20, 1, 0, false),
            (20, 0, 99, true),
            (21, 1, 0, false),
            (22, 1, 0, true),
            (40, 20, 30, false),
            (40, 19, 30, true),
            (100, 70, 30, false),
            (100, 69, 30, true),
            (1_000, 700, 30, false),
            (1_000, 699, 30, true),
            (1_000, 1, 99, true),
            (1_000, 10, 99, false),
            (1_000, 0, 99, true),
            (1_000, 0, 100, false),
        ] {
            let roster = roster(had, named);
            assert_eq!(roster.missing(), had - named);
            let guard = Guard {
                max_missing: MaxMissing::new(percent).unwrap(),
                ..Guard::default()
            };
            assert_eq!(roster.is_held(guard), is_held, "{had} {named} {percent}");
        }
        for (had, named, min_missing, is_held) in [
            (100, 1, 99, false),
            (100, 1, 98, true),
            (100, 0, 100, true),
            (10, 5, 0, true),
        ] {
            let guard = Guard {
                min_missing,
                ..Guard::default()
            };
            let is = roster(had, named).is_held(guard);
            assert_eq!(is, is_held, "{had} {named} {min_missing}");
        }
        assert_eq!(MaxMissing::new(101), None);
    }

    #[test]
    fn a_name_counts_once() {
        let mut roster = roster(3, 0);
        roster.add(&identifier("0"));
        for _ in 0..2 {
            roster.name(&identifier("1"));
            roster.name(&identifier("new"));
        }
        assert_eq!(roster.missing(), 2);
        let missing = ["0", "1", "2", "new"].map(|text| roster.is_missing(&identifier(text)));
        assert_eq!(missing, [true, false, true, false]);
        // Two of three, not of four.
        let guard = Guard {
            max_missing: MaxMissing::new(60).unwrap(),
            min_missing: 0,
        };
        assert!(roster.is_held(guard));
    }
}
