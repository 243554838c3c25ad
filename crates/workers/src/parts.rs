use std::sync::Arc;

use ::newsletter::subscriber::provider::Provider;
use ::webhooks::{Owner, Sender};
use domain::posting::PostingView;
use kernel::{event::Event, trace::OptionalTracer};
use runtime::{Clock, Throttle};
use stores::Stores;
use time::OffsetDateTime;

use crate::{enricher::Enriching, settings::WorkerSettings, wake::Wake};

pub struct WorkerParts {
    /// The commits of these stores should wake the worker (see [`Observer`](crate::Observer)).
    pub stores: Stores,
    pub enriching: Enriching,
    pub provider: Arc<dyn Provider>,
    pub sender: Arc<dyn Sender>,
    pub body: Body,
    pub clock: Clock,
    pub machine_clock: Clock,
    pub wake: Arc<Wake>,
    pub throttle: Throttle,
    pub tracer: OptionalTracer,
    pub settings: WorkerSettings,
}

impl WorkerParts {
    /// The earlier of this machine's time and the store's, for work that must not happen too early.
    pub(crate) fn earlier_now(&self) -> OffsetDateTime {
        (self.clock)().min((self.machine_clock)())
    }
}

/// Renders the body of a delivery to an owner's endpoint: the event and, if wanted, the posting.
pub type Body =
    Arc<dyn Fn(Owner, &Event, Option<&PostingView>) -> Result<Vec<u8>, String> + Send + Sync>;
