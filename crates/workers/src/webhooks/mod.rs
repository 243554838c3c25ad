//! Delivers events to webhook endpoints.
//!
//! A worker leases endpoints with something to do and makes a [round](deliver) for each, many at
//! the same time. While rounds are under way, their leases are renewed. A round ends early when its
//! lease is over, its endpoint has changed or the worker stops: it begins no more attempts, waits
//! for those under way, and is recorded like any other, for the store knows whether it may be.
//! Workers of several processes share the endpoints by their leases.

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

/// The most rounds of a process that are under way. Each may always have one attempt under way,
/// however many the other rounds have.
const ROUNDS: usize = 128;

/// The time for which a round has its place, once all places are taken and others may wait.
const PLACE: Duration = Duration::from_secs(5);

/// The least time between two questions for endpoints: a board with many pushes a second does not
/// ask as often, whether there are endpoints or not.
const TICK: Duration = Duration::from_millis(50);

/// The most attempts that are under way beyond the first of each round, in all rounds together. A
/// round begins further ones up to its share of them, so that slow receivers do not keep them all.
const FURTHER_ATTEMPTS: usize = 128;

enum RoundEnd {
    /// It is recorded, which ended the lease.
    Recorded,
    /// It came to nothing but events to pass, and its lease is to be ended so.
    Idle(Box<Round>),
    /// It is void: the endpoint was moved back or deleted, or the lease is another process's.
    Lost,
}

/// Starts the deliveries.
pub(super) fn start(parts: &Arc<WorkerParts>, loops: &mut Loops) {
    let deliveries = Deliveries::new(Arc::clone(parts));
    loops.spawn(|stop| deliveries.run(stop));
}

/// Delivers events to all endpoints.
pub(super) struct Deliveries {
    parts: Arc<WorkerParts>,
    /// Notifies of events that this process has committed.
    recorded: Arc<Notify>,
    /// Permits for further attempts.
    attempts: Semaphore,
    /// The number of rounds that make attempts.
    attempting: AtomicUsize,
    /// The leases of this process.
    leases: Mutex<HashMap<Lease, Held>>,
}

/// The lease of a round. Its [end](lease::Held::end) ends the round: the lease was lost, the
/// endpoint or its owner changed, or other endpoints wait for its place.
#[derive(Debug)]
struct Held {
    lease: lease::Held,
    /// The client that owns the endpoint, as the round knows it.
    owner: Option<(ClientId, Version)>,
    /// When it began.
    began: Instant,
    /// The changes that its end writes; none until its round is over.
    release: Release,
    /// Whether the round is over, and the lease is to be ended.
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
        this.release(|_| true).await;
    }

    /// Starts rounds until it is stopped.
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
            // Not cut short by the stop, so that no endpoint is leased in vain.
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

    /// Waits until there may be endpoints to lease: after a commit with events, the end of a round,
    /// or a while.
    async fn pause(&self, rounds: &mut JoinSet<()>) {
        let has_room = rounds.len() < ROUNDS;
        tokio::select! {
            () = sleep(waits::jittered(self.parts.settings.poll_every)) => {}
            () = self.recorded.notified(), if has_room => {}
            Some(_) = rounds.join_next() => {}
        }
    }

    /// Ends the rounds that have had their places for long, so that slow receivers do not keep all
    /// places.
    fn make_room(&self) {
        for held in self.leases().values_mut() {
            if held.began.elapsed() >= PLACE {
                held.lease.end();
            }
        }
    }

    /// Leases up to `limit` endpoints with something to do. `answered_at` is when the store
    /// answered last.
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
        // After an outage, the endpoints of rounds that are still to be recorded are not free:
        // those of this process, and those of others, which renew their leases within this time.
        if answered_at.elapsed() > settings.lease.length / 2 {
            // The store is back once it takes leases, not only when it can be read.
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

    /// Makes a round for a leased endpoint. A round that fails is made again.
    async fn round(&self, tracked: TrackedEndpoint, lease: Lease, stop: &CancellationToken) {
        let (endpoint, from) = (lease.endpoint, tracked.cursor);
        match panics::caught(Box::pin(self.deliver(tracked, lease, stop))).await {
            Ok(RoundEnd::Recorded) => {
                self.leases().remove(&lease);
            }
            Ok(RoundEnd::Idle(round)) => self.end(lease, round.to, round.again_at),
            Ok(RoundEnd::Lost) => self.end(lease, from, (self.parts.clock)()),
            Err(error) => {
                tracing::warn!(%endpoint, %error, "deliveries are made again");
                self.end(lease, from, (self.parts.clock)() + REST);
            }
        }
    }

    /// Marks a lease that is to be ended.
    fn end(&self, lease: Lease, to: Cursor, again_at: OffsetDateTime) {
        if let Some(held) = self.leases().get_mut(&lease) {
            held.release.to = to;
            held.release.again_at = again_at;
            held.is_over = true;
        }
    }

    /// Whether a round may go on: its lease is held, and its endpoint has not changed.
    fn is_held(&self, lease: Lease) -> bool {
        let leases = self.leases();
        leases.get(&lease).is_some_and(|held| held.lease.holds())
    }

    /// Ends leases, all in one commit. Those that could not be ended are tried again.
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

    /// Renews the leases of rounds that are under way, for as long as it is polled. After a failure
    /// it tries again soon: once the store is back, other processes wait for it no longer than the
    /// time between two renewals.
    async fn keep(&self) {
        let renew = async || {
            self.renew().await?;
            Ok::<_, StoreError>(true)
        };
        self.parts.settings.lease.renew("webhooks", renew).await;
    }

    /// Renews the leases. A lost one ends its round, and so does a change of the endpoint or of
    /// the client that owns it.
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
            // A round that has ended meanwhile has no lease any more.
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

    /// Notes the owner by which a round goes.
    fn note_owner(&self, lease: Lease, owner: Option<&Client>) {
        if let Some(held) = self.leases().get_mut(&lease) {
            held.owner = owner.map(|client| (client.id, client.version));
        }
    }

    fn leases(&self) -> MutexGuard<'_, HashMap<Lease, Held>> {
        self.leases.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
