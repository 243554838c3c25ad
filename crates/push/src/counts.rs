use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Counts {
    pub created: u64,
    pub updated: u64,
    pub unchanged: u64,
    pub expired: u64,
    pub reopened: u64,
    pub refused: u64,
    pub failed: u64,
}

impl Counts {
    pub fn total(&self) -> u64 {
        self.named().iter().map(|(_, count)| count).sum()
    }

    pub const fn is_clean(&self) -> bool {
        self.refused == 0 && self.failed == 0
    }

    pub const fn named(&self) -> [(&'static str, u64); 7] {
        [
            ("created", self.created),
            ("updated", self.updated),
            ("unchanged", self.unchanged),
            ("expired", self.expired),
            ("reopened", self.reopened),
            ("refused", self.refused),
            ("failed", self.failed),
        ]
    }

    pub(crate) const fn add(&mut self, other: &Self) {
        self.created += other.created;
        self.updated += other.updated;
        self.unchanged += other.unchanged;
        self.expired += other.expired;
        self.reopened += other.reopened;
        self.refused += other.refused;
        self.failed += other.failed;
    }

    /// Adds outcomes of a repeated import. Lines that an earlier, incomplete attempt changed are
    /// `unchanged` now, and count as changed.
    pub(crate) fn after(mut self, earlier: &Self) -> Self {
        for (count, earlier) in [
            (&mut self.created, earlier.created),
            (&mut self.updated, earlier.updated),
            (&mut self.expired, earlier.expired),
            (&mut self.reopened, earlier.reopened),
        ] {
            let moved = self.unchanged.min(earlier);
            self.unchanged -= moved;
            *count += moved;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(created: u64, updated: u64, unchanged: u64) -> Counts {
        Counts {
            created,
            updated,
            unchanged,
            ..Counts::default()
        }
    }

    #[test]
    fn a_line_that_is_sent_again_keeps_its_first_outcome() {
        let earlier = counts(5, 2, 1);
        assert_eq!(counts(1, 0, 20).after(&earlier), counts(6, 2, 13));
        assert_eq!(counts(0, 6, 4).after(&earlier), counts(4, 6, 0));
        assert_eq!(counts(0, 6, 6).after(&earlier), counts(5, 7, 0));
    }
}
