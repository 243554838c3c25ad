//! Side effects: what has to happen outside the store because of what was committed to it.
//!
//! An [`Effect`] is a key without data; its handler loads the current state. Asking for an
//! effect again while it waits only bumps its generation, so a hundred changes cost one run.
//! A [`Kind`] may have several lanes ([`Queue`]); asking for its effect in another lane moves it
//! there, but asking for bulk work moves nothing back. Kinds, effects and events are declared by
//! the context that owns them; a store keeps them all alike.
//! An [`Event`] is a row with data, delivered in order per subject, at least once.
//!
//! A worker [claims](Outbox::claim) tasks for the time of a lease, and reports on each: it
//! finishes it in the commit that carries its result ([`TaskWrites::done`]), [puts it off](Outbox::retry), [gives it up](Outbox::bury) or [gives it back](Outbox::give_back). Whoever
//! lost its lease can do neither.
//!
//! A lease that ends without a report is a *lost claim*: the worker died, perhaps of this task.
//! Such a task is a *suspect*, [claimed](Outbox::claim_suspect) alone, and [`MOST_LOST`] lost
//! claims in a row are the end of it. Any report clears it.

mod event;
mod kind;
mod retry;
mod write;

use async_trait::async_trait;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

pub use self::{
    event::{Event, EventName, Subject},
    kind::{EVENTS, Effect, Kind, Queue},
    retry::RetryPolicy,
    write::TaskWrites,
};
use crate::{StoreError, audit::Entry};

/// So many claims in a row may be lost before a task is given up. One may be an accident, or the
/// fault of a task beside it; a suspect is worked on alone, so it has had two chances by itself.
pub const MOST_LOST: u32 = 3;

/// What is said of a task whose claims were lost that often.
pub const LOST_TOO_OFTEN: &str = "its worker died three times without reporting";

/// Counting of what waits ends here, for each kind: a backlog of millions must not cost more to
/// look at than one of this size.
pub const MOST_COUNTED: usize = 100_000;

/// Numbers the rows of the outbox, in the order they were written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TaskId(pub i64);

/// What a task is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Work {
    /// Bring about an effect.
    Effect(Effect),
    /// Deliver an event.
    Event(Event),
}

/// Proof of a claim: names the row, and the state of it that was claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Receipt {
    /// The row.
    pub task: TaskId,
    /// The generation that was claimed. A finished task whose generation moved on meanwhile
    /// becomes due once more instead of going away.
    pub generation: i64,
    /// The lease it was claimed under. Another one in the row means that the claim is void.
    pub lease: Uuid,
}

/// A task that was claimed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claimed {
    /// Proof of the claim.
    pub receipt: Receipt,
    /// What to do.
    pub work: Work,
    /// How often it was claimed since it was last asked for anew, this time included.
    pub attempts: u32,
    /// When its first failed attempt was, since it was last asked for anew.
    pub first_failed_at: Option<OffsetDateTime>,
    /// How many claims before this one were lost, one after the other.
    pub lost: u32,
}

impl Claimed {
    /// Whether it has to be taken for the cause of its workers' deaths, and is not to be tried
    /// again without an operator.
    pub const fn is_lethal(&self) -> bool {
        self.lost >= MOST_LOST
    }
}

/// A row of the outbox as an operator sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskRow {
    /// The row.
    pub id: TaskId,
    /// The name of its kind.
    pub kind: String,
    /// Whom or what it is for: a UUID, for an event with the event's name before it
    /// (`JobPostingExpired:0190…`).
    pub key: String,
    /// How often it was claimed.
    pub attempts: u32,
    /// When it is due, or its lease ends.
    pub next_at: OffsetDateTime,
    /// What went wrong last.
    pub last_error: Option<String>,
}

/// A task of a subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubjectTask {
    /// The task.
    pub task: TaskRow,
    /// Whether it was given up.
    pub is_dead: bool,
}

/// Which dead tasks to bring back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Revive {
    /// These.
    Tasks(Vec<TaskId>),
    /// All of them.
    All,
}

/// How much waits of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backlog {
    /// Which kind.
    pub kind: Kind,
    /// How many wait or are leased: exact below [`MOST_COUNTED`], which stands for any more.
    pub waiting: u64,
    /// How many were given up, likewise.
    pub dead: u64,
    /// When the oldest waiting one was written, of those that were counted and are no bulk work.
    pub oldest: Option<OffsetDateTime>,
}

/// The port to the outbox. New tasks enter it by the commit of a context that has
/// [`TaskWrites`].
///
/// A task is *due* when it is not dead and its `next_at` is not after `now`. A lease moves
/// `next_at` to the lease's end, so a task whose worker died is due again by itself, as a
/// *suspect*: its row still names the lease.
#[async_trait]
pub trait Outbox: Send + Sync {
    /// Claims up to `limit` due tasks of a queue that are no suspects, the longest due
    /// first, until `now + lease`. Two callers never get the same task. Of the events of one
    /// subject only the oldest that is still there is ever claimed, dead or not: so they stay in
    /// order. What waits behind a dead event costs a claim nothing. `lease_id` is the caller's
    /// new random id of this claim.
    async fn claim(
        &self,
        queue: Queue,
        limit: usize,
        lease: Duration,
        lease_id: Uuid,
        now: OffsetDateTime,
    ) -> Result<Vec<Claimed>, StoreError>;

    /// Whether there is a suspect in a queue.
    async fn has_suspect(&self, queue: Queue, now: OffsetDateTime) -> Result<bool, StoreError>;

    /// Claims the longest due suspect of a queue, as [`claim`](Self::claim) does, and
    /// counts the claim before as lost.
    async fn claim_suspect(
        &self,
        queue: Queue,
        lease: Duration,
        lease_id: Uuid,
        now: OffsetDateTime,
    ) -> Result<Option<Claimed>, StoreError>;

    /// Moves the end of the leases that still hold to `until`.
    async fn renew(&self, receipts: &[Receipt], until: OffsetDateTime) -> Result<(), StoreError>;

    /// Gives tasks back that nothing was found out about, to be due at `at`. Does nothing for
    /// those whose lease was lost.
    async fn give_back(&self, receipts: &[Receipt], at: OffsetDateTime) -> Result<(), StoreError>;

    /// Gives a task back after a failure, to be due at `next_at`, or at `now` if it was asked
    /// for again meanwhile. Does nothing when the lease was lost.
    async fn retry(
        &self,
        receipt: Receipt,
        next_at: OffsetDateTime,
        error: &str,
        now: OffsetDateTime,
    ) -> Result<(), StoreError>;

    /// Gives a task up: it stays, for an operator to look at. One that was asked for again
    /// meanwhile becomes due instead. Does nothing when the lease was lost.
    async fn bury(
        &self,
        receipt: Receipt,
        error: &str,
        now: OffsetDateTime,
    ) -> Result<(), StoreError>;

    /// Up to `limit` waiting and leased tasks, or dead ones; oldest first, and only those that
    /// were written after the given one.
    async fn list(
        &self,
        dead: bool,
        after: Option<TaskId>,
        limit: usize,
    ) -> Result<Vec<TaskRow>, StoreError>;

    /// Which of these effects have a dead task.
    async fn dead_among(&self, effects: &[Effect]) -> Result<Vec<Effect>, StoreError>;

    /// Up to `limit` tasks of a subject that are of these kinds, or are its events: waiting, leased
    /// and dead ones, oldest first.
    async fn tasks_of(
        &self,
        subject: Uuid,
        kinds: &[Kind],
        limit: usize,
    ) -> Result<Vec<SubjectTask>, StoreError>;

    /// Makes dead tasks due at `now` with a clean record, and says how many there were. If there
    /// were any, the entry of the audit is written in the same commit, with their number as the
    /// detail `tasks`.
    async fn revive(
        &self,
        which: &Revive,
        entry: Option<&Entry>,
        now: OffsetDateTime,
    ) -> Result<u64, StoreError>;

    /// How much waits, one entry for each of these kinds, in their order. What it costs is bounded.
    async fn backlog(&self, kinds: &[Kind]) -> Result<Vec<Backlog>, StoreError>;
}
