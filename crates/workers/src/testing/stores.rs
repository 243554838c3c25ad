use std::sync::Arc;

use ::newsletter::testing::MemoryStore;
use ::webhooks::{AddressProblem, Attempt, Delivery, EndpointUrl, Sender};
use async_trait::async_trait;
use enrichment::Pipeline;
use kernel::outbox::{Backlog, Kind, Outbox as _, TaskRow};
use runtime::{Clock, Throttle};
use stores::Stores;

use super::FaultyStore;
use crate::{
    Enriching, ObservedStore, Observer, Wake, WorkerParts, WorkerSettings,
    newsletter::tests::Script,
};

struct NoSender;

#[async_trait]
impl Sender for NoSender {
    async fn send(&self, delivery: &Delivery<'_>) -> Attempt {
        panic!("nobody registered {}", delivery.url)
    }

    async fn check(&self, _: &EndpointUrl) -> Result<(), AddressProblem> {
        Err(AddressProblem::Unresolved)
    }
}

pub struct TestStores {
    pub faulty: Arc<FaultyStore>,
    pub waking: Arc<ObservedStore<FaultyStore>>,
    pub wake: Arc<Wake>,
}

impl TestStores {
    pub fn new() -> Self {
        let (faulty, wake) = (Arc::<FaultyStore>::default(), Arc::<Wake>::default());
        let observer = Observer {
            wake: Arc::clone(&wake),
            ..Observer::default()
        };
        Self {
            waking: Arc::new(ObservedStore::new(Arc::clone(&faulty), observer)),
            faulty,
            wake,
        }
    }

    pub fn memory(&self) -> &MemoryStore {
        &self.faulty.memory
    }

    /// The parts of a worker that enriches by rules and has no accounts of the e-mail provider.
    pub fn parts(&self, clock: &Clock, settings: &WorkerSettings) -> WorkerParts {
        WorkerParts {
            stores: Stores {
                store: Arc::clone(&self.waking) as _,
                newsletter: Arc::clone(&self.waking) as _,
                ..Stores::of(&self.faulty.memory)
            },
            enriching: Enriching {
                enricher: Arc::new(Pipeline::new(None, |_| {})),
                breaker: Arc::default(),
            },
            provider: Arc::new(Script::without_accounts()),
            sender: Arc::new(NoSender),
            body: Arc::new(|_, _, _| Ok(Vec::new())),
            clock: Arc::clone(clock),
            machine_clock: Arc::clone(clock),
            wake: Arc::clone(&self.wake),
            throttle: Throttle(Arc::new(|| false)),
            tracer: None,
            settings: settings.clone(),
        }
    }

    pub async fn backlogs(&self) -> Vec<Backlog> {
        self.memory().backlog(crate::kinds()).await.unwrap()
    }

    pub async fn backlog(&self, kind: Kind) -> Backlog {
        let backlogs = self.backlogs().await.into_iter();
        backlogs.into_iter().find(|one| one.kind == kind).unwrap()
    }

    pub async fn rows(&self, dead: bool) -> Vec<TaskRow> {
        let rows = self.memory().list(dead, None, usize::MAX);
        rows.await.unwrap()
    }
}
