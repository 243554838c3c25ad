//! The worker: in a service, or alone as `posthaste worker`.

use std::{process::ExitCode, sync::Arc};

use adapters_http::Readiness;
use adapters_mailerlite::Settings as ProviderSettings;
use adapters_webhooks::WebhookClient;
use anyhow::Context as _;
use enrichment::Model;
use kernel::trace::OptionalTracer;
use newsletter::subscriber::provider::Provider;
use runtime::{Throttle, clock};
use workers::{ActivityTask, Wake, WebhookParts, Worker, WorkerParts, WorkerSettings};

use crate::{
    admin::Admin, announce::Parts, cli::WorkerArgs, clock_skew, config::EnricherKind,
    database::Database, enricher, logging, provider, shutdown::StopSignals, supervisor::Supervisor,
    traces::Traces, webhooks,
};

/// A worker that is configured but not started.
pub(super) struct WorkerSetup {
    model: Option<Arc<dyn Model>>,
    provider: Arc<dyn Provider>,
    settings: WorkerSettings,
}

impl WorkerSetup {
    /// Prepares enricher and provider; starts nothing.
    pub fn new(
        enricher: &EnricherKind,
        accounts: &ProviderSettings,
        settings: WorkerSettings,
    ) -> anyhow::Result<Self> {
        let (model, settings) = enricher::prepare(enricher, settings)?;
        Ok(Self {
            model,
            provider: provider::connect(accounts)?,
            settings,
        })
    }

    /// Starts a worker.
    pub fn start(
        self,
        database: &Database,
        receivers: Arc<WebhookClient>,
        wake: Arc<Wake>,
        throttle: Throttle,
        tracer: OptionalTracer,
    ) -> anyhow::Result<Worker> {
        if self.model.is_some() {
            adapters_llm::describe_metrics();
        }
        let clock = clock::system();
        let worker = Worker::start(WorkerParts {
            store: Arc::clone(&database.store),
            newsletter: Arc::clone(&database.newsletter),
            outbox: Arc::clone(&database.outbox),
            events: Arc::clone(&database.events),
            accounts: Arc::clone(&database.accounts),
            subscribers: Arc::clone(&database.subscribers),
            drafts: Arc::clone(&database.drafts),
            sign_in_tokens: Arc::clone(&database.sign_in_tokens),
            retention: Arc::clone(&database.retention),
            enriching: workers::enriching(self.model, &database.drafts, &clock),
            provider: self.provider,
            webhooks: WebhookParts {
                endpoints: Arc::clone(&database.webhooks),
                postings: Arc::clone(&database.postings),
                clients: Arc::clone(&database.clients),
                sender: receivers,
                body: webhooks::body(),
            },
            clock,
            store_clock: Arc::clone(&database.clock),
            wake,
            throttle,
            tracer,
            settings: self.settings,
        });
        worker.context("cannot start background work")
    }
}

/// `posthaste worker`.
pub async fn run(args: &WorkerArgs) -> anyhow::Result<ExitCode> {
    let signals = StopSignals::listen().context("cannot listen to signals")?;
    let traces = Traces::start()?;
    let (enricher, accounts) = (args.enricher.kind()?, args.accounts.settings());
    let settings = WorkerSettings {
        lifetime: args.lifetime.lifetime,
        keep_events: args.events.keep,
        keep_expired_texts: args.retention.expired_texts(),
        reconciles: args.accounts.reconciles(),
        schedule: args.retries.schedule.clone(),
        ..WorkerSettings::default()
    };
    let receivers = webhooks::client(args.addresses.private)?;
    let setup = WorkerSetup::new(&enricher, &accounts, settings)?;
    let url = args.store.database();
    let database = Database::open(&url).await?;
    database.check_embedded(&url).await?;
    let _clocks = clock_skew::compare(&database.clock, &clock::system());
    let (wake, activities) = (Arc::<Wake>::default(), Arc::default());
    let database = database.observed(&wake, &activities, &traces.tracer());
    let activity = ActivityTask::start(&activities, &database.activity);
    // No API here, so no pushes to count.
    let readiness = Readiness::of_store(Arc::clone(&database.health));
    let admin = Admin::start(args.admin.bind(), database.for_metrics(), readiness, None)?;
    let worker = setup.start(
        &database,
        receivers,
        wake,
        Throttle(Arc::new(|| false)),
        traces.tracer(),
    )?;
    let parts = Parts {
        worker: Some((&enricher, &accounts)),
        has_webhook_secret: None,
    };
    parts.announce();
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
    Ok(ExitCode::SUCCESS)
}
