use std::{collections::HashSet, fmt};

use crate::{
    store::Store,
    subscriber::{Email, SubscriberId},
    tasks,
};
use kernel::{StoreError, outbox::Outbox};

/// The share of moves that may fail, in percent.
const MAX_FAILED_PERCENT: usize = 5;

/// The share is of at least this number of moves, so that one early failure does not stop a run.
const MIN_MOVES: usize = 20;

/// Counts of moves by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moves {
    /// Moves that ended, successfully or not.
    pub ended: usize,
    /// Moves that a worker has not finished yet.
    pub under_way: usize,
    /// Moves whose task is dead.
    pub failed: usize,
    /// Moves that ended without finding the person in the old account.
    pub nobody: usize,
}

impl Moves {
    /// Whether so many moves failed that the run must stop.
    pub fn exceed_failure_limit(self) -> bool {
        (self.failed + self.nobody) * 100 > self.ended.max(MIN_MOVES) * MAX_FAILED_PERCENT
    }
}

impl fmt::Display for Moves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            ended,
            failed,
            nobody,
            ..
        } = self;
        let bad = failed + nobody;
        write!(
            f,
            "{bad} of {ended} moves failed ({failed}) or did not find the person in the old account \
             ({nobody}), which is more than {MAX_FAILED_PERCENT} %"
        )
    }
}

/// Watches the moves of a run.
pub struct MoveMonitor<'a> {
    store: &'a dyn Store,
    outbox: &'a dyn Outbox,
    under_way: HashSet<SubscriberId>,
    moves: Moves,
}

impl<'a> MoveMonitor<'a> {
    /// A monitor without moves.
    pub fn new(store: &'a dyn Store, outbox: &'a dyn Outbox) -> Self {
        Self {
            store,
            outbox,
            under_way: HashSet::new(),
            moves: Moves::default(),
        }
    }

    /// Adds moves to watch.
    pub async fn watch(&mut self, moved: &[Email]) -> Result<(), StoreError> {
        let known = self.store.load(moved).await?;
        self.under_way.extend(known.values().map(|known| known.id));
        Ok(())
    }

    /// Returns the outcome of all watched moves.
    pub async fn check(&mut self) -> Result<Moves, StoreError> {
        self.count_dead().await?;
        let waiting: Vec<_> = self.under_way.iter().copied().collect();
        let known = self.store.load_by_id(&waiting).await?;
        for id in waiting {
            let migrated = known.get(&id).and_then(|known| known.migrated);
            if migrated.is_some_and(|migrated| !migrated.arrived) {
                continue;
            }
            self.under_way.remove(&id);
            self.moves.ended += 1;
            let found_nobody = migrated.is_some_and(|migrated| !migrated.was_found);
            self.moves.nobody += usize::from(found_nobody);
        }
        Ok(Moves {
            under_way: self.under_way.len(),
            ..self.moves
        })
    }

    async fn count_dead(&mut self) -> Result<(), StoreError> {
        let moves: Vec<_> = self.under_way.iter().copied().map(tasks::migrate).collect();
        for dead in self.outbox.dead_among(&moves).await? {
            self.under_way.remove(&SubscriberId::new(dead.key()));
            self.moves.ended += 1;
            self.moves.failed += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_one_failure_in_twenty_exceeds_the_limit() {
        for (ended, bad, expect) in [
            (0, 0, false),
            (1, 1, false),
            (2, 2, true),
            (20, 1, false),
            (39, 2, true),
            (40, 2, false),
            (400_000, 20_000, false),
            (400_000, 20_001, true),
        ] {
            // The bad moves are dead, not found, or some of each.
            for nobody in [0, bad / 2, bad] {
                let failed = bad - nobody;
                let moves = Moves {
                    ended,
                    under_way: 0,
                    failed,
                    nobody,
                };
                assert_eq!(moves.exceed_failure_limit(), expect, "{moves:?}");
            }
        }
    }
}
