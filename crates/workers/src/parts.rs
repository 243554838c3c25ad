//! What a worker works with.

use std::sync::Arc;

use ::newsletter::{
    store::{Accounts, SubscriberReader},
    subscriber::provider::Provider,
};
use ::webhooks::{Sender, Webhooks};
use access::{Clients, sign_in::SignInTokens};
use domain::{
    catalogue::Catalogues,
    posting::PostingView,
    store::{PostingReader, Retention, Store},
};
use enrichment::DraftCache;
use kernel::{
    event::{Event, EventLog},
    outbox::Outbox,
    trace::OptionalTracer,
};
use runtime::{Clock, Throttle};

use crate::{enricher::Enriching, settings::WorkerSettings, wake::Wake};

/// What a worker works with.
pub struct WorkerParts {
    /// The state; should wake the worker, see [`ObservedStore`].
    pub store: Arc<dyn Store>,
    /// The subscribers; likewise.
    pub newsletter: Arc<dyn ::newsletter::store::Store>,
    /// The tasks.
    pub outbox: Arc<dyn Outbox>,
    /// The event log.
    pub events: Arc<dyn EventLog>,
    /// Who may speak to the provider's accounts.
    pub accounts: Arc<dyn Accounts>,
    /// Who ought to be on their lists.
    pub subscribers: Arc<dyn SubscriberReader>,
    /// The drafts of a model that were paid for.
    pub drafts: Arc<dyn DraftCache>,
    /// Links and sessions of the console.
    pub sign_in_tokens: Arc<dyn SignInTokens>,
    /// What is kept of postings that expired.
    pub retention: Arc<dyn Retention>,
    /// The catalogues.
    pub catalogues: Arc<dyn Catalogues>,
    /// The enricher, and its circuit breaker.
    pub enriching: Enriching,
    /// The e-mail provider.
    pub provider: Arc<dyn Provider>,
    /// Deliveries to webhooks.
    pub webhooks: WebhookParts,
    /// The store's clock.
    pub clock: Clock,
    /// This machine's clock, so that a store whose clock is ahead deletes nothing too early.
    pub machine_clock: Clock,
    /// Notifies of commits.
    pub wake: Arc<Wake>,
    /// When to give way.
    pub throttle: Throttle,
    /// Records enrichments and deliveries.
    pub tracer: OptionalTracer,
    /// How it works.
    pub settings: WorkerSettings,
}

/// Renders the body of a delivery: the event, and the posting if the endpoint wants it. An error is
/// a defect, in words.
pub type Body = Arc<dyn Fn(&Event, Option<&PostingView>) -> Result<Vec<u8>, String> + Send + Sync>;

/// The ports of deliveries, and the rendering of bodies.
pub struct WebhookParts {
    /// The endpoints, and how far each is.
    pub endpoints: Arc<dyn Webhooks>,
    /// The postings that events are about.
    pub postings: Arc<dyn PostingReader>,
    /// The owners of endpoints.
    pub clients: Arc<dyn Clients>,
    /// Makes the requests.
    pub sender: Arc<dyn Sender>,
    /// Renders their bodies.
    pub body: Body,
}
