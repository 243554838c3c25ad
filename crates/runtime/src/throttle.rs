//! Slows background work down while there are many pushes, because both need the database.
//!
//! Loops then take small batches and pause after each, so a backlog gets a quarter of the time.
//! Each kind of task keeps a minimum rate.

use std::{sync::Arc, time::Duration};

/// A pause under load is usually this multiple of the round's duration.
const PAUSE_FACTOR: u32 = 3;

/// A round that would need a longer pause mostly waited itself.
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
    /// The pause after a round without load, as a multiple of the round's duration.
    pub idle_rest: u32,
    /// The pause after a round under load, likewise.
    pub busy_rest: u32,
}

impl Floor {
    /// Full speed without load, and a quarter of the time under load.
    pub const fn of(batch: usize, a_second: u32) -> Self {
        Self {
            batch,
            a_second,
            idle_rest: 0,
            busy_rest: PAUSE_FACTOR,
        }
    }
}

/// The minimum rate for work on a whole catalogue or company. A hundred thousand postings take at
/// most a minute. Under load the work is no faster, so that pushes keep two thirds of their rate.
pub const BULK: Floor = Floor {
    batch: 64,
    a_second: 1_800,
    idle_rest: 1,
    busy_rest: 100,
};

impl Throttle {
    pub fn batch(&self, floor: Floor, tasks: usize) -> usize {
        let batch = self.sweep_size(tasks);
        batch.max(floor.batch).min(tasks)
    }

    /// The pause after a round that handled `done` tasks or events.
    pub fn pause(&self, floor: Floor, done: usize, round: Duration) -> Duration {
        let done = u32::try_from(done).unwrap_or(u32::MAX);
        let time = Duration::from_secs(1) * done / floor.a_second;
        let rest = self.rest(floor.idle_rest, floor.busy_rest, round);
        rest.min(time.saturating_sub(round))
    }

    pub fn sweep_size(&self, rows: usize) -> usize {
        if (self.0)() {
            (rows / BATCH_DIVISOR).max(1)
        } else {
            rows
        }
    }

    pub fn sweep_pause(&self, round: Duration) -> Duration {
        self.rest(0, PAUSE_FACTOR, round)
    }

    fn rest(&self, idle: u32, busy: u32, round: Duration) -> Duration {
        let factor = if (self.0)() { busy } else { idle };
        (round * factor).min(LONGEST_PAUSE)
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
        for floor in [BULK, Floor::of(4, 200), Floor::of(1, 20)] {
            let Floor { batch, .. } = floor;
            assert_eq!(busy.batch(floor, 64), batch.max(4), "{floor:?}");
            assert_eq!(idle.batch(floor, 64), 64, "{floor:?}");
            assert_eq!(
                idle.pause(floor, 64, ROUND),
                ROUND * floor.idle_rest,
                "{floor:?}"
            );
            assert_eq!(busy.batch(floor, 1), 1, "{floor:?}");
            // If rounds are short, the loop gets a fixed part of the time.
            let short = Duration::from_micros(10);
            let rest = short * floor.busy_rest;
            assert_eq!(busy.pause(floor, 16, short), rest, "{floor:?}");
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
}
