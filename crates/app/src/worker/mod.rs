//! The background worker, which carries out the effects of commits.
//!
//! Several loops run side by side, so that none waits for another: [`enrich`] enriches postings,
//! [`duplicates`] looks up anew which ones duplicate each other, [`newsletter`] tells the e-mail
//! provider, [`event`] follows the event log for the newsletter, [`webhooks`] delivers events to
//! receivers, [`expiry`] ends lifetimes, [`forget`] deletes old drafts and events, and texts of
//! postings that expired. The first three live on the outbox:
//! [`poll`] claims tasks and keeps their leases, [`tasks`] decides about a failed one. A commit of
//! this process wakes them ([`wake`]); for the commits of others they look every second. While many
//! clients push they give way ([`throttle`]), and long computations have threads of low priority
//! ([`background`]).
//!
//! An enricher that is somewhere else has several loops, each with one posting at a time, and a
//! [`breaker`] for when it is to be left alone, as the e-mail provider has one for each
//! account.
//!
//! None of them ever dies: what fails is logged and tried again, and a panic is a failure. A batch
//! that fails as a whole is gone through task by task ([`split`]). The process may die, though, and
//! of one task: one whose worker died is worked on alone ([`quarantine`]), and given up after three
//! deaths.

mod background;
mod breaker;
mod duplicates;
mod enrich;
mod event;
mod expiry;
mod forget;
mod newsletter;
mod poll;
mod quarantine;
mod split;
mod tasks;
mod throttle;
mod wake;
mod webhooks;

#[cfg(test)]
mod tests;

use std::{io, sync::Arc, time::Duration};

use ::newsletter::{
    store::{Accounts, SubscriberReader},
    subscriber::provider::Provider,
};
use access::sign_in::Passes;
use domain::{
    enrichment::{DraftCache, Enricher},
    posting::Lifetime,
    store::{Health, Retention, Store},
};
use kernel::{event::EventLog, outbox::Outbox, trace::OptionalTracer};
use tokio::{task::JoinSet, time::timeout};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use self::{
    background::Background,
    duplicates::Searches,
    enrich::Enrichments,
    event::Listener,
    expiry::Expiry,
    forget::{ForgottenEvents, ForgottenRows, ForgottenTexts},
    newsletter::Newsletter,
    quarantine::Quarantine,
    tasks::Tasks,
    webhooks::{Deliveries, DeliveryParts, DeliverySettings},
};
pub use self::{
    breaker::ModelBreaker,
    throttle::{BusyProbe, Throttle},
    wake::{ObservedStore, Observer, Wake},
    webhooks::{Body, WebhookParts},
};
use crate::{clock::Clock, cores};

/// How a worker works.
#[derive(Clone, Copy, Debug)]
pub struct WorkerSettings {
    /// How long a claim holds unless it is renewed.
    pub lease: Duration,
    /// How often claims are renewed.
    pub renew_every: Duration,
    /// How long an idle worker waits before it looks for commits of other processes.
    pub poll_every: Duration,
    /// How often lifetimes are ended.
    pub sweep_every: Duration,
    /// How often old drafts, events and texts are deleted.
    pub forget_every: Duration,
    /// How long an event is kept.
    pub keep_events: Duration,
    /// How long after its expiry a posting keeps its texts; `None` for ever.
    pub keep_expired_texts: Option<Duration>,
    /// How many loops enrich.
    pub enrich_loops: usize,
    /// How many postings a loop claims at once: the outcomes share a commit, and are lost
    /// together when the process dies.
    pub claim_for_enrichment: usize,
    /// How many of them it enriches at the same time.
    pub enrich_at_once: usize,
    /// Whether the enricher computes for long and has threads of its own; otherwise it mostly
    /// waits.
    pub enrich_aside: bool,
    /// How long one enrichment may take.
    pub enrich_within: Duration,
    /// How many loops work on each queue for the e-mail provider: calls overlap, so that an
    /// account that takes two seconds to answer still gets all the requests that it takes.
    pub provider_loops: usize,
    /// Whether the accounts' lists are read, before the first sync and every night.
    pub reconciles: bool,
    /// How often a worker looks whether it may speak to the provider's accounts.
    pub lease_accounts_every: Duration,
    /// How long a stop waits for what is under way.
    pub stop_within: Duration,
}

impl Default for WorkerSettings {
    fn default() -> Self {
        Self {
            lease: Duration::from_secs(30),
            renew_every: Duration::from_secs(10),
            poll_every: Duration::from_secs(1),
            sweep_every: Duration::from_secs(20),
            forget_every: Duration::from_hours(1),
            keep_events: Duration::from_hours(30 * 24),
            keep_expired_texts: Some(Duration::from_hours(30 * 24)),
            enrich_loops: 1,
            claim_for_enrichment: 64,
            // The other half is for those who push.
            enrich_at_once: cores::half(),
            enrich_aside: true,
            enrich_within: Duration::from_mins(2),
            provider_loops: 4,
            reconciles: false,
            lease_accounts_every: Duration::from_secs(5),
            stop_within: Duration::from_secs(10),
        }
    }
}

impl WorkerSettings {
    /// The threads that enrich.
    fn threads(&self) -> io::Result<Background> {
        if self.enrich_aside {
            Background::new(self.enrich_at_once)
        } else {
            Ok(Background::none())
        }
    }
}

impl From<WorkerSettings> for DeliverySettings {
    fn from(settings: WorkerSettings) -> Self {
        Self {
            lease: settings.lease,
            renew_every: settings.renew_every,
            poll_every: settings.poll_every,
            stop_within: settings.stop_within,
        }
    }
}

/// What a worker works with.
pub struct WorkerParts {
    /// The state; should wake the worker, see [`ObservedStore`].
    pub store: Arc<dyn Store>,
    /// The subscribers; likewise.
    pub newsletter: Arc<dyn ::newsletter::store::Store>,
    pub outbox: Arc<dyn Outbox>,
    pub events: Arc<dyn EventLog>,
    /// Who may speak to the provider's accounts.
    pub accounts: Arc<dyn Accounts>,
    /// Who ought to be on their lists.
    pub subscribers: Arc<dyn SubscriberReader>,
    pub drafts: Arc<dyn DraftCache>,
    /// Links and sessions of the console.
    pub passes: Arc<dyn Passes>,
    /// What is kept of postings that expired.
    pub retention: Arc<dyn Retention>,
    pub enricher: Arc<dyn Enricher>,
    /// Open while the enricher is to be left alone.
    pub breaker: Arc<ModelBreaker>,
    pub provider: Arc<dyn Provider>,
    /// Deliveries to webhooks.
    pub webhooks: WebhookParts,
    pub lifetime: Lifetime,
    pub clock: Clock,
    /// Knows the store's clock.
    pub health: Arc<dyn Health>,
    pub wake: Arc<Wake>,
    /// When to give way.
    pub is_busy: BusyProbe,
    /// Records enrichments and deliveries.
    pub tracer: OptionalTracer,
    pub settings: WorkerSettings,
}

/// The work that takes away what is over.
struct Sweeps {
    store: Arc<dyn Store>,
    drafts: Arc<dyn DraftCache>,
    passes: Arc<dyn Passes>,
    events: Arc<dyn EventLog>,
    retention: Arc<dyn Retention>,
    clock: Clock,
    health: Arc<dyn Health>,
    throttle: Throttle,
    lifetime: Lifetime,
    settings: WorkerSettings,
}

impl Sweeps {
    fn start(self, loops: &mut JoinSet<()>, stop: &CancellationToken) {
        let every = self.settings.forget_every;
        let rows = ForgottenRows {
            drafts: self.drafts,
            passes: self.passes,
            clock: Arc::clone(&self.clock),
        };
        loops.spawn(forget::run(rows, every, stop.clone()));
        let events = ForgottenEvents {
            events: self.events,
            keep: self.settings.keep_events,
            clock: Arc::clone(&self.clock),
            health: Arc::clone(&self.health),
            throttle: self.throttle.clone(),
        };
        loops.spawn(forget::run(events, every, stop.clone()));
        if let Some(keep) = self.settings.keep_expired_texts {
            let texts = ForgottenTexts {
                retention: self.retention,
                keep,
                clock: Arc::clone(&self.clock),
                health: self.health,
                throttle: self.throttle.clone(),
            };
            loops.spawn(forget::run(texts, every, stop.clone()));
        }
        if self.lifetime.is_limited() {
            let expiry = Expiry {
                store: self.store,
                clock: self.clock,
                every: self.settings.sweep_every,
                throttle: self.throttle,
            };
            loops.spawn(expiry.run(stop.clone()));
        }
    }
}

/// A running worker.
pub struct Worker {
    loops: JoinSet<()>,
    stop: CancellationToken,
    stop_within: Duration,
}

impl Worker {
    /// Starts to work. Fails when there can be no threads for it.
    pub fn start(parts: WorkerParts) -> io::Result<Self> {
        let WorkerParts {
            store,
            newsletter,
            outbox,
            events,
            accounts,
            subscribers,
            drafts,
            passes,
            retention,
            enricher,
            breaker,
            provider,
            webhooks,
            lifetime,
            clock,
            health,
            wake,
            is_busy,
            tracer,
            settings,
        } = parts;
        let tasks = Tasks {
            outbox,
            clock: Arc::clone(&clock),
            settings,
            throttle: Throttle(is_busy),
            quarantine: Arc::new(Quarantine::default()),
        };
        let stop = CancellationToken::new();
        let mut loops = JoinSet::new();

        let listener = Listener {
            log: Arc::clone(&events),
            store: Arc::clone(&newsletter),
            wake: Arc::clone(&wake),
            clock: Arc::clone(&clock),
            throttle: tasks.throttle.clone(),
            poll_every: settings.poll_every,
        };
        loops.spawn(listener.run(stop.clone()));
        let clients = Arc::clone(&webhooks.clients);
        let searches = Searches {
            store: Arc::clone(&store),
            clients: Arc::clone(&clients),
            tasks: tasks.clone(),
        };
        searches.start(Arc::clone(&wake), &mut loops, &stop);
        let deliveries = Deliveries::new(DeliveryParts {
            webhooks,
            log: Arc::clone(&events),
            clock: Arc::clone(&clock),
            recorded: wake.deliveries(),
            tracer: tracer.clone(),
            settings: settings.into(),
        });
        loops.spawn(deliveries.run(stop.clone()));
        let enrichments = Arc::new(Enrichments {
            store: Arc::clone(&store),
            clients,
            enricher,
            breaker,
            lifetime,
            tasks: tasks.clone(),
            threads: settings.threads()?,
            tracer,
        });
        for _ in 0..settings.enrich_loops.max(1) {
            let (handler, wake) = (Arc::clone(&enrichments), Arc::clone(&wake));
            loops.spawn(poll::run(tasks.clone(), handler, wake, stop.clone()));
        }
        let newsletter = Newsletter {
            store: newsletter,
            leases: accounts,
            subscribers,
            provider,
            tasks: tasks.clone(),
            wake,
            holder: Uuid::now_v7(),
        };
        loops.spawn(newsletter.run(stop.clone()));
        let sweeps = Sweeps {
            store,
            drafts,
            passes,
            events,
            retention,
            clock,
            health,
            throttle: tasks.throttle,
            lifetime,
            settings,
        };
        sweeps.start(&mut loops, &stop);
        Ok(Self {
            loops,
            stop,
            stop_within: settings.stop_within,
        })
    }

    /// Claims nothing more, finishes what is under way or gives it back, and ends. Whatever it
    /// cannot even give back is somebody else's once its lease ends.
    pub async fn stop(mut self) {
        self.stop.cancel();
        let ended = async {
            while let Some(ended) = self.loops.join_next().await {
                if let Err(error) = ended {
                    tracing::error!(%error, "a background loop ended badly");
                }
            }
        };
        // The loops keep to the limit themselves; this is for a store that does not answer.
        if timeout(self.stop_within + Duration::from_secs(2), ended)
            .await
            .is_err()
        {
            tracing::warn!("background work was cut off; it is due again when its lease ends");
        }
    }
}
