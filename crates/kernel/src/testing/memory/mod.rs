//! A store in memory. This module has the part that all contexts share. Each context adds a part of
//! its own, and implements its ports under its feature `testing`.

mod attention;
mod audit;
mod events;
mod outbox;

use std::{
    any::Any,
    collections::{BTreeMap, HashMap},
    sync::{Mutex, MutexGuard, OnceLock, PoisonError},
};

use async_trait::async_trait;
use time::OffsetDateTime;
use uuid::Uuid;

use self::outbox::Task;
use super::AddClient;
use crate::{
    ClientId, Prefixes, StoreError,
    attention::StoredAttention,
    audit::Entry,
    event::{Cursor, Event, RecordedEvent, Subject},
    health::{Health, ReplicaPosition, StoreClock},
    outbox::{TaskId, TaskWrites},
};

/// A store in memory. Its data ends with the value.
#[derive(Debug, Default)]
pub struct MemoryStore {
    shared: Mutex<Shared>,
    parts: OnceLock<Box<Part>>,
}

/// A list of parts: the state of one context, and the next part.
#[derive(Debug)]
struct Part {
    state: Box<dyn Any + Send + Sync>,
    next: OnceLock<Box<Self>>,
}

/// The state that the commits of all contexts write.
#[derive(Debug, Default)]
pub struct Shared {
    tasks: BTreeMap<TaskId, Task>,
    last_task: i64,
    events: Vec<RecordedEvent>,
    last_event: u64,
    forgotten: Cursor,
    audit: Vec<Entry>,
    attention: StoredAttention,
    visible: BTreeMap<ClientId, u64>,
    clients: HashMap<ClientId, Prefixes>,
    /// When postings were erased, by identifier.
    erased: HashMap<String, OffsetDateTime>,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// Locks a context's part, which its type identifies. Lock it before [`Self::shared`].
    pub fn part<T: Default + Send + 'static>(&self) -> MutexGuard<'_, T> {
        let mut place = &self.parts;
        loop {
            let part = place.get_or_init(|| {
                let state = Box::new(Mutex::new(T::default()));
                let next = OnceLock::new();
                Box::new(Part { state, next })
            });
            if let Some(state) = part.state.downcast_ref::<Mutex<T>>() {
                return state.lock().unwrap_or_else(PoisonError::into_inner);
            }
            place = &part.next;
        }
    }

    /// Locks the part that all contexts share.
    pub fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shared {
    /// Writes the effects, events and audit of a commit, or nothing.
    pub fn commit(&mut self, writes: TaskWrites) -> Result<(), StoreError> {
        if !self.admits(&writes) {
            return Err(StoreError::Conflict);
        }
        self.write(writes);
        Ok(())
    }

    /// Whether a commit holds the leases of all tasks that it finishes or dead-letters.
    pub fn admits(&self, writes: &TaskWrites) -> bool {
        writes.tokens().all(|token| self.holds(token))
    }

    /// Writes an entry, or replaces an existing one's details.
    pub fn record_entry(&mut self, entry: Option<Entry>) {
        let Some(entry) = entry else { return };
        match self.audit.iter_mut().find(|known| known.id == entry.id) {
            Some(known) => known.details = entry.details,
            None => self.audit.push(entry),
        }
    }

    /// Deletes unclaimed tasks of deleted subjects.
    pub fn drop_tasks(&mut self, of: &[Uuid]) {
        let goes = |task: &Task| of.contains(&task.subject()) && task.lease.is_none();
        self.tasks.retain(|_, task| !goes(task));
    }

    /// The time of the first event that follows a cursor.
    pub fn next_event_at(&self, cursor: Cursor) -> Option<OffsetDateTime> {
        let next = self.events.iter().find(|event| event.cursor > cursor);
        next.map(|event| event.event.at)
    }

    /// Stores a client with its prefixes.
    pub fn keep_client(&mut self, id: ClientId, prefixes: Prefixes) {
        self.clients.insert(id, prefixes);
    }

    /// The prefixes of a client; `None` if it is not stored.
    pub fn prefixes(&self, client: ClientId) -> Option<&Prefixes> {
        self.clients.get(&client)
    }

    /// The number of a client's visible postings at the last check.
    pub fn visible(&self, client: ClientId) -> Option<u64> {
        self.visible.get(&client).copied()
    }

    /// Removes an erased posting's reasons and decisions from events and audit entries.
    pub fn erase(&mut self, identifier: &str, at: OffsetDateTime) {
        for RecordedEvent { event, .. } in &mut self.events {
            if let Subject::Posting(posting) = &mut event.subject
                && posting.source_identifier.as_str() == identifier
            {
                posting.erase();
            }
        }
        for entry in &mut self.audit {
            let action = entry.action.as_str();
            if entry.subject.as_deref() == Some(identifier)
                && (action.starts_with("postings.") || action.starts_with("reports."))
            {
                entry.details.remove("reason");
            }
        }
        self.erased.insert(identifier.to_owned(), at);
    }

    /// Whether a posting with this identifier was erased at this time or later.
    pub fn is_erased(&self, identifier: &str, since: OffsetDateTime) -> bool {
        self.erased.get(identifier).is_some_and(|at| *at >= since)
    }

    fn record(&mut self, event: Event) {
        self.last_event += 1;
        let cursor = Cursor {
            transaction: 0,
            sequence: self.last_event,
        };
        self.events.push(RecordedEvent { cursor, event });
    }
}

#[async_trait]
impl AddClient for MemoryStore {
    async fn add_client(&self, id: ClientId, prefixes: Prefixes) -> Result<(), StoreError> {
        self.shared().keep_client(id, prefixes);
        Ok(())
    }
}

#[async_trait]
impl Health for MemoryStore {
    async fn ready(&self) -> Result<(), StoreError> {
        Ok(())
    }
}

impl StoreClock for MemoryStore {}

impl ReplicaPosition for MemoryStore {}
