//! The clients of tokens, asked of the store and cached for a few seconds.
//!
//! Whoever asks for a token may name any client and any secret, so the store is asked for those
//! that can be right, and for a limited number of others.

use std::{
    num::NonZeroU32,
    sync::{Arc, Mutex, PoisonError},
    time::Duration as StdDuration,
};

use access::{Client, Clients};
use kernel::{ClientId, StoreError};
use moka::sync::Cache;
use time::{Duration, OffsetDateTime};
use tokens::matching_digest;

use super::limit::{Limit, Uptime};

/// How long an answer is cached. Changes of a client must hold within 10 seconds.
const HOLDS_FOR: Duration = Duration::seconds(5);
/// How long the store may take to answer.
const PATIENCE: StdDuration = StdDuration::from_secs(3);
/// The size of the cache. Only clients that exist are in it, so it is hardly ever reached.
const REMEMBERED_CLIENTS: u64 = 10_000;
/// How long it is remembered that no client has an id.
const ABSENT_FOR: StdDuration = StdDuration::from_mins(1);
/// How often in a minute the store is asked about a client because of a secret that was not the
/// client's seconds ago. The secret may be a new one, which is to work at once.
const GUESSES: NonZeroU32 = NonZeroU32::MIN.saturating_add(5);
/// How often in a minute the store is asked about clients that this process does not know, because
/// somebody wants a token as one.
const STRANGERS: NonZeroU32 = NonZeroU32::MIN.saturating_add(599);

/// The cached answers of the store, by client.
pub(super) struct ActiveClients {
    clients: Arc<dyn Clients>,
    clock: Uptime,
    slots: Cache<ClientId, Arc<Slot>>,
    /// Ids of no client.
    absent: Cache<ClientId, ()>,
    strangers: Limit,
}

/// The reason why a client's secret was not checked.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unchecked {
    /// The store does not answer.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Too many unknown clients were asked for.
    #[error("too many unknown clients")]
    Strangers,
}

/// A client that is not revoked, and its limit.
#[derive(Clone, Debug)]
pub(super) struct ActiveClient {
    pub client: Arc<Client>,
    pub limit: Option<Arc<Limit>>,
}

struct Slot {
    answers: Mutex<Answers>,
    guesses: Limit,
    /// Held by the request that asks the store, so that concurrent requests of a client ask once.
    asking: tokio::sync::Mutex<()>,
}

#[derive(Clone, Default)]
struct Answers {
    /// The time of the last successful query, and its answer.
    last: Option<(OffsetDateTime, Option<ActiveClient>)>,
    /// The number of queries.
    asked: u64,
    failed: Option<StoreError>,
}

impl ActiveClients {
    pub fn new(clients: Arc<dyn Clients>, clock: Uptime) -> Self {
        Self {
            clients,
            strangers: Limit::new(STRANGERS, &clock),
            clock,
            slots: Cache::new(REMEMBERED_CLIENTS),
            absent: Cache::builder()
                .max_capacity(REMEMBERED_CLIENTS)
                .time_to_live(ABSENT_FOR)
                .build(),
        }
    }

    /// The client, if it exists and is not revoked.
    pub async fn find(
        &self,
        id: ClientId,
        now: OffsetDateTime,
    ) -> Result<Option<ActiveClient>, StoreError> {
        let slot = self.slots.get_with(id, || self.slot());
        let before = slot.answers();
        if let Some(answer) = before.fresh(now) {
            return Ok(answer.clone());
        }
        self.ask(&slot, id, &before, now).await
    }

    /// The client and the digest of its secret, if it is a live one, as the store has them now.
    pub async fn authenticate(
        &self,
        id: ClientId,
        secret: &[u8],
        now: OffsetDateTime,
    ) -> Result<Option<(ActiveClient, [u8; 32])>, Unchecked> {
        let matching = |active: &ActiveClient| {
            let live = active.client.live_secrets(now);
            matching_digest(secret, live.map(|secret| &secret.digest))
        };
        let known = self.slots.get(&id);
        if known.is_none() {
            if self.absent.contains_key(&id) {
                return Ok(None);
            }
            self.strangers.count().1.map_err(|_| Unchecked::Strangers)?;
        }
        let slot = known.clone().unwrap_or_else(|| self.slot());
        let before = slot.answers();
        if let Some(answer) = before.fresh(now)
            && answer.as_ref().and_then(matching).is_none()
            && slot.guesses.count().1.is_err()
        {
            return Ok(None);
        }
        let active = self.ask(&slot, id, &before, now).await?;
        match &active {
            Some(_) if known.is_none() => self.slots.insert(id, slot),
            None if known.is_none() => self.absent.insert(id, ()),
            _ => {}
        }
        Ok(active.and_then(|active| {
            let digest = matching(&active)?;
            Some((active, digest))
        }))
    }

    /// Asks the store, unless another request has done so since these answers.
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
            // Requests that waited share the outcome; otherwise each would ask a store that hangs.
            match (meanwhile.failed, last.clone()) {
                (Some(error), _) => return Err(error),
                (None, Some(answer)) => return Ok(answer),
                (None, None) => {}
            }
        }
        let found = within(self.clients.find(id)).await;
        let outcome = found.map(|found| {
            let active = found.filter(Client::is_active);
            active.map(|client| self.limited(client, last.flatten()))
        });
        slot.record(now, &outcome);
        outcome
    }

    fn slot(&self) -> Arc<Slot> {
        Arc::new(Slot {
            answers: Mutex::default(),
            guesses: Limit::new(GUESSES, &self.clock),
            asking: tokio::sync::Mutex::default(),
        })
    }

    /// The client with its limit. A limit that stays as it was keeps its use.
    fn limited(&self, client: Client, before: Option<ActiveClient>) -> ActiveClient {
        let limit = client.requests_per_minute.map(|per_minute| {
            let kept = before.and_then(|before| before.limit);
            let kept = kept.filter(|limit| limit.per_minute() == per_minute);
            kept.unwrap_or_else(|| Arc::new(Limit::new(per_minute, &self.clock)))
        });
        ActiveClient {
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

    /// Records an outcome. `asked_at` is a time before the query, so that the answer is never
    /// older.
    fn record(&self, asked_at: OffsetDateTime, outcome: &Result<Option<ActiveClient>, StoreError>) {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.asked += 1;
        match outcome {
            Ok(answer) => {
                answers.last = Some((asked_at, answer.clone()));
                answers.failed = None;
            }
            Err(error) => answers.failed = Some(error.clone()),
        }
    }
}

impl Answers {
    /// The answer, if it still holds. After the clock was set back an old one must not; but a
    /// request that began up to a second before the query may use its answer.
    fn fresh(&self, now: OffsetDateTime) -> Option<&Option<ActiveClient>> {
        let (asked_at, answer) = self.last.as_ref()?;
        let age = now - *asked_at;
        (-Duration::SECOND..HOLDS_FOR)
            .contains(&age)
            .then_some(answer)
    }
}

/// The answer of the store, or an error after [`PATIENCE`].
async fn within<T>(answer: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
    tokio::time::timeout(PATIENCE, answer)
        .await
        .unwrap_or_else(|_| Err(StoreError::Unavailable("no answer in time".to_owned())))
}
