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
mod settings;
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
    posting::Lifetime,
    store::{Retention, Store, StoreClock},
};
use enrichment::{DraftCache, Enricher};
use kernel::{event::EventLog, outbox::Outbox, trace::OptionalTracer};
use tokio::{task::JoinSet, time::timeout};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

pub use self::{
    breaker::ModelBreaker,
    settings::WorkerSettings,
    throttle::{BusyProbe, Throttle},
    wake::{ObservedStore, Observer, Wake},
    webhooks::{Body, WebhookParts},
};
use self::{
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
use crate::clock::Clock;

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
    pub store_clock: Arc<dyn StoreClock>,
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
    store_clock: Arc<dyn StoreClock>,
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
            store_clock: Arc::clone(&self.store_clock),
            throttle: self.throttle.clone(),
        };
        loops.spawn(forget::run(events, every, stop.clone()));
        if let Some(keep) = self.settings.keep_expired_texts {
            let texts = ForgottenTexts {
                retention: self.retention,
                keep,
                clock: Arc::clone(&self.clock),
                store_clock: self.store_clock,
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
            store_clock,
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
            store_clock,
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
