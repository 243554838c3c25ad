//! The clients of tokens. They are read from the store and cached for a few seconds.
//!
//! Strangers may send any number of ids and secrets. If the sent secret is that of the cached
//! client, the client is read again at once. Otherwise the caller may be a stranger: only the
//! client's version is read, in one query with those of other callers. If it has changed, the
//! client is read, because the change may have added the secret.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration as StdDuration,
};

use access::{Client, Clients};
use kernel::{ClientId, StoreError, Version};
use moka::sync::Cache;
use runtime::Gathered;
use time::{Duration, OffsetDateTime};
use tokens::matching_digest;

use crate::{
    limit::{Limit, Uptime},
    slots::{Limits, Shares},
};

/// How long a client is cached. Changes must take effect within 10 seconds.
const HOLDS_FOR: Duration = Duration::seconds(5);
const PATIENCE: StdDuration = StdDuration::from_secs(3);
/// The size of the cache. Only existing clients are cached.
const REMEMBERED_CLIENTS: u64 = 10_000;

pub(super) struct ActiveClients {
    clients: Arc<dyn Clients>,
    clock: Uptime,
    slots: Cache<ClientId, Arc<Slot>>,
    versions: Gathered<ClientId, Version>,
    limits: Limits,
}

#[derive(Clone, Debug)]
pub(super) struct ActiveClient {
    pub client: Arc<Client>,
    pub limit: Option<Arc<Limit>>,
    pub shares: Shares,
}

#[derive(Default)]
struct Slot {
    answers: Mutex<Answers>,
    /// Held during a query, so that concurrent requests of a client share one query.
    asking: tokio::sync::Mutex<()>,
}

/// The store's answer: the client's version, and the client itself unless it is revoked.
type Outcome = Result<(Option<Version>, Option<ActiveClient>), StoreError>;

#[derive(Clone, Default)]
struct Answers {
    last: Option<(OffsetDateTime, Option<ActiveClient>)>,
    /// The client's version, even if it is revoked.
    version: Option<Version>,
    asked: u64,
    failed: Option<StoreError>,
}

impl ActiveClients {
    pub fn new(clients: Arc<dyn Clients>, clock: Uptime, limits: Limits) -> Self {
        let of = Arc::clone(&clients);
        let versions = move |ids: Vec<ClientId>| {
            let clients = Arc::clone(&of);
            async move { within(clients.versions(&ids)).await }
        };
        Self {
            clients,
            limits,
            clock,
            slots: Cache::new(REMEMBERED_CLIENTS),
            versions: Gathered::new(versions),
        }
    }

    pub async fn find(
        &self,
        id: ClientId,
        now: OffsetDateTime,
    ) -> Result<Option<ActiveClient>, StoreError> {
        let slot = self.slots.get_with(id, Arc::default);
        let before = slot.answers();
        if let Some(answer) = before.fresh(now) {
            return Ok(answer.clone());
        }
        self.ask(&slot, id, &before, now).await
    }

    /// Returns the client and the digest of its secret, if the secret is valid now.
    pub async fn authenticate(
        &self,
        id: ClientId,
        secret: &[u8],
        now: OffsetDateTime,
    ) -> Result<Option<(ActiveClient, [u8; 32])>, StoreError> {
        let matching = |active: &ActiveClient| {
            let live = active.client.live_secrets(now);
            matching_digest(secret, live.map(|secret| &secret.digest))
        };
        let known = || self.slots.get(&id).map(|slot| slot.answers());
        let last = known().and_then(|answers| answers.last);
        if last.and_then(|(_, last)| matching(&last?)).is_none() {
            let version = self.versions.get(id).await?;
            if version == known().and_then(|answers| answers.version) {
                return Ok(None);
            }
        }
        let slot = self.slots.get_with(id, Arc::default);
        let before = slot.answers();
        let active = self.ask(&slot, id, &before, now).await?;
        Ok(active.and_then(|active| {
            let digest = matching(&active)?;
            Some((active, digest))
        }))
    }

    /// Queries the store, unless another request has done so since `before` was read.
    async fn ask(
        &self,
        slot: &Slot,
        id: ClientId,
        before: &Answers,
        now: OffsetDateTime,
    ) -> Result<Option<ActiveClient>, StoreError> {
        let _asking = slot.asking.lock().await;
        let meanwhile = slot.answers();
        let last = meanwhile.last.map(|(_, answer)| answer);
        if meanwhile.asked != before.asked {
            // Requests that waited share the outcome, or each would query a store that hangs.
            match (meanwhile.failed, last.clone()) {
                (Some(error), _) => return Err(error),
                (None, Some(answer)) => return Ok(answer),
                (None, None) => {}
            }
        }
        let found = within(self.clients.find(id)).await;
        let outcome = found.map(|found| {
            let version = found.as_ref().map(|client| client.version);
            let active = found.filter(Client::is_active);
            let active = active.map(|client| self.limited(client, last.flatten()));
            (version, active)
        });
        slot.record(now, &outcome);
        outcome.map(|(_, active)| active)
    }

    /// Adds the limit and the shares. If the limit is unchanged, its state stays.
    fn limited(&self, client: Client, before: Option<ActiveClient>) -> ActiveClient {
        let limit = client.requests_per_minute.map(|per_minute| {
            let kept = before.and_then(|before| before.limit);
            let kept = kept.filter(|limit| limit.per_minute() == per_minute);
            kept.unwrap_or_else(|| Arc::new(Limit::new(per_minute, &self.clock)))
        });
        ActiveClient {
            shares: self.limits.shares(client.id),
            client: Arc::new(client),
            limit,
        }
    }
}

impl Slot {
    fn answers(&self) -> Answers {
        self.answers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Records an outcome. `asked_at` is before the query, so the answer is at least as new.
    fn record(&self, asked_at: OffsetDateTime, outcome: &Outcome) {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.asked += 1;
        match outcome {
            Ok((version, active)) => {
                answers.last = Some((asked_at, active.clone()));
                answers.version = *version;
                answers.failed = None;
            }
            Err(error) => answers.failed = Some(error.clone()),
        }
    }
}

impl Answers {
    /// Returns a recent answer. A request may use it if it began up to a second before the query.
    /// If `now` is even earlier, the clock was set back, and the answer does not count.
    fn fresh(&self, now: OffsetDateTime) -> Option<&Option<ActiveClient>> {
        let (asked_at, answer) = self.last.as_ref()?;
        let age = now - *asked_at;
        (-Duration::SECOND..HOLDS_FOR)
            .contains(&age)
            .then_some(answer)
    }
}

async fn within<T>(answer: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
    tokio::time::timeout(PATIENCE, answer)
        .await
        .unwrap_or_else(|_| Err(StoreError::Unavailable("no answer in time".to_owned())))
}
