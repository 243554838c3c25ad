use async_trait::async_trait;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::{MemoryStore, Shared};
use crate::{
    StoreError,
    audit::Entry,
    outbox::{
        Backlog, ClaimToken, Claimed, Dismissal, Effect, Kind, MOST_COUNTED, Outbox, Queue, Revive,
        SubjectTask, TaskId, TaskRow, TaskWrites,
    },
    trace::TraceParent,
};

#[derive(Clone, Debug)]
pub(super) struct Task {
    pub(super) effect: Effect,
    pub(super) generation: i64,
    pub(super) attempts: u32,
    pub(super) next_at: OffsetDateTime,
    pub(super) lease: Option<Uuid>,
    pub(super) lost: u32,
    pub(super) first_failed_at: Option<OffsetDateTime>,
    pub(super) last_error: Option<String>,
    pub(super) is_dead: bool,
    pub(super) created_at: OffsetDateTime,
    pub(super) trace: Option<TraceParent>,
}

impl Task {
    pub(super) const fn new(effect: Effect, at: OffsetDateTime) -> Self {
        Self {
            effect,
            generation: 1,
            attempts: 0,
            next_at: at,
            lease: None,
            lost: 0,
            first_failed_at: None,
            last_error: None,
            is_dead: false,
            created_at: at,
            trace: None,
        }
    }

    pub(super) fn subject(&self) -> Uuid {
        self.effect.key()
    }

    fn row(&self, id: TaskId) -> TaskRow {
        TaskRow {
            id,
            kind: self.kind().to_string(),
            key: self.subject(),
            attempts: self.attempts,
            next_at: self.next_at,
            last_error: self.last_error.clone(),
        }
    }

    fn kind(&self) -> Kind {
        self.queue().kind()
    }

    fn queue(&self) -> Queue {
        self.effect.queue()
    }

    fn claim(&mut self, id: TaskId, lease: Uuid, until: OffsetDateTime) -> Claimed {
        self.lease = Some(lease);
        self.next_at = until;
        self.attempts += 1;
        Claimed {
            token: ClaimToken {
                task: id,
                generation: self.generation,
                lease,
            },
            effect: self.effect,
            attempts: self.attempts,
            first_failed_at: self.first_failed_at,
            lost: self.lost,
            trace: self.trace,
        }
    }

    pub(super) fn release(&mut self, next_at: OffsetDateTime) {
        self.lease = None;
        self.lost = 0;
        self.next_at = next_at;
    }

    pub(super) fn is_for(&self, effect: Effect) -> bool {
        (self.kind(), self.subject()) == (effect.kind(), effect.key())
    }

    pub(super) fn renew(&mut self, at: OffsetDateTime) {
        *self = Self {
            generation: self.generation,
            created_at: self.created_at,
            trace: self.trace,
            ..Self::new(self.effect, at)
        };
    }
}

impl Shared {
    pub(super) fn holds(&self, token: &ClaimToken) -> bool {
        let task = self.tasks.get(&token.task);
        task.is_some_and(|task| task.lease == Some(token.lease))
    }

    fn leased(&mut self, token: ClaimToken) -> Option<&mut Task> {
        let task = self.tasks.get_mut(&token.task);
        task.filter(|task| task.lease == Some(token.lease))
    }

    fn ask(&mut self, effect: Effect, trace: Option<TraceParent>, at: OffsetDateTime) {
        let waiting = self.tasks.values_mut().find(|task| task.is_for(effect));
        if let Some(task) = waiting {
            task.generation += 1;
            task.trace = trace;
            // Only a dead task moves to a bulk lane.
            if task.is_dead || !effect.queue().is_bulk() {
                task.effect = effect;
            }
            if task.is_dead {
                task.renew(at);
            }
        } else {
            self.last_task += 1;
            let task = Task {
                trace,
                ..Task::new(effect, at)
            };
            self.tasks.insert(TaskId(self.last_task), task);
        }
    }

    /// Writes effects and events, settles tasks, and adds audit entries.
    pub(super) fn write(&mut self, writes: TaskWrites) {
        let at = writes.at;
        let is_ended = |task: &Task| writes.ended.iter().any(|effect| task.is_for(*effect));
        self.tasks.retain(|_, task| !is_ended(task));
        for (effect, trace) in writes.asked().zip(writes.traces()) {
            self.ask(effect, trace, at);
        }
        for event in writes.events {
            self.record(event);
        }
        for token in writes.done {
            self.finish(token, at);
        }
        for (token, error) in writes.given_up {
            self.give_up(token, &error, at);
        }
        for entry in writes.audit {
            self.record_entry(Some(entry));
        }
    }

    fn finish(&mut self, token: ClaimToken, at: OffsetDateTime) {
        if let Some(task) = self.leased(token) {
            if task.generation == token.generation {
                self.tasks.remove(&token.task);
            } else {
                task.renew(at);
            }
        }
    }

    /// A queue's due tasks, either the crashed ones or the others; the longest due first.
    fn due(
        &mut self,
        queue: Queue,
        crashed: bool,
        now: OffsetDateTime,
    ) -> Vec<(TaskId, &mut Task)> {
        let tasks = self.tasks.iter_mut().map(|(id, task)| (*id, task));
        let is_due = |task: &Task| {
            task.queue() == queue
                && !task.is_dead
                && task.lease.is_some() == crashed
                && task.next_at <= now
        };
        let mut due: Vec<_> = tasks.filter(|(_, task)| is_due(task)).collect();
        due.sort_by_key(|(id, task)| (task.next_at, *id));
        due
    }

    /// Ends a lease after a failure: releases the task, or makes it due if it was requested again.
    fn fail(
        &mut self,
        token: ClaimToken,
        error: &str,
        now: OffsetDateTime,
        release: impl FnOnce(&mut Task),
    ) {
        if let Some(task) = self.leased(token) {
            if task.generation == token.generation {
                release(task);
            } else {
                task.renew(now);
            }
            task.last_error = Some(error.to_owned());
        }
    }

    fn give_up(&mut self, token: ClaimToken, error: &str, now: OffsetDateTime) {
        self.fail(token, error, now, |task| {
            task.release(task.next_at);
            task.is_dead = true;
        });
    }
}

#[async_trait]
impl Outbox for MemoryStore {
    async fn claim(
        &self,
        queue: Queue,
        limit: usize,
        lease: Duration,
        lease_id: Uuid,
        now: OffsetDateTime,
    ) -> Result<Vec<Claimed>, StoreError> {
        let mut state = self.shared();
        let due = state.due(queue, false, now).into_iter().take(limit);
        let claimed = due.map(|(id, task)| task.claim(id, lease_id, now + lease));
        Ok(claimed.collect())
    }

    async fn has_crashed(&self, queue: Queue, now: OffsetDateTime) -> Result<bool, StoreError> {
        Ok(!self.shared().due(queue, true, now).is_empty())
    }

    async fn claim_crashed(
        &self,
        queue: Queue,
        lease: Duration,
        lease_id: Uuid,
        now: OffsetDateTime,
    ) -> Result<Option<Claimed>, StoreError> {
        let mut state = self.shared();
        let first = state.due(queue, true, now).into_iter().next();
        Ok(first.map(|(id, task)| {
            task.lost += 1;
            task.claim(id, lease_id, now + lease)
        }))
    }

    async fn renew(&self, tokens: &[ClaimToken], until: OffsetDateTime) -> Result<(), StoreError> {
        let mut state = self.shared();
        for token in tokens {
            if let Some(task) = state.leased(*token) {
                task.next_at = until;
            }
        }
        Ok(())
    }

    async fn give_back(&self, tokens: &[ClaimToken], at: OffsetDateTime) -> Result<(), StoreError> {
        let mut state = self.shared();
        for token in tokens {
            if let Some(task) = state.leased(*token) {
                task.release(at);
            }
        }
        Ok(())
    }

    async fn retry(
        &self,
        token: ClaimToken,
        next_at: OffsetDateTime,
        error: &str,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        self.shared().fail(token, error, now, |task| {
            task.release(next_at);
            task.first_failed_at.get_or_insert(now);
        });
        Ok(())
    }

    async fn give_up(
        &self,
        token: ClaimToken,
        error: &str,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        self.shared().give_up(token, error, now);
        Ok(())
    }

    async fn list(
        &self,
        dead: bool,
        after: Option<TaskId>,
        limit: usize,
    ) -> Result<Vec<TaskRow>, StoreError> {
        let state = self.shared();
        let rows = state.tasks.iter();
        let rows = rows.filter(|(id, it)| it.is_dead == dead && Some(**id) > after);
        Ok(rows.take(limit).map(|(id, task)| task.row(*id)).collect())
    }

    async fn tasks_of(
        &self,
        subject: Uuid,
        kinds: &[Kind],
        limit: usize,
    ) -> Result<Vec<SubjectTask>, StoreError> {
        let state = self.shared();
        let is_wanted = |task: &Task| task.subject() == subject && kinds.contains(&task.kind());
        let tasks = state.tasks.iter().filter(|(_, task)| is_wanted(task));
        let tasks = tasks.take(limit).map(|(id, task)| SubjectTask {
            task: task.row(*id),
            is_dead: task.is_dead,
        });
        Ok(tasks.collect())
    }

    async fn dead_among(&self, effects: &[Effect]) -> Result<Vec<Effect>, StoreError> {
        let state = self.shared();
        let dead: Vec<_> = state.tasks.values().filter(|task| task.is_dead).collect();
        let is_dead = |effect: &&Effect| dead.iter().any(|task| task.is_for(**effect));
        Ok(effects.iter().filter(is_dead).copied().collect())
    }

    async fn revive(
        &self,
        which: &Revive,
        entry: Option<&Entry>,
        now: OffsetDateTime,
    ) -> Result<u64, StoreError> {
        let mut state = self.shared();
        let mut revived = Vec::new();
        for (id, task) in &mut state.tasks {
            let is_meant = match which {
                Revive::All => true,
                Revive::Tasks(ids) => ids.contains(id),
            };
            if task.is_dead && is_meant {
                task.renew(now);
                revived.push(*id);
            }
        }
        state.record_entry(entry.and_then(|entry| Revive::entry(entry, &revived)));
        Ok(revived.len() as u64)
    }

    async fn dismiss(&self, tasks: &[TaskId], dismissal: &Dismissal) -> Result<u64, StoreError> {
        let mut state = self.shared();
        let mut dismissed = 0;
        for id in tasks {
            let Some(task) = state.tasks.get(id).filter(|task| task.is_dead) else {
                continue;
            };
            let entry = dismissal.entry(&task.row(*id));
            state.tasks.remove(id);
            state.record_entry(Some(entry));
            dismissed += 1;
        }
        Ok(dismissed)
    }

    async fn backlog(&self, kinds: &[Kind]) -> Result<Vec<Backlog>, StoreError> {
        let state = self.shared();
        let of = |kind| {
            let tasks = || state.tasks.values().filter(move |task| task.kind() == kind);
            let count = |dead| {
                let all = tasks().filter(move |task| task.is_dead == dead);
                all.take(MOST_COUNTED).count() as u64
            };
            let oldest = tasks()
                .filter(|task| !task.is_dead && !task.queue().is_bulk())
                .map(|task| task.created_at)
                .min();
            Backlog {
                kind,
                waiting: count(false),
                dead: count(true),
                oldest,
            }
        };
        Ok(kinds.iter().copied().map(of).collect())
    }
}
