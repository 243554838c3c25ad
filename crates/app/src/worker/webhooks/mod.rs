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
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use domain::{
    client::Clients,
    event::{Event, EventLog},
    posting::PostingView,
    store::{PostingReader, StoreError},
    webhook::{EndpointId, LeaseQuery, RetrySchedule, Sender, TrackedEndpoint, Webhooks},
};
use tokio::{
    sync::{Notify, Semaphore},
    task::JoinSet,
    time::{Instant, sleep, timeout, timeout_at},
};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::{clock::Clock, panics, waits};

/// Renders the body of a delivery: the event, and the posting if the endpoint wants it. An error is
/// a defect, in words.
pub type Body = Arc<dyn Fn(&Event, Option<&PostingView>) -> Result<Vec<u8>, String> + Send + Sync>;

/// Whom to deliver to, and how.
#[derive(Clone)]
pub struct WebhookParts {
    pub endpoints: Arc<dyn Webhooks>,
    pub postings: Arc<dyn PostingReader>,
    pub clients: Arc<dyn Clients>,
    pub sender: Arc<dyn Sender>,
    pub body: Body,
    pub schedule: RetrySchedule,
}

/// The most rounds of a process that are under way. Each may have one attempt under way, whatever
/// the others do.
const ROUNDS: usize = 128;

/// The most attempts that are under way beyond those, in all rounds.
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

/// What deliveries need.
pub(super) struct DeliveryParts {
    pub webhooks: WebhookParts,
    pub log: Arc<dyn EventLog>,
    pub clock: Clock,
    /// Notifies of events that this process has committed.
    pub recorded: Arc<Notify>,
    /// The id of this worker, drawn at random.
    pub holder: Uuid,
    pub settings: DeliverySettings,
}

/// Delivers events to all endpoints.
pub(super) struct Deliveries {
    parts: DeliveryParts,
    /// Permits for further attempts.
    attempts: Semaphore,
    /// The leases of the rounds that are under way.
    leases: Mutex<HashMap<EndpointId, Lease>>,
    /// The number of rounds so far.
    begun: AtomicU64,
}

/// The lease of a round.
#[derive(Clone, Debug)]
struct Lease {
    /// Counts the rounds of this worker.
    round: u64,
    /// A time before its end, because calls take a while, and clocks are compared by messages.
    until: Instant,
    lost: CancellationToken,
}

impl Deliveries {
    pub fn new(parts: DeliveryParts) -> Self {
        Self {
            parts,
            attempts: Semaphore::new(FURTHER_ATTEMPTS),
            leases: Mutex::default(),
            begun: AtomicU64::new(0),
        }
    }

    /// Delivers until it is stopped. Then what is under way is finished, as far as there is time.
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
            // Not cut short by the stop, so that no endpoint is leased in vain.
            let leased = panics::caught(self.lease(ROUNDS - rounds.len())).await;
            let wait = match leased {
                Ok(leased) => {
                    outage = None;
                    for (tracked, lease) in leased {
                        let (this, stop) = (Arc::clone(self), stop.clone());
                        rounds.spawn(async move { this.round(tracked, &lease, &stop).await });
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
        }
    }

    /// Leases up to `limit` endpoints with something to do.
    async fn lease(&self, limit: usize) -> Result<Vec<(TrackedEndpoint, Lease)>, StoreError> {
        if limit == 0 {
            return Ok(Vec::new());
        }
        let until = self.until();
        let now = (self.parts.clock)();
        let query = LeaseQuery {
            holder: self.parts.holder,
            until: now + self.parts.settings.lease,
            now,
            end: self.parts.log.end().await?,
            limit,
        };
        let endpoints = self.parts.webhooks.endpoints.lease(&query).await?;
        let mut leases = self.leases();
        let with_lease = |tracked: TrackedEndpoint| {
            let lease = Lease {
                round: self.begun.fetch_add(1, Ordering::Relaxed),
                until,
                lost: CancellationToken::new(),
            };
            leases.insert(tracked.endpoint.id, lease.clone());
            (tracked, lease)
        };
        Ok(endpoints.into_iter().map(with_lease).collect())
    }

    /// Makes a round for a leased endpoint. Whatever fails here is tried again.
    async fn round(&self, tracked: TrackedEndpoint, lease: &Lease, stop: &CancellationToken) {
        let id = tracked.endpoint.id;
        let result = tokio::select! {
            biased;
            () = lease.lost.cancelled() => Ok(false),
            result = panics::caught(self.deliver(tracked, stop)) => result,
        };
        match result {
            // The lease has ended. From then on this worker may have leased the endpoint anew.
            Ok(true) => return self.forget(id, lease),
            Ok(false) => {
                tracing::info!(endpoint = %id, "deliveries ended: the endpoint was changed or leased elsewhere");
            }
            Err(error) => {
                tracing::warn!(endpoint = %id, %error, "deliveries are made again");
                self.pause(stop).await;
            }
        }
        // An endpoint whose lease is lost is no longer held, and this does nothing.
        if self.has(id, lease)
            && let Err(error) = self.end_leases(&[id]).await
        {
            tracing::debug!(endpoint = %id, %error, "the endpoint stays leased until its lease ends");
        }
        self.forget(id, lease);
    }

    /// Whether the lease is the last one of the endpoint that this worker had.
    fn has(&self, id: EndpointId, lease: &Lease) -> bool {
        let leases = self.leases();
        leases
            .get(&id)
            .is_some_and(|last| last.round == lease.round)
    }

    /// Renews a lease no longer. A later one of the same endpoint stays.
    fn forget(&self, id: EndpointId, lease: &Lease) {
        self.leases()
            .retain(|key, last| *key != id || last.round != lease.round);
    }

    async fn end_leases(&self, endpoints: &[EndpointId]) -> Result<(), StoreError> {
        let (holder, now) = (self.parts.holder, (self.parts.clock)());
        let released = self
            .parts
            .webhooks
            .endpoints
            .release(holder, endpoints, now);
        panics::caught(released).await
    }

    /// Ends the leases of rounds that were cut off.
    async fn release(&self) {
        let left: Vec<_> = self.leases().keys().copied().collect();
        if left.is_empty() {
            return;
        }
        if let Err(error) = self.end_leases(&left).await {
            tracing::debug!(%error, "endpoints stay leased until their leases end");
        }
    }

    /// Renews the leases of rounds that are under way, for as long as it is polled.
    async fn keep(&self) {
        loop {
            sleep(self.parts.settings.renew_every).await;
            let asked = self.leases().clone();
            let ids: Vec<_> = asked.keys().copied().collect();
            if ids.is_empty() {
                continue;
            }
            let first_end = asked.values().map(|lease| lease.until).min();
            let until = self.until();
            let end = (self.parts.clock)() + self.parts.settings.lease;
            let renewed = self
                .parts
                .webhooks
                .endpoints
                .renew(self.parts.holder, &ids, end);
            let renewed = panics::caught(renewed);
            let renewed = timeout_at(first_end.unwrap_or(until), renewed).await;
            let mut leases = self.leases();
            match renewed {
                Ok(Ok(held)) => {
                    for (id, lease) in leases.iter_mut() {
                        // Not one that has begun meanwhile.
                        if asked.get(id).is_none_or(|asked| asked.round != lease.round) {
                            continue;
                        }
                        if held.contains(id) {
                            lease.until = until;
                        } else {
                            lease.lost.cancel();
                        }
                    }
                }
                Ok(Err(error)) => {
                    tracing::warn!(%error, "the leases of webhooks were not renewed");
                }
                Err(_) => tracing::warn!("the leases of webhooks were not renewed in time"),
            }
            let now = Instant::now();
            let ended = leases.values().filter(|lease| lease.until <= now);
            ended.for_each(|lease| lease.lost.cancel());
        }
    }

    fn until(&self) -> Instant {
        Instant::now() + self.parts.settings.lease.mul_f64(0.8)
    }

    fn leases(&self) -> MutexGuard<'_, HashMap<EndpointId, Lease>> {
        self.leases.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
