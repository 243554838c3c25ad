//! Whether a client exists and is not revoked: asked of the store, cached for a few seconds.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration as StdDuration,
};

use domain::{
    client::{ClientId, Clients},
    store::StoreError,
};
use moka::sync::Cache;
use time::{Duration, OffsetDateTime};

/// How long an answer is cached. A revoked client's tokens must stop working within 10 seconds.
const HOLDS_FOR: Duration = Duration::seconds(5);
/// How long the store may take to answer.
const PATIENCE: StdDuration = StdDuration::from_secs(3);
/// The size of the cache. Only ids in verified tokens are looked up, so it is hardly ever reached.
const REMEMBERED_CLIENTS: u64 = 10_000;

/// The cached answers of the store, by client.
pub(super) struct ClientStates {
    clients: Arc<dyn Clients>,
    slots: Cache<ClientId, Arc<Slot>>,
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
    last: Option<(OffsetDateTime, bool)>,
    /// The number of queries.
    asked: u64,
    failed: Option<StoreError>,
}

impl ClientStates {
    pub fn new(clients: Arc<dyn Clients>) -> Self {
        Self {
            clients,
            slots: Cache::new(REMEMBERED_CLIENTS),
        }
    }

    /// Whether the client exists and is not revoked.
    pub async fn may_act(&self, id: ClientId, now: OffsetDateTime) -> Result<bool, StoreError> {
        let slot = self.slots.get_with(id, Arc::default);
        let before = slot.answers();
        if let Some(answer) = before.fresh(now) {
            return Ok(answer);
        }
        let _asking = slot.asking.lock().await;
        let meanwhile = slot.answers();
        if meanwhile.asked != before.asked {
            // Requests that waited share the outcome; otherwise each would ask a store that hangs.
            match (meanwhile.failed, meanwhile.last) {
                (Some(error), _) => return Err(error),
                (None, Some((_, answer))) => return Ok(answer),
                (None, None) => {}
            }
        }
        let outcome = self.ask(id).await;
        slot.record(now, &outcome);
        outcome
    }

    async fn ask(&self, id: ClientId) -> Result<bool, StoreError> {
        let found = within(self.clients.find(id)).await?;
        Ok(found.is_some_and(|client| client.revoked_at.is_none()))
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
    fn record(&self, asked_at: OffsetDateTime, outcome: &Result<bool, StoreError>) {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.asked += 1;
        match outcome {
            Ok(answer) => {
                answers.last = Some((asked_at, *answer));
                answers.failed = None;
            }
            Err(error) => answers.failed = Some(error.clone()),
        }
    }
}

impl Answers {
    fn fresh(&self, now: OffsetDateTime) -> Option<bool> {
        self.last
            // After the clock was set back an old answer must not stay valid; but a request that
            // began up to a second before the query may use its answer.
            .filter(|(at, _)| (-Duration::SECOND..HOLDS_FOR).contains(&(now - *at)))
            .map(|(_, answer)| answer)
    }
}

/// The answer of the store, or an error after [`PATIENCE`].
pub(super) async fn within<T>(
    answer: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, StoreError> {
    tokio::time::timeout(PATIENCE, answer)
        .await
        .unwrap_or_else(|_| Err(StoreError::Unavailable("no answer in time".to_owned())))
}
