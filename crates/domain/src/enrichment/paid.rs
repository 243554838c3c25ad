//! One paid answer per content, across processes.
//!
//! The first process reserves the content and asks the model. The others wait for its draft, or
//! until the reservation ends, and then one of them takes over.

use std::{
    convert::Infallible,
    future::poll_fn,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    sync::Arc,
    task::Poll,
    time::Duration,
};

use async_trait::async_trait;
use kernel::{PostingId, StoreError};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Brief, Draft, DraftCache, DraftKey, EnrichError, Reservation};

/// The time until a reservation ends, unless renewed.
const RESERVED: time::Duration = time::Duration::seconds(30);
/// The interval of renewals during a call.
const RENEW_EVERY: Duration = Duration::from_secs(10);
/// The interval of looking for another holder's draft.
const ASK_EVERY: Duration = Duration::from_millis(500);
/// The waits before storing a draft is retried, because a lost one has to be paid again.
const KEEP_AGAIN: [Duration; 2] = [Duration::from_millis(250), Duration::from_millis(500)];

/// The port to the process: time, waiting, ids, and counters for operators.
#[async_trait]
pub trait Runtime: Send + Sync {
    /// The time.
    fn now(&self) -> OffsetDateTime;

    /// A new id for the holder of a reservation.
    fn new_id(&self) -> Uuid;

    /// Waits.
    async fn sleep(&self, time: Duration);

    /// Counts or logs an event.
    fn note(&self, event: CacheEvent);
}

/// An event of the draft cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CacheEvent {
    /// A draft was of use that had been paid for before.
    Reused,
    /// Another holder has a reservation that was to be renewed.
    Overtaken,
    /// A reservation could not be renewed.
    NotRenewed(StoreError),
    /// A draft was not kept, and may be paid for again.
    NotKept(StoreError),
    /// The content stays reserved until the reservation ends.
    NotReleased(StoreError),
}

/// The cache, with the runtime to wait for it.
#[derive(Clone)]
pub(super) struct PaidOnce {
    cache: Arc<dyn DraftCache>,
    runtime: Arc<dyn Runtime>,
}

impl PaidOnce {
    pub(super) fn new(cache: Arc<dyn DraftCache>, runtime: Arc<dyn Runtime>) -> Self {
        Self { cache, runtime }
    }

    /// A claim to the draft of a posting by an edition of a model.
    pub(super) fn claim(
        &self,
        edition: &str,
        brief: &Brief<'_>,
        posting: Option<PostingId>,
    ) -> Claim<'_> {
        Claim {
            paid: self,
            posting,
            key: DraftKey::of(edition, brief),
            holder: self.runtime.new_id(),
            is_reserved: false,
        }
    }
}

/// One holder's claim to one draft.
pub(super) struct Claim<'a> {
    paid: &'a PaidOnce,
    posting: Option<PostingId>,
    key: DraftKey,
    holder: Uuid,
    is_reserved: bool,
}

impl Claim<'_> {
    async fn reserve(&self) -> Result<Reservation, StoreError> {
        let PaidOnce { cache, runtime } = self.paid;
        let now = runtime.now();
        caught(cache.reserve(&self.key, self.holder, now + RESERVED, now)).await
    }

    /// Waits for a stored draft; `None` if this holder has to get one.
    pub(super) async fn find(&mut self) -> Result<Option<Draft>, EnrichError> {
        loop {
            match self.reserve().await {
                // One that cannot be read was kept by another version, and is replaced.
                Ok(Reservation::Kept(json)) => return Ok(Draft::from_json(&json)),
                Ok(Reservation::Granted) => {
                    self.is_reserved = true;
                    return Ok(None);
                }
                Ok(Reservation::Taken) => self.paid.runtime.sleep(ASK_EVERY).await,
                Err(error) => {
                    return Err(EnrichError::Retry {
                        message: format!("drafts cannot be looked up: {error}"),
                        after: None,
                    });
                }
            }
        }
    }

    /// Carries out work, and renews the reservation meanwhile.
    pub(super) async fn holding<T>(&self, work: impl Future<Output = T>) -> T {
        if !self.is_reserved {
            return work.await;
        }
        let (mut work, mut renewing) = (pin!(work), pin!(self.renew()));
        poll_fn(|context| {
            let done = work.as_mut().poll(context);
            if done.is_pending() {
                // It never ends.
                _ = renewing.as_mut().poll(context);
            }
            done
        })
        .await
    }

    async fn renew(&self) -> Infallible {
        let runtime = &self.paid.runtime;
        loop {
            runtime.sleep(RENEW_EVERY).await;
            match self.reserve().await {
                Ok(Reservation::Granted) => {}
                Ok(Reservation::Taken | Reservation::Kept(_)) => {
                    runtime.note(CacheEvent::Overtaken);
                }
                Err(error) => runtime.note(CacheEvent::NotRenewed(error)),
            }
        }
    }

    /// The kept draft was of use.
    pub(super) fn reused(&self) {
        self.paid.runtime.note(CacheEvent::Reused);
    }

    /// Keeps a draft that was paid for.
    pub(super) async fn keep(&self, draft: &Draft) {
        let PaidOnce { cache, runtime } = self.paid;
        let json = match draft.to_json() {
            Ok(json) => json,
            Err(error) => {
                let error = StoreError::Broken(error.to_string());
                runtime.note(CacheEvent::NotKept(error));
                return self.release().await;
            }
        };
        let mut waits = KEEP_AGAIN.into_iter();
        let keep = || cache.keep(&self.key, &json, self.posting, runtime.now());
        while let Err(error) = caught(keep()).await {
            let Some(wait) = waits.next() else {
                return runtime.note(CacheEvent::NotKept(error));
            };
            runtime.sleep(wait).await;
        }
    }

    /// Gives the reservation back, if there is one. Best effort: it ends anyway.
    pub(super) async fn release(&self) {
        let PaidOnce { cache, runtime } = self.paid;
        if !self.is_reserved {
            return;
        }
        if let Err(error) = caught(cache.release(&self.key, self.holder)).await {
            runtime.note(CacheEvent::NotReleased(error));
        }
    }
}

/// Turns a panic of the cache into a store error, so that a paid draft survives it.
async fn caught<T>(call: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
    let mut call = pin!(call);
    poll_fn(|context| {
        let polled = catch_unwind(AssertUnwindSafe(|| call.as_mut().poll(context)));
        let broken = |_| Poll::Ready(Err(StoreError::Broken("the cache panicked".to_owned())));
        polled.unwrap_or_else(broken)
    })
    .await
}
