//! Side effects: what has to happen outside the store because of what was committed to it.
//!
//! An [`Effect`] is a key without data; its handler loads the current state. Asking for an
//! effect again while it waits only bumps its generation, so a hundred changes cost one run.
//! A sync also has an account, which is where it waits; asking for it with another account
//! moves it there.
//! An [`Event`] is a row with data, delivered in order per subject, at least once.
//!
//! A worker [claims](Outbox::claim) tasks for the time of a lease, and either finishes each in
//! the commit that carries its result ([`crate::store::WriteSet::done`]), [puts it
//! off](Outbox::retry) or [gives it up](Outbox::bury). Whoever lost its lease can do neither.

mod effect;
mod event;
mod retry;

use async_trait::async_trait;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

pub use self::{
    effect::{Effect, Kind, Queue},
    event::{Event, EventName, Subject, SubjectKind},
    retry::RetryPolicy,
};
use crate::store::StoreError;

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
}

/// A row of the outbox as an operator sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskRow {
    /// The row.
    pub id: TaskId,
    /// Its kind.
    pub kind: Kind,
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
    /// How many wait or are leased.
    pub waiting: u64,
    /// How many were given up.
    pub dead: u64,
    /// When the oldest waiting one was written.
    pub oldest: Option<OffsetDateTime>,
}

/// The port to the outbox. New tasks enter it by [`crate::store::Store::commit`].
///
/// A task is *due* when it is not dead and its `next_at` is not after `now`. A lease moves
/// `next_at` to the lease's end, so a task whose worker died is due again by itself.
#[async_trait]
pub trait Outbox: Send + Sync {
    /// Claims up to `limit` due tasks of the given queues, the longest due first, until
    /// `now + lease`. Two callers never get the same task. Of the events of one subject only
    /// the oldest that is still there is ever claimed, dead or not: so they stay in order.
    /// `lease_id` is the caller's new random id of this claim.
    async fn claim(
        &self,
        queues: &[Queue],
        limit: usize,
        lease: Duration,
        lease_id: Uuid,
        now: OffsetDateTime,
    ) -> Result<Vec<Claimed>, StoreError>;

    /// Moves the end of the leases that still hold to `until`.
    async fn renew(&self, receipts: &[Receipt], until: OffsetDateTime) -> Result<(), StoreError>;

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

    /// Waiting and leased tasks, or the dead ones; oldest first.
    async fn list(&self, dead: bool) -> Result<Vec<TaskRow>, StoreError>;

    /// Makes dead tasks due at `now` with a clean record, and says how many there were.
    async fn revive(&self, which: &Revive, now: OffsetDateTime) -> Result<u64, StoreError>;

    /// How much waits, one entry for each kind.
    async fn backlog(&self) -> Result<Vec<Backlog>, StoreError>;
}
