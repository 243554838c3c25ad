//! Delivers events to webhook endpoints.
//!
//! A worker leases endpoints with something to do and makes a [round](deliver) for each, many at
//! the same time. While rounds are under way, their leases are renewed; a round whose lease is lost
//! stops. Workers of several processes share the endpoints by their leases.

mod deliver;

#[cfg(test)]
mod tests;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::AtomicUsize},
    time::Duration,
};

use domain::{
    client::Clients,
    event::{Event, EventLog},
    posting::PostingView,
    store::{PostingReader, StoreError},
    webhook::{EndpointId, LeaseQuery, RetrySchedule, Sender, TrackedEndpoint, Webhooks},
};
use futures_util::future::join_all;
use tokio::{
    sync::{Notify, Semaphore},
    task::JoinSet,
    time::{Instant, sleep, sleep_until, timeout},
};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::{clock::Clock, panics, waits};

/// Renders the body of a delivery: the event, and the posting if the endpoint wants it. An error is
/// a defect, in words.
pub type Body = Arc<dyn Fn(&Event, Option<&PostingView>) -> Result<Vec<u8>, String> + Send + Sync>;

/// The ports of deliveries, the rendering of bodies, and the retry schedule.
#[derive(Clone)]
pub struct WebhookParts {
    pub endpoints: Arc<dyn Webhooks>,
    pub postings: Arc<dyn PostingReader>,
    pub clients: Arc<dyn Clients>,
    pub sender: Arc<dyn Sender>,
    pub body: Body,
    pub schedule: RetrySchedule,
}

/// The most rounds of a process that are under way. Each may always have one attempt under way,
/// however many the other rounds have.
const ROUNDS: usize = 128;

/// The least time between two questions for endpoints: a board with many pushes a second does not
/// ask as often, whether there are endpoints or not.
const TICK: Duration = Duration::from_millis(50);

/// The most attempts that are under way beyond the first of each round, in all rounds together. A
/// round begins further ones up to its share of them, so that slow receivers do not keep them all.
const FURTHER_ATTEMPTS: usize = 128;

/// How a worker delivers.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeliverySettings {
    /// The time of a lease that is not renewed.
    pub lease: Duration,
    /// How often leases are renewed.
    pub renew_every: Duration,
    /// How long an idle worker waits before it looks for commits of other processes.
    pub poll_every: Duration,
    /// How long a stop waits for attempts that are under way.
    pub stop_within: Duration,
}

/// The parts of [`Deliveries`].
pub(super) struct DeliveryParts {
    pub webhooks: WebhookParts,
    pub log: Arc<dyn EventLog>,
    pub clock: Clock,
    /// Notifies of events that this process has committed.
    pub recorded: Arc<Notify>,
    pub settings: DeliverySettings,
}

/// Delivers events to all endpoints.
pub(super) struct Deliveries {
    parts: DeliveryParts,
    /// Permits for further attempts.
    attempts: Semaphore,
    /// The number of rounds that make attempts.
    attempting: AtomicUsize,
    /// The leases of the rounds that are under way.
    leases: Mutex<HashMap<LeaseId, Lease>>,
}

/// Names a lease. Its holder is drawn at random for each question for endpoints, so that the late
/// end of one lease is never that of the next one of the same endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct LeaseId {
    endpoint: EndpointId,
    holder: Uuid,
}

/// The lease of a round.
#[derive(Clone, Debug)]
struct Lease {
    /// A time before its end, because calls take a while, and clocks are compared by messages.
    until: Instant,
    lost: CancellationToken,
}

impl Deliveries {
    pub fn new(parts: DeliveryParts) -> Self {
        Self {
            parts,
            attempts: Semaphore::new(FURTHER_ATTEMPTS),
            attempting: AtomicUsize::new(0),
            leases: Mutex::default(),
        }
    }

    /// Delivers until it is stopped, then finishes attempts under way, as far as there is time.
    pub async fn run(self, stop: CancellationToken) {
        let this = Arc::new(self);
        let mut rounds = JoinSet::new();
        tokio::select! {
            () = this.keep() => {}
            () = this.work(&mut rounds, &stop) => {}
        }
        let finished = async {
            tokio::select! {
                () = this.keep() => {}
                () = async { while rounds.join_next().await.is_some() {} } => {}
            }
        };
        let within = this.parts.settings.stop_within;
        if timeout(within, finished).await.is_err() {
            tracing::warn!("deliveries that took too long to stop are made again");
        }
        rounds.shutdown().await;
        this.release().await;
    }

    /// Starts rounds until it is stopped.
    async fn work(self: &Arc<Self>, rounds: &mut JoinSet<()>, stop: &CancellationToken) {
        let mut outage = None;
        while !stop.is_cancelled() {
            let next = Instant::now() + TICK;
            // Not cut short by the stop, so that no endpoint is leased in vain.
            let leased = panics::caught(self.lease(ROUNDS - rounds.len())).await;
            let wait = match leased {
                Ok(leased) => {
                    outage = None;
                    for (tracked, id, lease) in leased {
                        let (this, stop) = (Arc::clone(self), stop.clone());
                        rounds.spawn(async move { this.round(tracked, id, &lease, &stop).await });
                    }
                    waits::jittered(self.parts.settings.poll_every)
                }
                Err(error) => {
                    let waits = outage.get_or_insert_with(waits::after_failures);
                    let wait = waits.next().unwrap_or_default();
                    tracing::warn!(%error, ?wait, "webhooks wait");
                    wait
                }
            };
            let is_away = outage.is_some();
            let has_room = rounds.len() < ROUNDS;
            tokio::select! {
                () = sleep(wait) => {}
                () = self.parts.recorded.notified(), if has_room && !is_away => {}
                Some(_) = rounds.join_next(), if !is_away => {}
                () = stop.cancelled() => {}
            }
            tokio::select! {
                () = sleep_until(next) => {}
                () = stop.cancelled() => {}
            }
        }
    }

    /// Leases up to `limit` endpoints with something to do.
    async fn lease(
        &self,
        limit: usize,
    ) -> Result<Vec<(TrackedEndpoint, LeaseId, Lease)>, StoreError> {
        if limit == 0 {
            return Ok(Vec::new());
        }
        let (until, holder) = (self.until(), Uuid::now_v7());
        let now = (self.parts.clock)();
        let query = LeaseQuery {
            holder,
            until: now + self.parts.settings.lease,
            now,
            end: self.parts.log.end().await?,
            limit,
        };
        let endpoints = self.parts.webhooks.endpoints.lease(&query).await?;
        let mut leases = self.leases();
        let with_lease = |tracked: TrackedEndpoint| {
            let endpoint = tracked.endpoint.id;
            let lease = Lease {
                until,
                lost: CancellationToken::new(),
            };
            let id = LeaseId { endpoint, holder };
            leases.insert(id, lease.clone());
            (tracked, id, lease)
        };
        Ok(endpoints.into_iter().map(with_lease).collect())
    }

    /// Makes a round for a leased endpoint. A round that fails is made again.
    async fn round(
        &self,
        tracked: TrackedEndpoint,
        id: LeaseId,
        lease: &Lease,
        stop: &CancellationToken,
    ) {
        let result = tokio::select! {
            biased;
            () = lease.lost.cancelled() => Ok(false),
            result = panics::caught(self.deliver(tracked, id.holder, stop)) => result,
        };
        let endpoint = id.endpoint;
        let is_recorded = match result {
            Ok(is_recorded) => {
                if !is_recorded {
                    tracing::info!(%endpoint, "deliveries ended: the endpoint was changed or leased elsewhere");
                }
                is_recorded
            }
            Err(error) => {
                tracing::warn!(%endpoint, %error, "deliveries are made again");
                self.pause(stop).await;
                false
            }
        };
        // A recorded round has ended its lease, and ending one that was lost does nothing.
        if !is_recorded && let Err(error) = self.end_leases(id.holder, &[endpoint]).await {
            tracing::debug!(%endpoint, %error, "the endpoint stays leased until its lease ends");
        }
        self.leases().remove(&id);
    }

    async fn end_leases(&self, holder: Uuid, endpoints: &[EndpointId]) -> Result<(), StoreError> {
        let webhooks = &self.parts.webhooks.endpoints;
        let released = webhooks.release(holder, endpoints, (self.parts.clock)());
        panics::caught(released).await
    }

    /// Ends the leases of rounds that were cut off.
    async fn release(&self) {
        let left = by_holder(self.leases().keys());
        for (holder, endpoints) in left {
            if let Err(error) = self.end_leases(holder, &endpoints).await {
                tracing::debug!(%error, "endpoints stay leased until their leases end");
            }
        }
    }

    /// Renews the leases of rounds that are under way, for as long as it is polled.
    async fn keep(&self) {
        loop {
            sleep(self.parts.settings.renew_every).await;
            let asked = by_holder(self.leases().keys());
            join_all(
                asked
                    .iter()
                    .map(|(holder, endpoints)| self.renew(*holder, endpoints)),
            )
            .await;
            let (leases, now) = (self.leases(), Instant::now());
            let ended = leases.values().filter(|lease| lease.until <= now);
            ended.for_each(|lease| lease.lost.cancel());
        }
    }

    /// Renews the leases of a holder, and marks the lost ones.
    async fn renew(&self, holder: Uuid, endpoints: &[EndpointId]) {
        let until = self.until();
        let end = (self.parts.clock)() + self.parts.settings.lease;
        let webhooks = &self.parts.webhooks.endpoints;
        let renewed = panics::caught(webhooks.renew(holder, endpoints, end));
        match timeout(self.parts.settings.renew_every, renewed).await {
            Ok(Ok(held)) => {
                let mut leases = self.leases();
                for &endpoint in endpoints {
                    // A round that has ended meanwhile has no lease any more.
                    if let Some(lease) = leases.get_mut(&LeaseId { endpoint, holder }) {
                        if held.contains(&endpoint) {
                            lease.until = until;
                        } else {
                            lease.lost.cancel();
                        }
                    }
                }
            }
            Ok(Err(error)) => {
                tracing::warn!(%error, "the leases of webhooks were not renewed");
            }
            Err(_) => tracing::warn!("the leases of webhooks were not renewed in time"),
        }
    }

    fn until(&self) -> Instant {
        Instant::now() + self.parts.settings.lease.mul_f64(0.8)
    }

    fn leases(&self) -> MutexGuard<'_, HashMap<LeaseId, Lease>> {
        self.leases.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The leased endpoints by their holders, for calls that take those of one.
fn by_holder<'a>(leases: impl Iterator<Item = &'a LeaseId>) -> HashMap<Uuid, Vec<EndpointId>> {
    let mut all = HashMap::<_, Vec<_>>::new();
    for lease in leases {
        all.entry(lease.holder).or_default().push(lease.endpoint);
    }
    all
}
