//! The pace of a lane: how many reads and commits are under way at a time, and how large they are.
//!
//! Near the database a commit costs it as much processor time as ten postings, whatever its size.
//! So a second one overlaps the first only when a full batch waits for it, or when the first one
//! takes so long that it must be waiting for something. Far from the database a commit is mostly on
//! the road. There several are, at even distances, each with all that has come meanwhile.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

/// The round trip from which on a database counts as far.
const FAR: Duration = Duration::from_millis(10);

/// How many times as large batches are when the database is far.
const LARGER: usize = 4;

/// The time after which a commit near the database is taken for stuck, and does not hold up the
/// next one any longer.
const STUCK: Duration = Duration::from_millis(20);

/// The limits of a lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// How many commands share a commit at most, near the database.
    pub batch: usize,
    /// How many commits are under way at most.
    pub commits: usize,
    /// How many reads are under way at most.
    pub reads: usize,
    /// After how many new postings in a row the next one is guessed to be new, far from the
    /// database.
    pub guess_after: usize,
}

/// The pace of a lane.
pub(super) struct Pace {
    limits: Limits,
    /// In nanoseconds. Loads and commits that wait for something else are longer than a round
    /// trip, so that the shortest ones of late tell.
    round_trip: AtomicU64,
}

impl Pace {
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            round_trip: AtomicU64::new(0),
        }
    }

    /// Takes note of how long a call of the store took.
    pub fn note(&self, took: Duration) {
        let took = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        let before = self.round_trip.load(Ordering::Relaxed);
        // A shorter one counts at once. Longer ones move it on by an eighth each.
        let now = match before {
            0 => took,
            before => took.min(before.saturating_add((before / 8).max(10_000))),
        };
        self.round_trip.store(now, Ordering::Relaxed);
    }

    fn round_trip(&self) -> Duration {
        Duration::from_nanos(self.round_trip.load(Ordering::Relaxed))
    }

    /// Whether the database is far.
    pub fn is_far(&self) -> bool {
        self.round_trip() >= FAR
    }

    /// The largest batch.
    pub fn batch(&self) -> usize {
        if self.is_far() {
            self.limits.batch.saturating_mul(LARGER)
        } else {
            self.limits.batch
        }
    }

    /// How many reads may be under way.
    pub fn reads(&self) -> usize {
        if self.is_far() { self.limits.reads } else { 1 }
    }

    /// How many commits may be under way.
    pub fn commits(&self) -> usize {
        let most = if self.is_far() { usize::MAX } else { 2 };
        self.limits.commits.min(most)
    }

    /// How long after a commit the next one begins, however small it is.
    pub fn between_commits(&self) -> Duration {
        self.between(self.commits()).unwrap_or(STUCK)
    }

    /// How long after a read the next one begins.
    pub fn between_reads(&self) -> Duration {
        self.between(self.reads()).unwrap_or_default()
    }

    fn between(&self, count: usize) -> Option<Duration> {
        let count = u32::try_from(count).unwrap_or(u32::MAX).max(1);
        self.is_far().then(|| self.round_trip() / count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits {
        batch: 64,
        commits: 4,
        reads: 2,
        guess_after: 64,
    };

    fn after(times: &[u64]) -> Pace {
        let pace = Pace::new(LIMITS);
        for time in times {
            pace.note(Duration::from_millis(*time));
        }
        pace
    }

    #[test]
    fn the_shortest_calls_tell_how_far_the_database_is() {
        for (times, reads, commits, batch) in [
            (&[1][..], 1, 2, 64),
            (&[1, 30, 30, 30, 30, 30], 1, 2, 64),
            (&[100, 130], 2, 4, 256),
        ] {
            let pace = after(times);
            let numbers = (pace.reads(), pace.commits(), pace.batch());
            assert_eq!(numbers, (reads, commits, batch), "{times:?}");
        }
        let pace = after(&[100]);
        assert_eq!(pace.between_commits(), Duration::from_millis(25));
        assert_eq!(pace.between_reads(), Duration::from_millis(50));
        pace.note(Duration::from_millis(1));
        assert!(!pace.is_far());
    }

    #[test]
    fn one_writer_has_one_commit() {
        let pace = Pace::new(Limits {
            batch: 64,
            commits: 1,
            reads: 1,
            ..LIMITS
        });
        assert_eq!((pace.commits(), pace.reads()), (1, 1));
    }
}
