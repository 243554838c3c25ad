//! Slows background work down while there are many pushes, because both need the database.
//!
//! Loops then take small batches and pause after each, so a backlog gets a quarter of the time.
//! Each kind of task keeps a minimum rate.

use std::{sync::Arc, time::Duration};

/// A pause under load is usually this multiple of the round's duration.
const PAUSE_FACTOR: u32 = 3;

/// The longest pause. A round that would need a longer one mostly waits, and hardly loads the
/// database.
const LONGEST_PAUSE: Duration = Duration::from_millis(200);

/// Under load, a batch is this fraction of the usual one.
const BATCH_DIVISOR: usize = 16;

pub type BusyProbe = Arc<dyn Fn() -> bool + Send + Sync>;

#[derive(Clone)]
pub struct Throttle(pub BusyProbe);

#[derive(Clone, Copy, Debug)]
pub struct Floor {
    /// The smallest batch under load, because each round has a fixed cost.
    pub batch: usize,
    /// The rate, per second and process, below which pauses may not reduce the work.
    pub a_second: u32,
}

/// The number of postings that a commit of work on a whole catalogue or company writes.
pub const BULK: usize = 256;

/// The pace of such work, in postings per second. A hundred thousand postings take less than a
/// minute, and pushes keep two thirds of their rate.
const BULK_PACE: u32 = 1_800;

/// The pause after a commit of `done` postings.
pub fn bulk_pause(done: usize, round: Duration) -> Duration {
    time_of(done, BULK_PACE).saturating_sub(round)
}

fn time_of(done: usize, a_second: u32) -> Duration {
    Duration::from_secs(1) * u32::try_from(done).unwrap_or(u32::MAX) / a_second
}

impl Throttle {
    pub fn batch(&self, floor: Floor, tasks: usize) -> usize {
        let batch = self.sweep_size(tasks);
        batch.max(floor.batch).min(tasks)
    }

    /// The pause after a round that handled `done` tasks or events.
    pub fn pause(&self, floor: Floor, done: usize, round: Duration) -> Duration {
        let time = time_of(done, floor.a_second);
        self.sweep_pause(round).min(time.saturating_sub(round))
    }

    pub fn sweep_size(&self, rows: usize) -> usize {
        if (self.0)() {
            (rows / BATCH_DIVISOR).max(1)
        } else {
            rows
        }
    }

    pub fn sweep_pause(&self, round: Duration) -> Duration {
        if (self.0)() {
            (round * PAUSE_FACTOR).min(LONGEST_PAUSE)
        } else {
            Duration::ZERO
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROUND: Duration = Duration::from_millis(4);

    #[test]
    fn a_sweep_gets_a_quarter_of_the_time_while_many_push() {
        for (is_busy, batch, rest) in [(false, 64, Duration::ZERO), (true, 4, ROUND * 3)] {
            let throttle = Throttle(Arc::new(move || is_busy));
            assert_eq!(throttle.sweep_size(64), batch);
            assert_eq!(throttle.sweep_pause(ROUND), rest);
        }
        let throttle = Throttle(Arc::new(|| true));
        assert_eq!(throttle.sweep_size(1), 1, "it never stops");
        let rest = throttle.sweep_pause(Duration::from_secs(9));
        assert_eq!(rest, LONGEST_PAUSE);
    }

    #[test]
    fn tasks_get_full_batches_or_their_minimum_rate() {
        let idle = Throttle(Arc::new(|| false));
        let busy = Throttle(Arc::new(|| true));
        for (batch, a_second) in [(16, 200), (4, 200), (1, 20)] {
            let floor = Floor { batch, a_second };
            assert_eq!(busy.batch(floor, 64), batch.max(4), "{floor:?}");
            assert_eq!(idle.batch(floor, 64), 64, "{floor:?}");
            assert_eq!(idle.pause(floor, 64, ROUND), Duration::ZERO, "{floor:?}");
            assert_eq!(busy.batch(floor, 1), 1, "{floor:?}");
            // If rounds are short, the loop gets a fixed part of the time.
            let short = Duration::from_micros(10);
            assert_eq!(busy.pause(floor, 16, short), short * 3, "{floor:?}");
            // The minimum rate is kept if possible, whatever the load and the length of rounds.
            let done = busy.batch(floor, 64);
            let bites = f64::from(u32::try_from(done).unwrap());
            for round in [1, 5, 20, 80, 320, 5_000].map(Duration::from_millis) {
                let both = round + busy.pause(floor, done, round);
                let rate = bites / both.as_secs_f64();
                let is_kept = rate >= f64::from(floor.a_second) * 0.99;
                assert!(is_kept || both == round, "{floor:?} {round:?}: {rate}");
            }
        }
    }

    #[test]
    fn bulk_work_keeps_its_pace_whatever_the_load() {
        for (round, pause) in [(0, 1_000), (120, 880), (1_000, 0), (9_000, 0)] {
            let pauses = bulk_pause(BULK_PACE as usize, Duration::from_millis(round));
            assert_eq!(pauses, Duration::from_millis(pause));
        }
    }
}
