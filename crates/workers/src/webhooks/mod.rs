//! Delivers events to webhook endpoints.
//!
//! A worker leases endpoints that have something to do, and makes a [round](deliver) for each.
//! Rounds run concurrently, and the worker renews their leases. A round ends early if its lease is
//! lost, its endpoint has changed or the worker stops. It then begins no more attempts, waits for
//! those in progress, and is recorded if the store accepts it.

mod deliver;

#[cfg(test)]
mod tests;

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::AtomicUsize},
    time::Duration,
};

use ::webhooks::{Lease, LeaseQuery, REST, Release, Round, TrackedEndpoint};
use access::Client;
use kernel::{ClientId, StoreError, Version, event::Cursor};
use runtime::{Loops, Rounds, lease, panics, waits};
use time::OffsetDateTime;
use tokio::{
    sync::{Notify, Semaphore},
    task::JoinSet,
    time::{Instant, sleep, sleep_until, timeout},
};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use stores::Stores;

use super::parts::WorkerParts;

/// The largest number of rounds in progress. Each round may always have one attempt.
const ROUNDS: usize = 128;

/// A round may keep its place for this time while all places are taken.
const PLACE: Duration = Duration::from_secs(5);

/// The minimum time between two queries for endpoints, even with many pushes.
const TICK: Duration = Duration::from_millis(50);

/// The largest number of attempts in progress, without the first one of each round. Each round gets
/// a share, so that slow receivers do not take all.
const FURTHER_ATTEMPTS: usize = 128;

enum RoundEnd {
    /// The round's commit ended the lease.
    Recorded,
    /// The round only skipped events, so its lease must still be ended.
    Idle(Box<Round>),
    /// The cursor was moved back, the endpoint was deleted, or another process has the lease.
    Lost,
}

pub(super) fn start(parts: &Arc<WorkerParts>, loops: &mut Loops) {
    let deliveries = Deliveries::new(Arc::clone(parts));
    loops.spawn(|stop| deliveries.run(stop));
}

pub(super) struct Deliveries {
    parts: Arc<WorkerParts>,
    recorded: Arc<Notify>,
    attempts: Semaphore,
    attempting: AtomicUsize,
    leases: Mutex<HashMap<Lease, Held>>,
}

/// The lease of a round. When the lease [ends](lease::Held::end), the round ends, too: the lease
/// was lost, the endpoint or its owner changed, or other endpoints wait for the round's place.
#[derive(Debug)]
struct Held {
    lease: lease::Held,
    /// The owner and its version when the round began.
    owner: Option<(ClientId, Version)>,
    began: Instant,
    release: Release,
    /// Whether the round is over, so that the lease must be ended.
    is_over: bool,
}

impl Deliveries {
    pub fn new(parts: Arc<WorkerParts>) -> Self {
        Self {
            recorded: parts.wake.deliveries(),
            parts,
            attempts: Semaphore::new(FURTHER_ATTEMPTS),
            attempting: AtomicUsize::new(0),
            leases: Mutex::default(),
        }
    }

    /// Runs until the stop. Then finishes attempts in progress if there is time.
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
            tracing::warn!("deliveries that did not end in time are repeated");
        }
        rounds.shutdown().await;
        this.release(|_| true).await;
    }

    async fn work(self: &Arc<Self>, rounds: &mut JoinSet<()>, stop: &CancellationToken) {
        let mut questions = Rounds::new("the delivery of webhooks", stop.clone());
        let mut answered_at = Instant::now();
        while questions.go_on() {
            let next = Instant::now() + TICK;
            while rounds.try_join_next().is_some() {}
            if rounds.len() == ROUNDS {
                self.make_room();
            }
            self.release(|held| held.is_over).await;
            // The stop does not cancel this call, so that every leased endpoint gets its round.
            let leased = panics::caught(self.lease(ROUNDS - rounds.len(), answered_at)).await;
            let pause = leased.map(|leased| {
                answered_at = Instant::now();
                for (tracked, lease) in leased {
                    let (this, stop) = (Arc::clone(self), stop.clone());
                    rounds.spawn(async move { Box::pin(this.round(tracked, lease, &stop)).await });
                }
                self.pause(rounds)
            });
            questions.end(pause).await;
            questions.wait(sleep_until(next)).await;
        }
    }

    /// Waits for a commit with events, the end of a round, or the polling interval.
    async fn pause(&self, rounds: &mut JoinSet<()>) {
        let has_room = rounds.len() < ROUNDS;
        tokio::select! {
            () = sleep(waits::jittered(self.parts.settings.poll_every)) => {}
            () = self.recorded.notified(), if has_room => {}
            Some(_) = rounds.join_next() => {}
        }
    }

    /// Ends rounds that have had their places for long, so that slow receivers do not keep them.
    fn make_room(&self) {
        for held in self.leases().values_mut() {
            if held.began.elapsed() >= PLACE {
                held.lease.end();
            }
        }
    }

    /// Leases up to `limit` endpoints. `answered_at` is the time of the store's last answer.
    async fn lease(
        &self,
        limit: usize,
        answered_at: Instant,
    ) -> Result<Vec<(TrackedEndpoint, Lease)>, StoreError> {
        if limit == 0 {
            return Ok(Vec::new());
        }
        let settings = &self.parts.settings;
        let end = self.parts.stores.events.end().await?;
        // After an outage, first let other processes renew the leases of their unrecorded rounds.
        if answered_at.elapsed() > settings.lease.length / 2 {
            // A store that answers reads may not grant leases yet. An empty request finds out.
            let now = (self.parts.clock)();
            let none = LeaseQuery {
                holder: Uuid::now_v7(),
                until: now,
                now,
                end,
                limit: 0,
            };
            self.parts.stores.webhooks.lease(&none).await?;
            sleep(settings.lease.renew_every).await;
        }
        let has_lapsed = |Held { lease, .. }: &Held| !lease.lost().is_cancelled() && !lease.holds();
        if self.leases().values().any(has_lapsed) {
            self.renew().await?;
        }
        let (until, holder) = (settings.lease.until(), Uuid::now_v7());
        let now = (self.parts.clock)();
        let query = LeaseQuery {
            holder,
            until: now + settings.lease.length,
            now,
            end,
            limit,
        };
        let endpoints = self.parts.stores.webhooks.lease(&query).await?;
        let mut leases = self.leases();
        let with_lease = |tracked: TrackedEndpoint| {
            let endpoint = tracked.endpoint.id;
            let lease = Lease { endpoint, holder };
            let held = Held {
                lease: lease::Held::until(until),
                owner: None,
                began: Instant::now(),
                release: Release {
                    lease,
                    version: tracked.endpoint.version,
                    from: tracked.cursor,
                    to: tracked.cursor,
                    again_at: now,
                },
                is_over: false,
            };
            leases.insert(lease, held);
            (tracked, lease)
        };
        Ok(endpoints.into_iter().map(with_lease).collect())
    }

    /// Makes a round, which is repeated if it fails.
    async fn round(&self, tracked: TrackedEndpoint, lease: Lease, stop: &CancellationToken) {
        let (endpoint, from) = (lease.endpoint, tracked.cursor);
        match panics::caught(Box::pin(self.deliver(tracked, lease, stop))).await {
            Ok(RoundEnd::Recorded) => {
                self.leases().remove(&lease);
            }
            Ok(RoundEnd::Idle(round)) => self.end(lease, round.to, round.again_at),
            Ok(RoundEnd::Lost) => self.end(lease, from, (self.parts.clock)()),
            Err(error) => {
                tracing::warn!(%endpoint, %error, "deliveries are repeated");
                self.end(lease, from, (self.parts.clock)() + REST);
            }
        }
    }

    fn end(&self, lease: Lease, to: Cursor, again_at: OffsetDateTime) {
        if let Some(held) = self.leases().get_mut(&lease) {
            held.release.to = to;
            held.release.again_at = again_at;
            held.is_over = true;
        }
    }

    fn is_held(&self, lease: Lease) -> bool {
        let leases = self.leases();
        leases.get(&lease).is_some_and(|held| held.lease.holds())
    }

    async fn release(&self, is_ended: impl Fn(&Held) -> bool) {
        let ended: HashMap<_, _> = {
            let mut leases = self.leases();
            leases.extract_if(|_, held| is_ended(held)).collect()
        };
        if ended.is_empty() {
            return;
        }
        let ends: Vec<_> = ended.values().map(|held| held.release).collect();
        let released = self.parts.stores.webhooks.release(&ends);
        match panics::caught(released).await {
            Ok(()) => {}
            Err(error @ StoreError::Broken(_)) => {
                tracing::warn!(%error, "endpoints stay leased until their leases end");
            }
            Err(error) => {
                tracing::debug!(%error, "leases of endpoints are ended later");
                self.leases().extend(ended);
            }
        }
    }

    /// Renews leases while polled. Retries soon after a failure: after an outage, other processes
    /// wait only one renewal interval before they take expired leases.
    async fn keep(&self) {
        let renew = async || {
            self.renew().await?;
            Ok::<_, StoreError>(true)
        };
        self.parts.settings.lease.renew("webhooks", renew).await;
    }

    /// Renews all leases. Ends a round if its lease is lost, or its endpoint or owner has changed.
    async fn renew(&self) -> Result<(), StoreError> {
        let (asked, owners): (Vec<_>, HashSet<_>) = {
            let leases = self.leases();
            let owners = leases.values().filter_map(|held| held.owner);
            (
                leases.keys().copied().collect(),
                owners.map(|(id, _)| id).collect(),
            )
        };
        if asked.is_empty() {
            return Ok(());
        }
        let terms = self.parts.settings.lease;
        let (until, end) = (terms.until(), (self.parts.clock)() + terms.length);
        let Stores {
            webhooks, clients, ..
        } = &self.parts.stores;
        let renewed = panics::caught(async {
            let endpoints = webhooks.renew(&asked, end).await?;
            let owners: Vec<_> = owners.into_iter().collect();
            let owners = match &*owners {
                [] => HashMap::new(),
                owners => clients.versions(owners).await?,
            };
            Ok((endpoints, owners))
        });
        let renewed = timeout(terms.renew_every / 2, renewed).await;
        let late = |_| Err(StoreError::Unavailable("it takes too long".to_owned()));
        let (endpoints, owners) = renewed.unwrap_or_else(late)?;
        let mut leases = self.leases();
        for lease in asked {
            // A round that has ended has no lease.
            if let Some(held) = leases.get_mut(&lease) {
                let is_same_owner = |(id, version)| owners.get(&id) == Some(&version);
                held.lease.extend(until);
                if endpoints.get(&lease) != Some(&held.release.version)
                    || !held.owner.is_none_or(is_same_owner)
                {
                    held.lease.end();
                }
            }
        }
        Ok(())
    }

    fn note_owner(&self, lease: Lease, owner: Option<&Client>) {
        if let Some(held) = self.leases().get_mut(&lease) {
            held.owner = owner.map(|client| (client.id, client.version));
        }
    }

    fn leases(&self) -> MutexGuard<'_, HashMap<Lease, Held>> {
        self.leases.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
