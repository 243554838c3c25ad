use std::collections::HashMap;

use time::OffsetDateTime;

use crate::{
    store::{Store, StoreError, WriteSet},
    subscriber::{Change, Departure, Email, Remembered, Subscriber, SubscriberId, departure},
};

const MOST_HOPS: usize = 8;

pub(super) struct LoadedPeople {
    known: HashMap<Email, Subscriber>,
    remembered: HashMap<Email, Remembered>,
}

impl LoadedPeople {
    pub async fn load(store: &dyn Store, emails: &[Email]) -> Result<Self, StoreError> {
        let known = store.load(emails).await?;
        let strangers = emails.iter().filter(|email| !known.contains_key(email));
        let strangers: Vec<_> = strangers.cloned().collect();
        let remembered = if strangers.is_empty() {
            HashMap::new()
        } else {
            store.remembered(&strangers).await?
        };
        Ok(Self { known, remembered })
    }

    pub fn get(&self, email: &Email) -> Option<&Subscriber> {
        self.known.get(email)
    }

    pub fn remembered(&self, email: &Email) -> Option<Remembered> {
        self.remembered.get(email).copied()
    }

    /// Adds a change to a commit, and gives a new row the remembered suppression. Returns the row.
    pub fn record(&mut self, mut change: Change, writes: &mut WriteSet) -> Subscriber {
        let email = change.subscriber.email.clone();
        if let Some(remembered) = self.remembered.remove(&email) {
            change.recall(remembered, writes.tasks.at);
            writes.recalled.insert(email.clone());
        }
        let after = change.record(writes);
        self.known.insert(email, after.clone());
        after
    }

    pub fn departed(&self) -> Vec<Subscriber> {
        let known = self.known.values();
        known.filter(|it| it.departure.is_some()).cloned().collect()
    }
}

/// Applies suppressions of departing addresses to the present records, in the same commit.
pub(super) async fn follow(
    store: &dyn Store,
    mut departed: Vec<Subscriber>,
    writes: &mut WriteSet,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    for _ in 0..MOST_HOPS {
        departed.retain(|it| it.status.is_suppressed());
        let successors: Vec<_> = departed.iter().filter_map(successor).collect();
        if successors.is_empty() {
            return Ok(());
        }
        let known = store.load_by_id(&successors).await?;
        let mut next = Vec::new();
        for departed in &departed {
            let Some(id) = successor(departed) else {
                continue;
            };
            let written = writes.subscribers.get(&id).map(|write| &write.subscriber);
            let Some(present) = written.or_else(|| known.get(&id)).cloned() else {
                continue;
            };
            if let Some(change) = departure::follow(&present, departed, now) {
                next.push(change.record(writes));
            }
        }
        departed = next;
    }
    Ok(())
}

fn successor(departed: &Subscriber) -> Option<SubscriberId> {
    departed.departure.and_then(Departure::successor)
}

pub(super) async fn present(
    store: &dyn Store,
    departed: &Subscriber,
) -> Result<Option<Subscriber>, StoreError> {
    let mut next = successor(departed);
    for _ in 0..MOST_HOPS {
        let Some(id) = next else {
            return Ok(None);
        };
        let mut known = store.load_by_id(&[id]).await?;
        let Some(subscriber) = known.remove(&id) else {
            return Ok(None);
        };
        if subscriber.departure.is_none() {
            return Ok(Some(subscriber).filter(|it| it.reported_at.is_some()));
        }
        next = successor(&subscriber);
    }
    Ok(None)
}
