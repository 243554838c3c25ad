//! The worker: in a service, or alone as `posthaste worker`.

use std::{process::ExitCode, sync::Arc, time::Duration};

use ::webhooks::RetrySchedule;
use adapters_http::Readiness;
use adapters_mailerlite::Settings as ProviderSettings;
use adapters_webhooks::WebhookClient;
use anyhow::Context as _;
use domain::posting::Lifetime;
use kernel::trace::OptionalTracer;
use newsletter::subscriber::provider::Provider;

use crate::{
    activity::ActivityTask,
    admin::Admin,
    announce::Parts,
    cli::WorkerArgs,
    clock,
    config::EnricherKind,
    database::Database,
    enricher::{Enriching, Prepared},
    logging, provider,
    shutdown::StopSignals,
    supervisor::Supervisor,
    traces::Traces,
    webhooks,
    worker::{BusyProbe, Wake, WebhookParts, Worker, WorkerParts, WorkerSettings},
};

/// The options of a worker.
#[derive(Clone, Debug)]
pub(super) struct WorkerOptions {
    pub lifetime: Lifetime,
    pub keep_events: Duration,
    pub keep_expired_texts: Option<Duration>,
    pub reconciles: bool,
    /// When deliveries to webhooks are tried again.
    pub schedule: RetrySchedule,
    pub tracer: OptionalTracer,
}

/// A worker that is configured but not started.
pub(super) struct WorkerSetup {
    enricher: Prepared,
    provider: Arc<dyn Provider>,
    options: WorkerOptions,
}

impl WorkerSetup {
    /// Prepares enricher and provider; starts nothing.
    pub fn new(
        enricher: &EnricherKind,
        accounts: &ProviderSettings,
        options: WorkerOptions,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            enricher: Prepared::new(enricher)?,
            provider: provider::connect(accounts)?,
            options,
        })
    }

    /// Starts a worker.
    pub fn start(
        self,
        database: &Database,
        receivers: Arc<WebhookClient>,
        wake: Arc<Wake>,
        is_busy: BusyProbe,
    ) -> anyhow::Result<Worker> {
        self.enricher.describe_metrics();
        let Enriching {
            enricher,
            breaker,
            settings,
        } = self
            .enricher
            .with(Arc::clone(&database.drafts), clock::system());
        let worker = Worker::start(WorkerParts {
            store: Arc::clone(&database.store),
            newsletter: Arc::clone(&database.newsletter),
            outbox: Arc::clone(&database.outbox),
            events: Arc::clone(&database.events),
            accounts: Arc::clone(&database.accounts),
            subscribers: Arc::clone(&database.subscribers),
            drafts: Arc::clone(&database.drafts),
            passes: Arc::clone(&database.passes),
            retention: Arc::clone(&database.retention),
            enricher,
            breaker,
            provider: self.provider,
            webhooks: WebhookParts {
                endpoints: Arc::clone(&database.webhooks),
                postings: Arc::clone(&database.postings),
                clients: Arc::clone(&database.clients),
                sender: receivers,
                body: webhooks::body(),
                schedule: self.options.schedule,
            },
            lifetime: self.options.lifetime,
            clock: clock::system(),
            store_clock: Arc::clone(&database.clock),
            wake,
            is_busy,
            tracer: self.options.tracer,
            settings: WorkerSettings {
                reconciles: self.options.reconciles,
                keep_events: self.options.keep_events,
                keep_expired_texts: self.options.keep_expired_texts,
                ..settings
            },
        });
        worker.context("cannot start background work")
    }
}

/// `posthaste worker`.
pub async fn run(args: &WorkerArgs) -> anyhow::Result<ExitCode> {
    let signals = StopSignals::listen().context("cannot listen to signals")?;
    let traces = Traces::start()?;
    let (enricher, accounts) = (args.enricher.kind()?, args.accounts.settings());
    let options = WorkerOptions {
        lifetime: args.lifetime.lifetime,
        keep_events: args.events.keep,
        keep_expired_texts: args.retention.expired_texts(),
        reconciles: args.accounts.reconciles(),
        schedule: args.retries.schedule.clone(),
        tracer: traces.tracer(),
    };
    let receivers = webhooks::client(args.addresses.private)?;
    let setup = WorkerSetup::new(&enricher, &accounts, options)?;
    let url = args.store.database();
    let database = Database::open(&url).await?;
    database.check_embedded(&url).await?;
    let _clocks = clock::compare(&database.clock, &clock::system());
    let (wake, activities) = (Arc::<Wake>::default(), Arc::default());
    let database = database.observed(&wake, &activities, &traces.tracer());
    let activity = ActivityTask::start(&activities, &database.activity);
    // No API here, so no pushes to count.
    let readiness = Readiness::of_store(Arc::clone(&database.health));
    let admin = Admin::start(args.admin.bind(), database.for_metrics(), readiness, None)?;
    let worker = setup.start(&database, receivers, wake, Arc::new(|| false))?;
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
