//! The matters that need attention from an operator or integrator, in one list.
//!
//! The crate `attention` derives the items from the state of all contexts. A worker compares them
//! with the stored items. An item that begins or ends raises an event.

use std::collections::BTreeMap;

use async_trait::async_trait;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    AttentionItem, ClientId, StoreError, Version,
    event::{Event, EventName, Subject},
    outbox::TaskWrites,
};

/// An item began.
pub const ATTENTION_RAISED: EventName = EventName::new("AttentionRaised");
/// An item ended.
pub const ATTENTION_CLEARED: EventName = EventName::new("AttentionCleared");

/// The stored items.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredAttention {
    /// The number of checks; 0 before the first.
    pub version: Version,
    /// When the items were last compared with the state.
    pub checked_at: Option<OffsetDateTime>,
    /// The items, the oldest first.
    pub items: Vec<AttentionItem>,
}

/// The outcome of comparing the stored items with the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttentionCheck {
    /// The expected stored version.
    pub expected: Version,
    /// The time of the comparison.
    pub at: OffsetDateTime,
    /// All items; `None` if unchanged.
    pub items: Option<Vec<AttentionItem>>,
    /// The events of items that began or ended.
    pub events: Vec<Event>,
    /// The new number of visible postings of each client, if it changed.
    pub visible: BTreeMap<ClientId, u64>,
}

impl AttentionCheck {
    /// Compares stored items with found ones. A continuing item keeps its start time.
    pub fn new(
        stored: &StoredAttention,
        mut found: Vec<AttentionItem>,
        at: OffsetDateTime,
    ) -> Self {
        let known = |id: Uuid| stored.items.iter().find(|item| item.id == id);
        for item in &mut found {
            item.since = known(item.id).map_or(item.since, |known| known.since);
        }
        found.sort_by_key(|item| (item.since, item.id));
        found.dedup_by_key(|item| item.id);
        let event = |name: &EventName, item: &AttentionItem| Event {
            name: name.clone(),
            subject: Subject::Attention(Box::new(item.clone())),
            at,
            trace: None,
        };
        let raised = found.iter().filter(|item| known(item.id).is_none());
        let mut events: Vec<_> = raised.map(|item| event(&ATTENTION_RAISED, item)).collect();
        let is_over = |item: &&AttentionItem| found.iter().all(|other| other.id != item.id);
        let cleared = stored.items.iter().filter(is_over);
        events.extend(cleared.map(|item| event(&ATTENTION_CLEARED, item)));
        Self {
            expected: stored.version,
            at,
            items: (found != stored.items).then_some(found),
            events,
            visible: BTreeMap::new(),
        }
    }

    /// The events as writes of a commit.
    pub fn tasks(&self) -> TaskWrites {
        let mut tasks = TaskWrites::new(self.at);
        tasks.events.clone_from(&self.events);
        tasks
    }
}

/// The port to the stored items.
#[async_trait]
pub trait AttentionList: Send + Sync {
    /// The stored items.
    async fn attention(&self) -> Result<StoredAttention, StoreError>;

    /// Writes a check in one commit, with the next version.
    ///
    /// [`StoreError::Conflict`] if another process has stored a later version than the
    /// [expected](AttentionCheck::expected) one. So two processes never raise the same event.
    async fn record_check(&self, check: &AttentionCheck) -> Result<(), StoreError>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{hours, item, noon};

    #[test]
    fn what_begins_and_what_ends_is_an_event_once() {
        let since = |n: i64, item| AttentionItem {
            since: noon() - hours(9 - n),
            ..item
        };
        let (one, two, three) = (since(1, item(1)), since(2, item(2)), since(3, item(3)));
        let stored = StoredAttention {
            version: 4,
            checked_at: Some(noon()),
            items: vec![one.clone(), two.clone()],
        };
        let later = AttentionItem {
            since: noon() + hours(1),
            sentence: "Now 8 of 9.".to_owned(),
            ..two.clone()
        };
        let check = AttentionCheck::new(&stored, vec![three.clone(), later], noon());
        let events: Vec<_> = check
            .events
            .iter()
            .map(|it| (&it.name, it.subject.id()))
            .collect();
        let expect = [(&ATTENTION_RAISED, three.id), (&ATTENTION_CLEARED, one.id)];
        assert_eq!(events, expect);
        let kept = AttentionItem {
            sentence: "Now 8 of 9.".to_owned(),
            ..two.clone()
        };
        assert_eq!(check.items, Some(vec![kept, three]));
        let same = AttentionCheck::new(&stored, vec![two, one], noon());
        assert_eq!((same.items, same.events), (None, Vec::new()));
    }
}
