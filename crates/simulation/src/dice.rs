//! Numbers that follow from a seed.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use crate::entropy;

/// A generator that many draw from.
pub struct Dice(Mutex<u64>);

impl Dice {
    /// The numbers of a seed.
    pub const fn new(seed: u64) -> Self {
        Self(Mutex::new(seed))
    }

    /// A number below a limit.
    pub fn below(&self, limit: u64) -> u64 {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entropy::next(&mut state) % limit
    }

    /// Whether one of so many chances is hit; never of none.
    pub fn one_in(&self, chances: u64) -> bool {
        chances > 0 && self.below(chances) == 0
    }

    /// One of several.
    pub fn pick<'a, T>(&self, several: &'a [T]) -> &'a T {
        let count = u64::try_from(several.len()).unwrap_or(1);
        &several[usize::try_from(self.below(count)).unwrap_or_default()]
    }

    /// A time in milliseconds, to the microsecond.
    pub fn millis(&self, least: u64, most: u64) -> Duration {
        Duration::from_micros(least * 1000 + self.below((most - least) * 1000))
    }
}
