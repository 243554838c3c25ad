//! Side effects: work outside the store that a commit asks for.
//!
//! An [`Effect`] is a key without data; its handler loads the current state. Asking for a waiting
//! effect again only increments its generation, so a hundred changes cost one run. A [`Kind`] may
//! have several lanes ([`Queue`]); asking in another lane moves the effect there, except that bulk
//! work moves nothing. Kinds and effects are declared by the context that owns them; stores treat
//! them alike.
//!
//! A worker [claims](Outbox::claim) tasks for the time of a lease, and reports on each: it finishes
//! it in the commit that carries its result ([`TaskWrites::done`]), [puts it off](Outbox::retry),
//! [gives it up](Outbox::give_up) or [gives it back](Outbox::give_back). After the lease is lost,
//! all of these fail or do nothing.
//!
//! A lease that ends without a report is a *lost claim*: the task *crashed*, that is, its worker
//! died, perhaps of this task. A worker [claims](Outbox::claim_crashed) it alone; after
//! [`MOST_LOST`] lost claims in a row it is taken for a poison task, and is dead. Any report clears
//! the crash.

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

/// The number of lost claims in a row that make a task poison, and dead. The first may be an
/// accident or another task's fault; a crashed task is worked on alone, so two more are its own.
pub const MOST_LOST: u32 = 3;

/// The error of a task that is dead after lost claims.
pub const LOST_TOO_OFTEN: &str = "its worker died three times without reporting";

/// The largest count of waiting tasks per kind, so that a backlog of millions is as cheap to
/// inspect as one of this size.
pub const MOST_COUNTED: usize = 100_000;

/// Proof of a claim: names the row, and the state of it that was claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClaimToken {
    /// The row.
    pub task: TaskId,
    /// The generation that was claimed. If it has changed, finishing the task makes it due again.
    pub generation: i64,
    /// The lease it was claimed under. Another one in the row means that the claim is void.
    pub lease: Uuid,
}

/// A task that was claimed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claimed {
    /// Proof of the claim.
    pub token: ClaimToken,
    /// The effect to bring about.
    pub effect: Effect,
    /// The number of claims since the task was last asked for, this one included.
    pub attempts: u32,
    /// The time of the first failed attempt since the task was last asked for.
    pub first_failed_at: Option<OffsetDateTime>,
    /// The number of lost claims in a row before this one.
    pub lost: u32,
    /// The trace of the commit that asked for it last, if that is traced.
    pub trace: Option<TraceParent>,
}

impl Claimed {
    /// Whether it is taken for the cause of its workers' deaths, and needs an operator.
    pub const fn is_poison(&self) -> bool {
        self.lost >= MOST_LOST
    }
}

/// A task of a subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubjectTask {
    /// The task.
    pub task: TaskRow,
    /// Whether it was given up.
    pub is_dead: bool,
}

/// The dead tasks to revive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Revive {
    /// These.
    Tasks(Vec<TaskId>),
    /// All of them.
    All,
}

impl Revive {
    const MOST_NAMED: usize = 100;

    /// The entry of the audit about revived tasks; `None` if there are none.
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
    /// The number of dead tasks, likewise.
    pub dead: u64,
    /// When the oldest waiting task was written, of those counted and not bulk work.
    pub oldest: Option<OffsetDateTime>,
}

/// The port to the outbox. Tasks enter it by commits with [`TaskWrites`].
///
/// A task is *due* if it is not dead and its `next_at` is not after `now`. A lease sets `next_at`
/// to its end, so a dead worker's task becomes due again, as a *crashed* one: its row still names
/// the lease.
#[async_trait]
pub trait Outbox: Send + Sync {
    /// Claims up to `limit` due tasks of a queue that have not crashed, the longest due first,
    /// until `now + lease`. Concurrent callers get different tasks. `lease_id` is a new random id.
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

    /// Claims the longest due crashed task of a queue, as [`claim`](Self::claim) does, and counts
    /// the claim before as lost.
    async fn claim_crashed(
        &self,
        queue: Queue,
        lease: Duration,
        lease_id: Uuid,
        now: OffsetDateTime,
    ) -> Result<Option<Claimed>, StoreError>;

    /// Moves the end of the leases that still hold to `until`.
    async fn renew(&self, tokens: &[ClaimToken], until: OffsetDateTime) -> Result<(), StoreError>;

    /// Returns tasks without a result, due at `at`. Ignores tasks whose lease was lost.
    async fn give_back(&self, tokens: &[ClaimToken], at: OffsetDateTime) -> Result<(), StoreError>;

    /// Gives a task back after a failure, to be due at `next_at`, or at `now` if it was asked
    /// for again meanwhile. Does nothing when the lease was lost.
    async fn retry(
        &self,
        token: ClaimToken,
        next_at: OffsetDateTime,
        error: &str,
        now: OffsetDateTime,
    ) -> Result<(), StoreError>;

    /// Gives a task up: it stays, for an operator to look at. One that was asked for again
    /// meanwhile becomes due instead. Does nothing when the lease was lost.
    async fn give_up(
        &self,
        token: ClaimToken,
        error: &str,
        now: OffsetDateTime,
    ) -> Result<(), StoreError>;

    /// Lists up to `limit` waiting and leased tasks, or dead ones, oldest first, written after the
    /// given one.
    async fn list(
        &self,
        dead: bool,
        after: Option<TaskId>,
        limit: usize,
    ) -> Result<Vec<TaskRow>, StoreError>;

    /// The effects among these that have a dead task.
    async fn dead_among(&self, effects: &[Effect]) -> Result<Vec<Effect>, StoreError>;

    /// Up to `limit` tasks of a subject that are of these kinds: waiting, leased and dead ones,
    /// oldest first.
    async fn tasks_of(
        &self,
        subject: Uuid,
        kinds: &[Kind],
        limit: usize,
    ) -> Result<Vec<SubjectTask>, StoreError>;

    /// Makes dead tasks due at `now` with a clean record, and returns their number. If there are
    /// any, the audit entry is written in the same commit, [about](Revive::entry) them.
    async fn revive(
        &self,
        which: &Revive,
        entry: Option<&Entry>,
        now: OffsetDateTime,
    ) -> Result<u64, StoreError>;

    /// Deletes those of these tasks that are dead, each with its [entry](Dismissal::entry) of the
    /// audit in the same commit, and returns their number.
    async fn dismiss(&self, tasks: &[TaskId], dismissal: &Dismissal) -> Result<u64, StoreError>;

    /// The backlog of each kind, in their order. Its cost is bounded.
    async fn backlog(&self, kinds: &[Kind]) -> Result<Vec<Backlog>, StoreError>;
}
