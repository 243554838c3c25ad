//! The worker: in a service, or as the process `posthaste worker`.

use std::sync::Arc;

use adapters_http::Readiness;
use adapters_webhooks::WebhookClient;
use anyhow::Context as _;
use clap::Args;
use enrichment::Model;
use kernel::trace::OptionalTracer;
use newsletter::subscriber::provider::Provider;
use runtime::{Loops, Throttle, clock};
use stores::Stores;
use workers::{Activities, Observer, Wake, WorkerParts, WorkerSettings};

use super::{
    admin, announce, enricher, provider,
    traces::Traces,
    webhooks::{self, LinkBases},
};
use crate::{
    args::{AdminArgs, StoreArgs, WorkArgs, values::root_url},
    database, logging,
    shutdown::StopSignals,
    supervisor::Supervisor,
};

pub(super) struct WorkerSetup {
    model: Option<Arc<dyn Model>>,
    provider: Arc<dyn Provider>,
    receivers: Arc<WebhookClient>,
    body: workers::Body,
    settings: WorkerSettings,
}

impl WorkerSetup {
    pub fn new(work: &WorkArgs, links: LinkBases) -> anyhow::Result<Self> {
        let (model, settings) = enricher::prepare(&work.enricher.kind()?, work.settings())?;
        Ok(Self {
            model,
            provider: provider::connect(&work.accounts.settings(), None)?,
            receivers: webhooks::client(work.addresses.private)?,
            body: webhooks::body(work.appeal.appeal_url.clone(), links),
            settings,
        })
    }

    pub fn start(
        self,
        database: &Stores,
        wake: Arc<Wake>,
        throttle: Throttle,
        tracer: OptionalTracer,
    ) -> anyhow::Result<Loops> {
        let clock = clock::system();
        let worker = workers::start(WorkerParts {
            stores: database.clone(),
            enriching: workers::enriching(self.model, &database.drafts, &clock),
            provider: self.provider,
            sender: self.receivers,
            body: self.body,
            clock,
            machine_clock: Arc::new(clock::machine),
            wake,
            throttle,
            tracer,
            settings: self.settings,
        });
        worker.context("cannot start background work")
    }
}

/// Run only the background workers
#[derive(Debug, Args)]
pub struct Worker {
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    pub work: WorkArgs,
    #[command(flatten)]
    links: LinkArgs,
    #[command(flatten)]
    pub admin: AdminArgs,
}

/// The base of links in deliveries, the same as for `serve`.
#[derive(Debug, Args)]
struct LinkArgs {
    /// The address that clients know, for links
    #[arg(
        long,
        value_name = "URL",
        default_value = "http://127.0.0.1:8080",
        value_parser = root_url("the service is at the root of its host")
    )]
    public_url: String,

    /// The address of the operators' console, for links
    #[arg(
        long,
        value_name = "URL",
        default_value = "http://127.0.0.1:8081",
        value_parser = root_url("the console is at the root of its host")
    )]
    console_url: String,
}

impl LinkArgs {
    fn bases(&self) -> LinkBases {
        LinkBases {
            console: self.console_url.clone(),
            public: self.public_url.clone(),
        }
    }
}

impl Worker {
    pub async fn run(self) -> anyhow::Result<()> {
        let signals = StopSignals::listen().context("cannot listen to signals")?;
        let traces = Traces::start()?;
        let setup = WorkerSetup::new(&self.work, self.links.bases())?;
        webhooks::warn_without_https(&setup.receivers);
        let url = self.store.database();
        let database = database::open(&url).await?;
        database::check_embedded(&database, &url).await?;
        let _clocks = clock::follow(&database.clock);
        let (wake, activities) = (Arc::<Wake>::default(), Arc::<Activities>::default());
        let observer = Observer {
            wake: Arc::clone(&wake),
            activities: Arc::clone(&activities),
            tracer: traces.tracer(),
        };
        let database = observer.observe(database);
        let activity = activities.start(&database.activity);
        // This process has no API, so it counts no pushes.
        let readiness = Readiness::of_store(Arc::clone(&database.health));
        let has_newsletter = self.work.accounts.settings().has_account();
        let admin = admin::start(&self.admin, (&database, has_newsletter), readiness, None)?;
        let throttle = Throttle(Arc::new(|| false));
        let worker = setup.start(&database, wake, throttle, traces.tracer())?;
        announce::parts(Some(&self.work), None)?;
        logging::announce("Posthaste works in the background.");
        let supervisor = Supervisor::ready();
        signals.asked().await;
        drop(supervisor);
        worker.stop().await;
        activity.stop().await;
        traces.stop().await;
        if let Some(admin) = admin {
            admin.stop().await;
        }
        tracing::info!("stopped");
        Ok(())
    }
}
