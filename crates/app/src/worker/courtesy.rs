//! How background work gives way to those who wait for an answer.
//!
//! What it takes from them is not so much time of the processor as the database's, so it cannot
//! be left to the scheduler. While many pushes are under way, it takes small bites and rests
//! after each: a backlog gets a quarter of the time then, and all of it otherwise. Tasks of a queue
//! have a floor below that: no backlog grows without end because there is always somebody who
//! pushes.

use std::{sync::Arc, time::Duration};

use domain::{
    outbox::{EVENTS, Kind},
    posting::ENRICH,
};

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

/// What tasks of a kind get however many push.
struct Floor {
    /// No bite is smaller, as a round has costs of its own.
    bite: usize,
    /// No rest keeps a process below so many in a second.
    a_second: u32,
}

const EVENT: Kind = EVENTS.kind();
const ENRICHMENT: Kind = ENRICH.kind();

impl Floor {
    /// An event costs a fraction of a push, an enrichment about one.
    fn of(kind: Kind) -> Self {
        let (bite, a_second) = match kind {
            EVENT => (16, 2_000),
            ENRICHMENT => (4, 200),
            // A call of the provider, which takes longer than what it costs here.
            _ => (1, 20),
        };
        Self { bite, a_second }
    }
}

impl Courtesy {
    /// How many of so many tasks of a kind to take on.
    pub fn bite(&self, kind: Kind, tasks: usize) -> usize {
        let bite = self.bite_of_sweep(tasks);
        bite.max(Floor::of(kind).bite).min(tasks)
    }

    /// How long to rest after a round in which so many tasks were done, and which took so long.
    pub fn rest(&self, kind: Kind, done: usize, round: Duration) -> Duration {
        let done = u32::try_from(done).unwrap_or(u32::MAX);
        let time = Duration::from_secs(1) * done / Floor::of(kind).a_second;
        self.rest_of_sweep(round).min(time.saturating_sub(round))
    }

    /// How many of so many rows to change at once that no task is for.
    pub fn bite_of_sweep(&self, rows: usize) -> usize {
        if (self.0)() {
            (rows / BITE).max(1)
        } else {
            rows
        }
    }

    /// How long to rest after such a change, which took so long.
    pub fn rest_of_sweep(&self, round: Duration) -> Duration {
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
    use crate::kinds;

    const ROUND: Duration = Duration::from_millis(4);

    #[test]
    fn a_sweep_gets_a_quarter_of_the_time_while_many_push() {
        for (is_busy, bite, rest) in [(false, 64, Duration::ZERO), (true, 4, ROUND * 3)] {
            let courtesy = Courtesy(Arc::new(move || is_busy));
            assert_eq!(courtesy.bite_of_sweep(64), bite);
            assert_eq!(courtesy.rest_of_sweep(ROUND), rest);
        }
        let courtesy = Courtesy(Arc::new(|| true));
        assert_eq!(courtesy.bite_of_sweep(1), 1, "it never stops");
        let rest = courtesy.rest_of_sweep(Duration::from_secs(9));
        assert_eq!(rest, LONGEST_REST);
    }

    #[test]
    fn tasks_get_as_much_or_what_keeps_their_floor() {
        let idle = Courtesy(Arc::new(|| false));
        let busy = Courtesy(Arc::new(|| true));
        for kind in kinds::ALL {
            assert_eq!(idle.bite(kind, 64), 64, "{kind}");
            assert_eq!(idle.rest(kind, 64, ROUND), Duration::ZERO, "{kind}");
            assert_eq!(busy.bite(kind, 1), 1, "{kind}");
            // A quarter of the time is enough where rounds are short.
            let short = Duration::from_micros(10);
            assert_eq!(busy.rest(kind, 16, short), short * 3, "{kind}");
            // However long rounds take and however many push, the floor is kept if it can be.
            let floor = Floor::of(kind);
            let done = busy.bite(kind, 64);
            let bites = f64::from(u32::try_from(done).unwrap());
            for round in [1, 5, 20, 80, 320, 5_000].map(Duration::from_millis) {
                let both = round + busy.rest(kind, done, round);
                let rate = bites / both.as_secs_f64();
                let is_kept = rate >= f64::from(floor.a_second) * 0.99;
                assert!(is_kept || both == round, "{kind} {round:?}: {rate}");
            }
        }
        assert_eq!(busy.bite(EVENT, 64), 16);
        assert_eq!(busy.bite(ENRICHMENT, 64), 4);
    }
}
