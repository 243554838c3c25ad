//! A commit's writes to the outbox, the event log and the audit.

use std::collections::BTreeMap;

use time::OffsetDateTime;
use uuid::Uuid;

use super::{ClaimToken, Effect, Kind, Queue};
use crate::{
    audit::Entry,
    event::{Event, EventName, Subject},
    trace::{TraceParent, links},
};

/// The writes of a commit besides the state of its context, in the same transaction.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskWrites {
    asked: BTreeMap<(Kind, Uuid), (Queue, Option<TraceParent>)>,
    /// The trace of the command being recorded, for its effects and events.
    pub trace: Option<TraceParent>,
    /// Events for the log, in order.
    pub events: Vec<Event>,
    /// Tasks that the commit finishes.
    pub done: Vec<ClaimToken>,
    /// Tasks that the commit dead-letters, like [`Outbox::give_up`](super::Outbox::give_up), each
    /// with the error. A lost lease is a conflict.
    pub given_up: Vec<(ClaimToken, String)>,
    /// Effects whose tasks the commit deletes, in any state, before it adds tasks. A worker that
    /// has claimed such a task loses its lease.
    pub ended: Vec<Effect>,
    /// Audit entries.
    pub audit: Vec<Entry>,
    /// The time of the decision, from which new tasks are due.
    pub at: OffsetDateTime,
}

impl TaskWrites {
    /// A commit's writes, still empty.
    pub const fn new(at: OffsetDateTime) -> Self {
        Self {
            asked: BTreeMap::new(),
            trace: None,
            events: Vec::new(),
            done: Vec::new(),
            given_up: Vec::new(),
            ended: Vec::new(),
            audit: Vec::new(),
            at,
        }
    }

    /// Requests an effect. If the commit already requests it in another lane, the new lane counts.
    pub fn ask(&mut self, effect: Effect) {
        self.asked
            .insert((effect.kind(), effect.key()), (effect.queue(), self.trace));
    }

    /// Raises an event of the command being recorded.
    pub fn raise(&mut self, name: EventName, subject: Subject) {
        self.events.push(Event {
            name,
            subject,
            at: self.at,
            trace: self.trace,
        });
    }

    /// The requested effects by kind and key: the order in which every commit locks their rows.
    pub fn asked(&self) -> impl ExactSizeIterator<Item = Effect> {
        let asked = self.asked.iter();
        asked.map(|(&(_, key), &(queue, _))| Effect::new(queue, key))
    }

    /// The traces of the requested effects, in the same order.
    pub fn traces(&self) -> impl ExactSizeIterator<Item = Option<TraceParent>> {
        self.asked.values().map(|&(_, trace)| trace)
    }

    /// The traces of the commit's commands, without repetitions.
    pub fn links(&self) -> Vec<TraceParent> {
        let of_events = self.events.iter().map(|event| event.trace);
        links(of_events.chain(self.traces()))
    }

    /// Whether nothing is written.
    pub fn is_empty(&self) -> bool {
        !self.adds_tasks() && !self.settles_tasks() && self.audit.is_empty()
    }

    /// Whether existing tasks are finished, dead-lettered or deleted.
    pub fn settles_tasks(&self) -> bool {
        !(self.done.is_empty() && self.given_up.is_empty() && self.ended.is_empty())
    }

    /// The tokens of finished or dead-lettered tasks.
    pub fn tokens(&self) -> impl Iterator<Item = &ClaimToken> {
        let given_up = self.given_up.iter().map(|(token, _)| token);
        self.done.iter().chain(given_up)
    }

    /// Whether there are effects or events.
    pub fn adds_tasks(&self) -> bool {
        !(self.asked.is_empty() && self.events.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{noon, uuid};

    #[test]
    fn a_commit_asks_for_one_effect_of_a_kind_and_key() {
        const DANCE: Kind = Kind::new("dance", "dance");
        let [slow, fast] = ["slow", "fast"].map(|lane| Queue::lane_of(DANCE, lane));
        let other = Queue::of(Kind::new("sing", "sing"));
        let mut writes = TaskWrites::new(noon());
        for (queue, n) in [(slow, 1), (fast, 2), (other, 1), (fast, 1)] {
            writes.ask(Effect::new(queue, uuid(n)));
        }
        let expect = [(fast, 1), (fast, 2), (other, 1)];
        let expect = expect.map(|(queue, n)| Effect::new(queue, uuid(n)));
        assert!(writes.asked().eq(expect));
    }
}
