//! The ports to the state: subscribers, and the provider's accounts.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use async_trait::async_trait;
use domain::{Version, outbox::TaskWrites};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::subscriber::{
    Account, Email, MigrationToken, Remembered, Subscriber, SubscriberId, SubscriberStatus,
};
pub use domain::StoreError;

/// A subscriber to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubscriberWrite {
    /// The version the subscriber must have in the store; `None` when there must be none.
    pub expected: Option<Version>,
    /// The subscriber as it is afterwards, with its next version. Its id is that of the stored
    /// one; its address may be another, which nobody else has after the commit.
    pub subscriber: Subscriber,
}

/// Who is listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Who {
    /// Everybody who was reported.
    #[default]
    Reported,
    /// Of those, who have not moved to the new account.
    Unmigrated,
    /// Everybody who is suppressed, reported or not.
    Suppressed,
}

/// A subscriber's row to take away, with all tasks for it that no worker is at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Purge {
    /// The version that it must have.
    pub expected: Version,
    /// The address.
    pub email: Email,
    /// What is to be [remembered](Store::remembered) of the address, if anything.
    pub remember: Option<SubscriberStatus>,
}

/// What one commit writes.
#[derive(Clone, Debug, PartialEq)]
pub struct WriteSet {
    /// Subscribers, by id.
    pub subscribers: BTreeMap<SubscriberId, SubscriberWrite>,
    /// Subscribers whose rows go, by id. They go before others are written.
    pub purges: BTreeMap<SubscriberId, Purge>,
    /// Addresses of which nothing is to be remembered any more: they have a row again.
    pub recalled: BTreeSet<Email>,
    /// What else is written in the same commit.
    pub tasks: TaskWrites,
}

impl WriteSet {
    /// A commit that does nothing yet.
    pub const fn new(at: OffsetDateTime) -> Self {
        Self {
            subscribers: BTreeMap::new(),
            purges: BTreeMap::new(),
            recalled: BTreeSet::new(),
            tasks: TaskWrites::new(at),
        }
    }

    /// Whether a commit writes no row of a subscriber, nor what is remembered of one.
    pub fn has_only_tasks(&self) -> bool {
        self.subscribers.is_empty() && self.purges.is_empty() && self.recalled.is_empty()
    }

    /// Whether a commit would do nothing.
    pub fn is_empty(&self) -> bool {
        self.has_only_tasks() && self.tasks.is_empty()
    }
}

/// The port to the subscribers.
#[async_trait]
pub trait Store: Send + Sync {
    /// The subscribers of the named addresses, reported or not.
    async fn load(&self, emails: &[Email]) -> Result<HashMap<Email, Subscriber>, StoreError>;

    /// The same by the subscribers' own ids.
    async fn load_by_id(
        &self,
        ids: &[SubscriberId],
    ) -> Result<HashMap<SubscriberId, Subscriber>, StoreError>;

    /// The subscriber who holds a token, reported or not.
    async fn find_by_token(&self, token: &MigrationToken)
    -> Result<Option<Subscriber>, StoreError>;

    /// What is remembered of those of these addresses whose people were suppressed when they were
    /// erased. A store keeps no address for that, but a hash with a key of its own
    /// ([`remembered_as`]).
    async fn remembered(&self, emails: &[Email]) -> Result<HashMap<Email, Remembered>, StoreError>;

    /// Writes everything, or nothing.
    ///
    /// [`StoreError::Conflict`] when the version of a subscriber is not the expected one, when its
    /// address was taken meanwhile, or when the lease of a finished task was lost.
    /// [`StoreError::Locked`] when another transaction does not let go of a row within a short
    /// time; a store of which only one writes at a time has no such rows.
    async fn commit(&self, writes: WriteSet) -> Result<(), StoreError>;
}

/// Under what an address is remembered once it is erased: HMAC-SHA-256 with the store's key.
pub fn remembered_as(key: &[u8; 32], email: &Email) -> Result<[u8; 32], StoreError> {
    let hash = Hmac::<Sha256>::new_from_slice(key);
    let mut hash = hash.map_err(|error| StoreError::Broken(error.to_string()))?;
    hash.update(email.as_str().as_bytes());
    Ok(hash.finalize().into_bytes().into())
}

/// Which subscribers to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SubscriberQuery {
    /// Whose list it is.
    pub who: Who,
    /// Only those behind this address.
    pub after: Option<Email>,
    /// At most this many.
    pub limit: usize,
}

/// How many subscribers stand like this.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Census {
    /// The account that they are in.
    pub account: Account,
    /// Whether they may be written to.
    pub status: SubscriberStatus,
    /// Whether they are on the way to the account.
    pub is_under_way: bool,
    /// How many there are.
    pub people: u64,
}

/// The port for lists of subscribers.
#[async_trait]
pub trait SubscriberReader: Send + Sync {
    /// Subscribers, ascending by address, byte for byte.
    async fn list(&self, query: &SubscriberQuery) -> Result<Vec<Subscriber>, StoreError>;

    /// Counts the subscribers that were reported, by how they stand, in the order of that. Reads
    /// all of them.
    async fn census(&self) -> Result<Vec<Census>, StoreError>;
}

/// What is kept of an account beside its lease, for the next process that holds it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccountState {
    /// Until when it is left alone, if it is.
    pub paused_until: Option<OffsetDateTime>,
    /// Why, in words for an operator.
    pub pause_reason: Option<String>,
    /// When its whole list was read to the end last.
    pub reconciled_at: Option<OffsetDateTime>,
}

/// The port to the leases of the provider's accounts. Whoever holds an account's is the only
/// one to send requests to it, which is how its request limit is kept across processes.
#[async_trait]
pub trait Accounts: Send + Sync {
    /// Leases all of these accounts until `until`, or none. Whoever holds a lease already
    /// moves its end. `false` when somebody else holds one of them at `now`; a lease ends at
    /// its `until`. `holder` is a random id of the caller.
    async fn lease(
        &self,
        accounts: &[Account],
        holder: Uuid,
        until: OffsetDateTime,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError>;

    /// Gives back whatever this holder has leased.
    async fn release(&self, holder: Uuid) -> Result<(), StoreError>;

    /// What is kept of an account; nothing at first. It outlasts leases.
    async fn account_state(&self, account: Account) -> Result<AccountState, StoreError>;

    /// Keeps this of an account in place of what was kept. For the holder of its lease.
    async fn keep_account_state(
        &self,
        account: Account,
        state: &AccountState,
    ) -> Result<(), StoreError>;
}
