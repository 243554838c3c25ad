//! An author who does not pay twice for the same content, in however many processes.
//!
//! Whoever comes first reserves the content and calls; the others wait until there is a draft,
//! or until the first one has given up or vanished, and then it is their turn.

use std::{
    convert::Infallible,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use domain::{
    enrichment::{
        Author, Brief, Draft, DraftError, DraftKey, Drafts, EnrichError, Objection, Reservation,
    },
    store::StoreError,
};
use tokio::time::sleep;
use uuid::Uuid;

use crate::{clock::Clock, metrics, panics, waits};

/// How long a reservation holds unless it is renewed.
const RESERVED: time::Duration = time::Duration::seconds(30);
/// How often a reservation is renewed while a call is under way.
const RENEW_EVERY: Duration = Duration::from_secs(10);
/// How often somebody who waits for another's draft asks for it.
const ASK_EVERY: Duration = Duration::from_millis(500);
/// How often keeping a draft is tried. What it cost is lost otherwise.
const TRIES: usize = 3;

/// The author whose drafts are paid for, and where they are kept.
pub struct Paid {
    pub author: Arc<dyn Author>,
    /// What the author's drafts depend on besides the posting.
    pub edition: String,
    pub drafts: Arc<dyn Drafts>,
    pub clock: Clock,
}

/// The author of one posting's draft.
pub struct Thrifty {
    paid: Arc<Paid>,
    /// Its name in reservations.
    holder: Uuid,
    state: Mutex<State>,
}

/// How far it got.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// Whether the content is reserved.
    is_reserved: bool,
    /// Whether anything was paid for; otherwise a draft was kept already.
    is_paid: bool,
}

impl Thrifty {
    pub fn new(paid: Arc<Paid>) -> Self {
        Self {
            paid,
            holder: Uuid::now_v7(),
            state: Mutex::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn key(&self, brief: &Brief<'_>) -> DraftKey {
        DraftKey::of(&self.paid.edition, brief.input)
    }

    async fn reserve(&self, key: &DraftKey) -> Result<Reservation, StoreError> {
        let now = (self.paid.clock)();
        let reserved = self
            .paid
            .drafts
            .reserve(key, self.holder, now + RESERVED, now);
        panics::caught(reserved).await
    }

    /// The draft that is kept; `None` when it is up to this author to get one.
    async fn find(&self, key: &DraftKey) -> Result<Option<Draft>, DraftError> {
        loop {
            match self.reserve(key).await {
                Ok(Reservation::Kept(json)) => {
                    // One that cannot be read was kept by another version, and is replaced.
                    return Ok(Draft::from_json(&json));
                }
                Ok(Reservation::Granted) => {
                    self.state().is_reserved = true;
                    return Ok(None);
                }
                Ok(Reservation::Taken) => sleep(ASK_EVERY).await,
                Err(error) => {
                    return Err(DraftError::Failed(EnrichError::Retry {
                        message: format!("drafts cannot be looked up: {error}"),
                        after: None,
                    }));
                }
            }
        }
    }

    /// Calls the author, and holds the reservation meanwhile.
    async fn pay(
        &self,
        key: &DraftKey,
        brief: &Brief<'_>,
        objection: Option<&Objection>,
    ) -> Result<Draft, DraftError> {
        self.state().is_paid = true;
        let call = self.paid.author.draft(brief, objection);
        if !self.state().is_reserved {
            return call.await;
        }
        tokio::select! {
            result = call => result,
            never = self.hold(key) => match never {},
        }
    }

    /// Keeps renewing the reservation, for as long as it is polled.
    async fn hold(&self, key: &DraftKey) -> Infallible {
        loop {
            sleep(RENEW_EVERY).await;
            match self.reserve(key).await {
                Ok(Reservation::Granted) => {}
                Ok(Reservation::Taken | Reservation::Kept(_)) => {
                    tracing::debug!("somebody else was faster with a draft");
                }
                Err(error) => tracing::warn!(%error, "a reservation could not be renewed"),
            }
        }
    }

    async fn keep(&self, key: &DraftKey, draft: &Draft) {
        let json = match draft.to_json() {
            Ok(json) => json,
            Err(error) => {
                tracing::error!(%error, "a draft cannot be written");
                return self.release(key).await;
            }
        };
        let mut waits = waits::after_failures().take(TRIES - 1);
        loop {
            let kept = self.paid.drafts.keep(key, &json, (self.paid.clock)());
            let Err(error) = panics::caught(kept).await else {
                return;
            };
            let Some(wait) = waits.next() else {
                tracing::warn!(%error, "a draft was not kept, and may be paid for again");
                return;
            };
            sleep(wait).await;
        }
    }

    /// Best effort: a reservation ends anyway.
    async fn release(&self, key: &DraftKey) {
        let released = self.paid.drafts.release(key, self.holder);
        if let Err(error) = panics::caught(released).await {
            tracing::debug!(%error, "content stays reserved until the reservation ends");
        }
    }
}

#[async_trait]
impl Author for Thrifty {
    async fn draft(
        &self,
        brief: &Brief<'_>,
        objection: Option<&Objection>,
    ) -> Result<Draft, DraftError> {
        let key = self.key(brief);
        // Whatever was objected to, the next draft is a new one.
        if objection.is_none()
            && let Some(draft) = self.find(&key).await?
        {
            return Ok(draft);
        }
        self.pay(&key, brief, objection).await
    }

    async fn settle(&self, brief: &Brief<'_>, draft: Option<&Draft>) {
        let (key, state) = (self.key(brief), *self.state());
        match draft {
            Some(draft) if state.is_paid => self.keep(&key, draft).await,
            Some(_) => metrics::draft_reused(),
            None if state.is_reserved => self.release(&key).await,
            None => {}
        }
        self.paid.author.settle(brief, draft).await;
    }
}
