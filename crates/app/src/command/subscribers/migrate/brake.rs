//! What becomes of those who were moved, and when that is too bad to go on.

use std::{collections::HashSet, fmt};

use domain::{
    outbox::{Kind, Outbox},
    store::{Store, StoreError},
    subscriber::{Email, SubscriberId},
};

/// More than this part of the moves may not go wrong.
const PERCENT: usize = 5;

/// Of fewer moves than this nothing is concluded but what would be of this many.
const FEWEST: usize = 20;

/// Tasks that are in memory at a time.
const PAGE: usize = 1_000;

/// What became of moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Moves {
    /// They came to their end, good or bad.
    pub ended: usize,
    /// A worker is to carry them out yet, or is trying.
    pub under_way: usize,
    /// They were given up.
    pub failed: usize,
}

impl Moves {
    /// Whether it is better to stop.
    pub fn are_too_bad(self) -> bool {
        self.failed * 100 > self.ended.max(FEWEST) * PERCENT
    }
}

impl fmt::Display for Moves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { ended, failed, .. } = self;
        write!(
            f,
            "{failed} of {ended} moves failed, which is more than {PERCENT} %"
        )
    }
}

/// Looks at what becomes of people.
pub(super) struct Brake<'a> {
    store: &'a dyn Store,
    outbox: &'a dyn Outbox,
    under_way: HashSet<SubscriberId>,
    failed: HashSet<SubscriberId>,
    ended: usize,
}

impl<'a> Brake<'a> {
    pub fn new(store: &'a dyn Store, outbox: &'a dyn Outbox) -> Self {
        Self {
            store,
            outbox,
            under_way: HashSet::new(),
            failed: HashSet::new(),
            ended: 0,
        }
    }

    /// From now on looks at these people, too.
    pub async fn watch(&mut self, moved: &[Email]) -> Result<(), StoreError> {
        let known = self.store.load_subscribers(moved).await?;
        self.under_way.extend(known.values().map(|known| known.id));
        Ok(())
    }

    /// What has become of all of them by now.
    pub async fn look(&mut self) -> Result<Moves, StoreError> {
        self.look_at_failures().await?;
        let waiting: Vec<_> = self.under_way.iter().copied().collect();
        let known = self.store.load_subscribers_by_id(&waiting).await?;
        let is_under_way = |id: &SubscriberId| {
            let migrated = known.get(id).and_then(|known| known.migrated);
            migrated.is_some_and(|migrated| !migrated.arrived)
        };
        let before = self.under_way.len();
        self.under_way.retain(is_under_way);
        self.ended += before - self.under_way.len();
        Ok(Moves {
            ended: self.ended,
            under_way: self.under_way.len(),
            failed: self.failed.len(),
        })
    }

    async fn look_at_failures(&mut self) -> Result<(), StoreError> {
        let mut after = None;
        loop {
            let page = self.outbox.list(true, after, PAGE).await?;
            let dead: HashSet<_> = page
                .iter()
                .filter(|row| row.kind == Kind::Migrate)
                .map(|row| row.key.as_str())
                .collect();
            self.take_out(&dead);
            after = page.last().map(|task| task.id);
            if page.len() < PAGE {
                return Ok(());
            }
        }
    }

    /// Takes note of moves that were given up, by the keys of their tasks.
    fn take_out(&mut self, dead: &HashSet<&str>) {
        if dead.is_empty() {
            return;
        }
        let is_dead = |id: &SubscriberId| dead.contains(id.to_string().as_str());
        let failed: Vec<_> = self.under_way.iter().copied().filter(is_dead).collect();
        for id in failed {
            self.under_way.remove(&id);
            self.failed.insert(id);
            self.ended += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_one_in_twenty_is_too_bad() {
        for (ended, failed, expect) in [
            (0, 0, false),
            (1, 1, false),
            (2, 2, true),
            (20, 1, false),
            (39, 2, true),
            (40, 2, false),
            (400_000, 20_000, false),
            (400_000, 20_001, true),
        ] {
            let moves = Moves {
                ended,
                under_way: 0,
                failed,
            };
            assert_eq!(moves.are_too_bad(), expect, "{moves:?}");
        }
    }
}
