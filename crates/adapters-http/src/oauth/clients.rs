//! The clients of tokens, asked of the store and cached for a few seconds.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration as StdDuration,
};

use domain::{
    client::{Client, ClientId, Clients},
    store::StoreError,
};
use moka::sync::Cache;
use time::{Duration, OffsetDateTime};

use super::limit::{Limit, Uptime};

/// How long an answer is cached. Changes of a client must hold within 10 seconds.
const HOLDS_FOR: Duration = Duration::seconds(5);
/// How long the store may take to answer.
const PATIENCE: StdDuration = StdDuration::from_secs(3);
/// The size of the cache. Only ids in verified tokens are looked up, so it is hardly ever reached.
const REMEMBERED_CLIENTS: u64 = 10_000;

/// The cached answers of the store, by client.
pub(super) struct ActiveClients {
    clients: Arc<dyn Clients>,
    clock: Uptime,
    slots: Cache<ClientId, Arc<Slot>>,
}

/// A client that is not revoked, and its limit.
#[derive(Clone, Debug)]
pub(super) struct ActiveClient {
    pub client: Arc<Client>,
    pub limit: Option<Arc<Limit>>,
}

#[derive(Default)]
struct Slot {
    answers: Mutex<Answers>,
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
            clock,
            slots: Cache::new(REMEMBERED_CLIENTS),
        }
    }

    /// The client, if it exists and is not revoked.
    pub async fn find(
        &self,
        id: ClientId,
        now: OffsetDateTime,
    ) -> Result<Option<ActiveClient>, StoreError> {
        let slot = self.slots.get_with(id, Arc::default);
        let before = slot.answers();
        if let Some((asked_at, answer)) = before.last
            && is_fresh(asked_at, now)
        {
            return Ok(answer);
        }
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

/// Whether an answer still holds. After the clock was set back an old one must not; but a request
/// that began up to a second before the query may use its answer.
fn is_fresh(asked_at: OffsetDateTime, now: OffsetDateTime) -> bool {
    (-Duration::SECOND..HOLDS_FOR).contains(&(now - asked_at))
}

/// The answer of the store, or an error after [`PATIENCE`].
pub(super) async fn within<T>(
    answer: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, StoreError> {
    tokio::time::timeout(PATIENCE, answer)
        .await
        .unwrap_or_else(|_| Err(StoreError::Unavailable("no answer in time".to_owned())))
}
