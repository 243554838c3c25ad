//! What a worker works with.

use std::sync::Arc;

use ::newsletter::subscriber::provider::Provider;
use ::webhooks::Sender;
use domain::posting::PostingView;
use kernel::{event::Event, trace::OptionalTracer};
use runtime::{Clock, Throttle};
use stores::Stores;

use crate::{enricher::Enriching, settings::WorkerSettings, wake::Wake};

/// What a worker works with.
pub struct WorkerParts {
    /// The ports of the store. Commits should wake the worker, see
    /// [`Observer`](crate::Observer).
    pub stores: Stores,
    /// The enricher, and its circuit breaker.
    pub enriching: Enriching,
    /// The e-mail provider.
    pub provider: Arc<dyn Provider>,
    /// Calls the receivers of webhooks.
    pub sender: Arc<dyn Sender>,
    /// Renders the bodies of deliveries.
    pub body: Body,
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
