//! How background work gives way to those who wait for an answer.
//!
//! What it takes from them is not so much time of the processor as the database's, so it cannot
//! be left to the scheduler. While many pushes are under way, it takes small bites and rests
//! after each: a backlog gets a quarter of the time then, and all of it otherwise.

use std::{sync::Arc, time::Duration};

/// How many times longer than a round of work the rest after it is.
const REST: u32 = 3;

/// No rest is longer: a round that took this long waited for somebody else.
const LONGEST_REST: Duration = Duration::from_millis(200);

/// By how much smaller a bite is.
const BITE: usize = 16;

/// Says whether many pushes are under way.
pub type IsBusy = Arc<dyn Fn() -> bool + Send + Sync>;

/// Gives way.
#[derive(Clone)]
pub(super) struct Courtesy(pub IsBusy);

impl Courtesy {
    /// How many of so many tasks to take on.
    pub fn bite(&self, tasks: usize) -> usize {
        if (self.0)() {
            (tasks / BITE).max(1)
        } else {
            tasks
        }
    }

    /// How long to rest after a round that took so long.
    pub fn rest(&self, round: Duration) -> Duration {
        if (self.0)() {
            (round * REST).min(LONGEST_REST)
        } else {
            Duration::ZERO
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backlog_gets_a_quarter_of_the_time_while_many_push() {
        let round = Duration::from_millis(20);
        for (is_busy, bite, rest) in [(false, 64, Duration::ZERO), (true, 4, round * 3)] {
            let courtesy = Courtesy(Arc::new(move || is_busy));
            assert_eq!(courtesy.bite(64), bite);
            assert_eq!(courtesy.rest(round), rest);
        }
        let courtesy = Courtesy(Arc::new(|| true));
        assert_eq!(courtesy.bite(1), 1, "it never stops");
        assert_eq!(courtesy.rest(Duration::from_secs(9)), LONGEST_REST);
    }
}
