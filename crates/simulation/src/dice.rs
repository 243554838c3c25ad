use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use crate::entropy;

pub struct Dice(Mutex<u64>);

impl Dice {
    pub const fn new(seed: u64) -> Self {
        Self(Mutex::new(seed))
    }

    pub fn below(&self, limit: u64) -> u64 {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entropy::next(&mut state) % limit
    }

    pub fn one_in(&self, chances: u64) -> bool {
        chances > 0 && self.below(chances) == 0
    }

    pub fn pick<'a, T>(&self, several: &'a [T]) -> &'a T {
        let count = u64::try_from(several.len()).unwrap_or(1);
        &several[usize::try_from(self.below(count)).unwrap_or_default()]
    }

    pub fn millis(&self, least: u64, most: u64) -> Duration {
        Duration::from_micros(least * 1000 + self.below((most - least) * 1000))
    }
}
