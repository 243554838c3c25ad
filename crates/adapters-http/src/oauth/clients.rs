//! Whether a client may still act: asked of the store, remembered for a few seconds.

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

/// How long an answer holds. A revoked client's tokens must stop working within 10 seconds.
const HOLDS_FOR: Duration = Duration::seconds(5);
/// How long the store is waited for.
const PATIENCE: StdDuration = StdDuration::from_secs(3);
/// Only ids out of verified tokens get here, so this is a bound and not a limit.
const REMEMBERED_CLIENTS: u64 = 10_000;

/// The answers of the store, by client.
pub(super) struct ClientStates {
    clients: Arc<dyn Clients>,
    slots: Cache<ClientId, Arc<Slot>>,
}

#[derive(Default)]
struct Slot {
    answers: Mutex<Answers>,
    /// Held by the request that asks the store, so that many of one client ask once.
    asking: tokio::sync::Mutex<()>,
}

#[derive(Clone, Default)]
struct Answers {
    /// When the store was asked, and whether the client may act.
    last: Option<(OffsetDateTime, bool)>,
    /// How often it was asked, and whether the last time failed.
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

    /// Whether there is such a client and it is not revoked.
    pub async fn may_act(&self, id: ClientId, now: OffsetDateTime) -> Result<bool, StoreError> {
        let slot = self.slots.get_with(id, Arc::default);
        let before = slot.answers();
        if let Some(answer) = before.fresh(now) {
            return Ok(answer);
        }
        let _asking = slot.asking.lock().await;
        let meanwhile = slot.answers();
        if meanwhile.asked != before.asked {
            // Requests that waited share the outcome; else each would ask a hanging store.
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

    /// `asked_at` is from before the question: the store's truth is at least that new.
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
            // A clock that was set back must not keep an answer alive; a request that began a
            // moment before another's answer may have it.
            .filter(|(at, _)| (-Duration::SECOND..HOLDS_FOR).contains(&(now - *at)))
            .map(|(_, answer)| answer)
    }
}

/// The answer of the store, if it comes in time.
pub(super) async fn within<T>(
    answer: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, StoreError> {
    tokio::time::timeout(PATIENCE, answer)
        .await
        .unwrap_or_else(|_| Err(StoreError::Unavailable("no answer in time".to_owned())))
}
