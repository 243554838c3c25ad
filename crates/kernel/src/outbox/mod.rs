//! Side effects: work that a commit requests, and that a worker does later.
//!
//! An [`Effect`] is a key without data; its handler loads the current state. Requesting a waiting
//! effect again only increments its generation, so a hundred changes cost one run. A [`Kind`] may
//! have several lanes ([`Queue`]). A request in another lane moves the effect to that lane; a bulk
//! lane gets only new and dead effects. The owning context declares kinds and effects. Stores treat
//! all kinds in the same way.
//!
//! A worker [claims](Outbox::claim) tasks under a lease, and reports on each task. It finishes the
//! task in the commit of the result ([`TaskWrites::done`]), [retries](Outbox::retry) it,
//! [dead-letters](Outbox::give_up) it, or [releases](Outbox::give_back) it. After a lost lease,
//! these calls fail or do nothing.
//!
//! A lease that ends without a report is a *lost claim*. The task has then *crashed*: its worker
//! died, perhaps because of the task. A worker [claims](Outbox::claim_crashed) a crashed task
//! alone. After [`MOST_LOST`] consecutive lost claims, the task counts as poison, and is dead. Any
//! report clears the crash.

mod dismiss;
mod kind;
mod retry;
mod row;
mod write;

use async_trait::async_trait;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

pub use self::{
    dismiss::Dismissal,
    kind::{Effect, Kind, Queue},
    retry::next_attempt,
    row::{TaskId, TaskRow},
    write::TaskWrites,
};
use crate::{StoreError, audit::Entry, trace::TraceParent};

/// After this many consecutive lost claims, a task is poison, and dead. An accident or another task
/// may cause the first loss. After that the task runs alone, so it causes the later losses itself.
pub const MOST_LOST: u32 = 3;

/// The error of a task that is dead after lost claims.
pub const LOST_TOO_OFTEN: &str = "its worker died three times without reporting";

/// Waiting tasks of a kind are counted up to this number, which bounds the cost of a count.
pub const MOST_COUNTED: usize = 100_000;

/// Proof of a claim: the row, and its claimed state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClaimToken {
    /// The row.
    pub task: TaskId,
    /// The claimed generation. If the task has a newer one, finishing it makes it due again.
    pub generation: i64,
    /// The lease of the claim. If the row has another lease, the claim is void.
    pub lease: Uuid,
}

/// A task that was claimed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claimed {
    /// Proof of the claim.
    pub token: ClaimToken,
    /// The effect to bring about.
    pub effect: Effect,
    /// The number of claims since the attempts were last reset, including this one.
    pub attempts: u32,
    /// When an attempt first failed since the attempts were last reset.
    pub first_failed_at: Option<OffsetDateTime>,
    /// The number of consecutive lost claims before this claim.
    pub lost: u32,
    /// The trace of the commit that last requested it, if any.
    pub trace: Option<TraceParent>,
}

impl Claimed {
    /// Whether the task counts as the cause of its workers' deaths, and needs an operator.
    pub const fn is_poison(&self) -> bool {
        self.lost >= MOST_LOST
    }
}

/// A task of a subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubjectTask {
    /// The task.
    pub task: TaskRow,
    /// Whether it is a dead letter.
    pub is_dead: bool,
}

/// The dead tasks to revive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Revive {
    /// These tasks.
    Tasks(Vec<TaskId>),
    /// All dead tasks.
    All,
}

impl Revive {
    const MOST_NAMED: usize = 100;

    /// The audit entry about revived tasks; `None` if there are none.
    pub fn entry(entry: &Entry, revived: &[TaskId]) -> Option<Entry> {
        let mut ids: Vec<_> = revived.iter().map(|task| task.0).collect();
        ids.sort_unstable();
        ids.truncate(Self::MOST_NAMED);
        let entry = entry.clone().with("tasks", revived.len());
        (!ids.is_empty()).then(|| entry.with("ids", ids))
    }
}

/// The backlog of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backlog {
    /// The kind.
    pub kind: Kind,
    /// The number of waiting and leased tasks, at most [`MOST_COUNTED`].
    pub waiting: u64,
    /// The number of dead tasks, with the same limit.
    pub dead: u64,
    /// When the oldest task counted in `waiting` was written, except bulk work.
    pub oldest: Option<OffsetDateTime>,
}

/// The port to the outbox. Commits add tasks by [`TaskWrites`].
///
/// A task is *due* if it is not dead and its `next_at` is not after `now`. A lease sets `next_at`
/// to its end, so a dead worker's task becomes due again, as *crashed*: its row still names the
/// lease.
#[async_trait]
pub trait Outbox: Send + Sync {
    /// Claims up to `limit` due tasks of a queue, the longest due first, until `now + lease`.
    /// Skips crashed tasks. Concurrent callers get different tasks. `lease_id` is random.
    async fn claim(
        &self,
        queue: Queue,
        limit: usize,
        lease: Duration,
        lease_id: Uuid,
        now: OffsetDateTime,
    ) -> Result<Vec<Claimed>, StoreError>;

    /// Whether a queue has a crashed task.
    async fn has_crashed(&self, queue: Queue, now: OffsetDateTime) -> Result<bool, StoreError>;

    /// Claims a queue's longest due crashed task, like [`claim`](Self::claim), and counts the
    /// previous claim as lost.
    async fn claim_crashed(
        &self,
        queue: Queue,
        lease: Duration,
        lease_id: Uuid,
        now: OffsetDateTime,
    ) -> Result<Option<Claimed>, StoreError>;

    /// Extends the leases that are still held, to `until`.
    async fn renew(&self, tokens: &[ClaimToken], until: OffsetDateTime) -> Result<(), StoreError>;

    /// Releases tasks without a result, due at `at`. Ignores lost leases.
    async fn give_back(&self, tokens: &[ClaimToken], at: OffsetDateTime) -> Result<(), StoreError>;

    /// Releases a task after a failure. It is due at `next_at`, or at `now` if it was requested
    /// again meanwhile. Ignores a lost lease.
    async fn retry(
        &self,
        token: ClaimToken,
        next_at: OffsetDateTime,
        error: &str,
        now: OffsetDateTime,
    ) -> Result<(), StoreError>;

    /// Dead-letters a task for an operator. A task that was requested again meanwhile becomes due
    /// instead. Ignores a lost lease.
    async fn give_up(
        &self,
        token: ClaimToken,
        error: &str,
        now: OffsetDateTime,
    ) -> Result<(), StoreError>;

    /// Lists up to `limit` tasks after the given one, oldest first: waiting and leased tasks, or
    /// dead ones.
    async fn list(
        &self,
        dead: bool,
        after: Option<TaskId>,
        limit: usize,
    ) -> Result<Vec<TaskRow>, StoreError>;

    /// The effects among these whose task is dead.
    async fn dead_among(&self, effects: &[Effect]) -> Result<Vec<Effect>, StoreError>;

    /// Up to `limit` tasks of a subject and these kinds: waiting, leased and dead, oldest first.
    async fn tasks_of(
        &self,
        subject: Uuid,
        kinds: &[Kind],
        limit: usize,
    ) -> Result<Vec<SubjectTask>, StoreError>;

    /// Makes dead tasks due at `now`, resets their attempts, and returns their number. If there are
    /// any, the same commit writes the audit entry [about](Revive::entry) them.
    async fn revive(
        &self,
        which: &Revive,
        entry: Option<&Entry>,
        now: OffsetDateTime,
    ) -> Result<u64, StoreError>;

    /// Deletes the dead tasks among these, and returns their number. The same commit writes an
    /// audit [entry](Dismissal::entry) for each.
    async fn dismiss(&self, tasks: &[TaskId], dismissal: &Dismissal) -> Result<u64, StoreError>;

    /// The backlog of each kind, in the order of `kinds`, at a bounded cost.
    async fn backlog(&self, kinds: &[Kind]) -> Result<Vec<Backlog>, StoreError>;
}
