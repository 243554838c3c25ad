//! How often a catalogue may omit a posting before the posting expires.

use super::Missed;

/// The number of consecutive misses, 1 to 10, after which a posting expires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience(u8);

impl Patience {
    /// The smallest and the largest number.
    pub const RANGE: (u8, u8) = (1, 10);

    /// A number of imports; `None` outside of the [range](Self::RANGE).
    pub const fn new(imports: u8) -> Option<Self> {
        if Self::RANGE.0 <= imports && imports <= Self::RANGE.1 {
            Some(Self(imports))
        } else {
            None
        }
    }

    /// The new state of an open posting that this import misses, after `misses` consecutive earlier
    /// misses.
    pub fn after(self, misses: u8) -> Missed {
        let misses = misses.saturating_add(1);
        if misses >= self.0 {
            Missed::Expired
        } else {
            Missed::Open(misses)
        }
    }

    /// Whether a posting expires at its first miss.
    pub const fn is_none(self) -> bool {
        self.0 == 1
    }
}

impl Default for Patience {
    fn default() -> Self {
        Self(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_posting_expires_once_it_was_missed_often_enough() {
        for (imports, before, expect) in [
            (1, 0, Missed::Expired),
            (3, 0, Missed::Open(1)),
            (3, 1, Missed::Open(2)),
            (3, 2, Missed::Expired),
            (10, 8, Missed::Open(9)),
            (2, 9, Missed::Expired),
        ] {
            let patience = Patience::new(imports).unwrap();
            assert_eq!(patience.after(before), expect, "{imports} {before}");
        }
        assert_eq!([0, 11].map(Patience::new), [None, None]);
    }
}
