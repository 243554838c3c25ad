//! What becomes of those who were moved, and when that is too bad to go on.

use std::{collections::HashSet, fmt};

use domain::{outbox::Outbox, store::StoreError};
use newsletter::{
    store::Store,
    subscriber::{Email, SubscriberId},
    tasks,
};

/// More than this part of the moves may not go wrong.
const PERCENT: usize = 5;

/// Of fewer moves than this nothing is concluded but what would be of this many.
const FEWEST: usize = 20;

/// What became of moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Moves {
    /// They came to their end, good or bad.
    pub ended: usize,
    /// A worker is to carry them out yet, or is trying.
    pub under_way: usize,
    /// They were given up.
    pub failed: usize,
    /// The old account showed nobody.
    pub nobody: usize,
}

impl Moves {
    /// Whether it is better to stop.
    pub fn are_too_bad(self) -> bool {
        (self.failed + self.nobody) * 100 > self.ended.max(FEWEST) * PERCENT
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
            "{bad} of {ended} moves failed ({failed}) or found nobody in the old account \
             ({nobody}), which is more than {PERCENT} %"
        )
    }
}

/// Looks at what becomes of people.
pub(super) struct Brake<'a> {
    store: &'a dyn Store,
    outbox: &'a dyn Outbox,
    under_way: HashSet<SubscriberId>,
    /// What became of the others, who are not under way any more.
    moves: Moves,
}

impl<'a> Brake<'a> {
    pub fn new(store: &'a dyn Store, outbox: &'a dyn Outbox) -> Self {
        Self {
            store,
            outbox,
            under_way: HashSet::new(),
            moves: Moves::default(),
        }
    }

    /// From now on looks at these people, too.
    pub async fn watch(&mut self, moved: &[Email]) -> Result<(), StoreError> {
        let known = self.store.load(moved).await?;
        self.under_way.extend(known.values().map(|known| known.id));
        Ok(())
    }

    /// What has become of all of them by now.
    pub async fn look(&mut self) -> Result<Moves, StoreError> {
        self.look_at_failures().await?;
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

    /// Takes note of moves that were given up.
    async fn look_at_failures(&mut self) -> Result<(), StoreError> {
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
    fn more_than_one_in_twenty_is_too_bad() {
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
            // Whichever it is, or some of each.
            for nobody in [0, bad / 2, bad] {
                let failed = bad - nobody;
                let moves = Moves {
                    ended,
                    under_way: 0,
                    failed,
                    nobody,
                };
                assert_eq!(moves.are_too_bad(), expect, "{moves:?}");
            }
        }
    }
}
