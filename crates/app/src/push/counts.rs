//! Numbers of lines by outcome.

use serde::{Deserialize, Serialize};

/// Numbers of lines by outcome.
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
    /// The number of all lines.
    pub fn total(&self) -> u64 {
        self.named().iter().map(|(_, count)| count).sum()
    }

    /// Whether every line was taken.
    pub fn is_clean(&self) -> bool {
        self.refused == 0 && self.failed == 0
    }

    pub fn add(&mut self, other: &Self) {
        self.created += other.created;
        self.updated += other.updated;
        self.unchanged += other.unchanged;
        self.expired += other.expired;
        self.reopened += other.reopened;
        self.refused += other.refused;
        self.failed += other.failed;
    }

    pub fn named(&self) -> [(&'static str, u64); 7] {
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

    /// The outcomes of lines that were sent again after imports that were not complete: what those
    /// had changed already is `unchanged` now. It counts as what it was first, and is taken from
    /// the `earlier` counts.
    pub fn after(mut self, earlier: &mut Self) -> Self {
        for (count, earlier) in [
            (&mut self.created, &mut earlier.created),
            (&mut self.updated, &mut earlier.updated),
            (&mut self.expired, &mut earlier.expired),
            (&mut self.reopened, &mut earlier.reopened),
        ] {
            let moved = self.unchanged.min(*earlier);
            self.unchanged -= moved;
            *earlier -= moved;
            *count += moved;
        }
        self
    }
}
