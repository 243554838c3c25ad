//! The ports of the store: subscribers, and leases of the provider's accounts.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use async_trait::async_trait;
use hmac::{Hmac, KeyInit as _, Mac as _};
pub use kernel::StoreError;
use kernel::{
    Version,
    event::{Event, Subject},
    outbox::TaskWrites,
};
use sha2::Sha256;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    subscriber::{
        Account, Change, Email, MigrationToken, Readdressed, Remembered, Subscriber, SubscriberId,
        SubscriberStatus,
        departure::{End, Purge},
    },
    tasks,
};

/// A subscriber to write, with the version that the stored row must have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubscriberWrite {
    /// The version that the stored row must have; `None` if no row may exist yet.
    pub expected: Option<Version>,
    /// The subscriber after the change. The id never changes. The address may change, and is
    /// unique.
    pub subscriber: Subscriber,
}

/// A filter for lists of subscribers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SubscriberFilter {
    /// Every reported subscriber.
    #[default]
    Reported,
    /// Reported subscribers that have not moved to the new account.
    Unmigrated,
    /// Every suppressed address, reported or not.
    Suppressed,
}

/// The writes of one commit.
#[derive(Clone, Debug, PartialEq)]
pub struct WriteSet {
    /// The rows to write, by id.
    pub subscribers: BTreeMap<SubscriberId, SubscriberWrite>,
    /// The rows to delete, by id. They are deleted before other rows are written.
    pub purges: BTreeMap<SubscriberId, Purge>,
    /// Addresses whose remembered suppression is dropped, because they have a row again.
    pub recalled: BTreeSet<Email>,
    /// The outbox and audit writes of the same commit.
    pub tasks: TaskWrites,
}

impl WriteSet {
    /// A commit at this time, without any writes yet.
    pub const fn new(at: OffsetDateTime) -> Self {
        Self {
            subscribers: BTreeMap::new(),
            purges: BTreeMap::new(),
            recalled: BTreeSet::new(),
            tasks: TaskWrites::new(at),
        }
    }

    /// Whether the commit writes neither rows of subscribers nor remembered suppressions.
    pub fn has_only_tasks(&self) -> bool {
        self.subscribers.is_empty() && self.purges.is_empty() && self.recalled.is_empty()
    }

    /// Whether the commit writes nothing.
    pub fn is_empty(&self) -> bool {
        self.has_only_tasks() && self.tasks.is_empty()
    }
}

impl Change {
    /// Adds the change to a commit. Returns the subscriber with its new version.
    pub fn record(self, writes: &mut WriteSet) -> Subscriber {
        let Self {
            mut subscriber,
            event,
            effect,
            is_of_withdrawal,
            ..
        } = self;
        let id = subscriber.id;
        let at = writes.tasks.at;
        writes.tasks.events.extend(event.map(|name| Event {
            name,
            subject: Subject::Other(id.uuid()),
            at,
            trace: None,
        }));
        if let Some(effect) = effect {
            writes.tasks.ask(effect);
        }
        if !is_of_withdrawal && subscriber.unconfirmed_suppressions().next().is_some() {
            writes.tasks.ask(tasks::withdraw(id));
        }
        let earlier = writes.subscribers.get(&id);
        let expected = earlier.map_or(self.expected, |earlier| earlier.expected);
        subscriber.version = expected.map_or(1, |version| version + 1);
        writes.subscribers.insert(
            id,
            SubscriberWrite {
                expected,
                subscriber: subscriber.clone(),
            },
        );
        subscriber
    }
}

impl End {
    /// Adds the end of a departure to a commit.
    pub fn record(self, id: SubscriberId, writes: &mut WriteSet) {
        match self {
            Self::Purged(purge) => {
                writes.purges.insert(id, purge);
            }
            Self::Kept(change) => {
                change.record(writes);
            }
        }
    }
}

impl Readdressed {
    /// Adds the changes to a commit. Returns the changed record, if it changed.
    pub fn record(self, writes: &mut WriteSet) -> Option<Subscriber> {
        writes.purges.extend(self.replaced);
        if let Some(departed) = self.departed {
            departed.record(writes);
        }
        self.report.change.map(|change| change.record(writes))
    }
}

/// The port for loading and committing subscribers.
#[async_trait]
pub trait Store: Send + Sync {
    /// Loads subscribers by address, reported or not.
    async fn load(&self, emails: &[Email]) -> Result<HashMap<Email, Subscriber>, StoreError>;

    /// Loads subscribers by id.
    async fn load_by_id(
        &self,
        ids: &[SubscriberId],
    ) -> Result<HashMap<SubscriberId, Subscriber>, StoreError>;

    /// Finds the holder of a token, reported or not.
    async fn find_by_token(&self, token: &MigrationToken)
    -> Result<Option<Subscriber>, StoreError>;

    /// Returns suppressions of erased subscribers, stored by hash ([`remembered_as`]).
    async fn remembered(&self, emails: &[Email]) -> Result<HashMap<Email, Remembered>, StoreError>;

    /// Writes everything or nothing.
    ///
    /// Returns [`StoreError::Conflict`] for an unexpected version, a taken address, or a finished
    /// task whose lease was lost, and [`StoreError::Locked`] if a row stays locked.
    async fn commit(&self, writes: WriteSet) -> Result<(), StoreError>;
}

/// The stored hash of an erased subscriber's address: HMAC-SHA-256 with the store's key.
pub fn remembered_as(key: &[u8; 32], email: &Email) -> Result<[u8; 32], StoreError> {
    let hash = Hmac::<Sha256>::new_from_slice(key);
    let mut hash = hash.map_err(|error| StoreError::Broken(error.to_string()))?;
    hash.update(email.as_str().as_bytes());
    Ok(hash.finalize().into_bytes().into())
}

/// A request for a page of subscribers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SubscriberQuery {
    /// Selects the subscribers.
    pub filter: SubscriberFilter,
    /// The last address of the page before; `None` for the first page.
    pub after: Option<Email>,
    /// The largest number of subscribers on the page.
    pub limit: usize,
}

/// The number of subscribers with the same account, status and progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SubscriberCount {
    /// The account that these subscribers belong to.
    pub account: Account,
    /// Whether these subscribers may receive mail.
    pub status: SubscriberStatus,
    /// Whether their move to the account is still in progress.
    pub is_under_way: bool,
    /// The number of these subscribers.
    pub people: u64,
}

/// The port for lists of subscribers.
#[async_trait]
pub trait SubscriberReader: Send + Sync {
    /// Returns a page of subscribers, ascending by the bytes of the address.
    async fn list(&self, query: &SubscriberQuery) -> Result<Vec<Subscriber>, StoreError>;

    /// Counts all reported subscribers, ordered by account, status and progress.
    async fn counts(&self) -> Result<Vec<SubscriberCount>, StoreError>;
}

/// The state of an account, kept for the next holder of its lease.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccountState {
    /// The end of the latest pause, which may be over.
    pub paused_until: Option<OffsetDateTime>,
    /// The reason of the pause, for an operator.
    pub pause_reason: Option<String>,
    /// When the account's list was last read to its end.
    pub reconciled_at: Option<OffsetDateTime>,
}

impl AccountState {
    /// The end of a pause that is not over at `now`.
    pub fn pauses_until(&self, now: OffsetDateTime) -> Option<OffsetDateTime> {
        self.paused_until.filter(|until| *until > now)
    }

    /// A sentence about the account's pause, if there is one at `now`. `written` formats times.
    pub fn pause(
        &self,
        account: Account,
        now: OffsetDateTime,
        written: impl Fn(OffsetDateTime) -> String,
    ) -> Option<String> {
        let until = written(self.pauses_until(now)?);
        let reason = self.pause_reason.as_deref();
        let reason = reason.unwrap_or("no reason is known");
        Some(format!(
            "The {account} account is paused until {until} (UTC): {reason}"
        ))
    }
}

/// Leases of the provider's accounts. Only the holder sends requests to an account, so all
/// processes together keep its limit.
#[async_trait]
pub trait Accounts: Send + Sync {
    /// Leases all of the accounts until `until`. Returns `false`, and leases no account, if another
    /// holder leases one of them at `now`. Renews leases of the same `holder`, a random id of the
    /// caller.
    async fn lease(
        &self,
        accounts: &[Account],
        holder: Uuid,
        until: OffsetDateTime,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError>;

    /// Ends the holder's leases.
    async fn release(&self, holder: Uuid) -> Result<(), StoreError>;

    /// Returns the kept state of an account, which outlasts leases. The first state is the default.
    async fn account_state(&self, account: Account) -> Result<AccountState, StoreError>;

    /// Replaces the kept state of an account. Only the holder of its lease may call it.
    async fn keep_account_state(
        &self,
        account: Account,
        state: &AccountState,
    ) -> Result<(), StoreError>;
}
