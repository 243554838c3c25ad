//! The whole service: database, lanes, metrics, API and worker, started and stopped in order.
//!
//! [`Service::start`] runs it inside any program; [`run`] and [`run_worker`] are the commands
//! `posthaste serve` and `posthaste worker`.

mod worker;

use std::{net::SocketAddr, path::PathBuf, process::ExitCode, sync::Arc, time::Duration};

use ::webhooks::PrivateAddresses;
use adapters_http::{
    Application, BuildError, HttpSettings, Ports, StopHandle, Timeouts, WebhookPorts,
    oauth::KeyFolder,
};
use adapters_mailerlite::Settings as ProviderSettings;
use adapters_postgres::PostgresUrl;
use adapters_webhooks::WebhookClient;
use anyhow::{Context as _, anyhow};
use domain::{posting::Lifetime, usecase::Ingest};
use ingest::{ImportPorts, ImportTasks, Importer, LaneSettings, LaneTasks, Lanes};
use kernel::trace::OptionalTracer;
use runtime::{Throttle, clock};
use secrecy::SecretString;
use tokio::task::JoinHandle;
use tokio_util::task::AbortOnDropHandle;
use workers::{Activities, ActivityTask, Wake, Worker, WorkerSettings};

use self::worker::WorkerSetup;
pub use self::worker::run as run_worker;
use crate::{
    admin::Admin,
    announce::Parts,
    cli::ServeArgs,
    clock_skew,
    config::{AdminBind, DatabaseUrl, EnricherKind},
    console::{ConsoleConfig, ConsoleServer},
    database::{Database, Outdated},
    descriptors, exposure, logging,
    metrics::Serving,
    misconfigured::Misconfigured,
    newsletter_service::{Links, NewsletterService},
    reads::{self, ReadTasks},
    shutdown::StopSignals,
    signing_keys,
    supervisor::Supervisor,
    traces::Traces,
    webhooks,
};

/// The configuration of a service.
#[derive(Clone, Debug)]
pub struct ServiceConfig {
    /// The store.
    pub database: DatabaseUrl,
    /// The treatment of a schema that lacks migrations.
    pub outdated: Outdated,
    /// A replica of the database to read from.
    pub replica: Option<PostgresUrl>,
    /// The directory of the signing keys. If it has none, one is made for an embedded store.
    pub keys: PathBuf,
    /// The address to listen on; port 0 takes a free one.
    pub bind: SocketAddr,
    /// The URL that clients use; `None` for the address that is listened on.
    pub public_url: Option<String>,
    /// The lifetime of a token.
    pub token_ttl: Duration,
    /// The largest request body, in bytes.
    pub body_limit: usize,
    /// The largest import, in bytes after unpacking.
    pub import_limit: u64,
    /// Threads that read requests and write answers.
    pub http_threads: usize,
    /// Connections that are served at a time, if the limit of open files allows it.
    pub max_connections: usize,
    /// The lanes of pushes.
    pub lanes: LaneSettings,
    /// How a worker works, and how long postings live.
    pub work: WorkerSettings,
    /// The worker's enricher; `None` runs no worker.
    pub enricher: Option<EnricherKind>,
    /// The e-mail provider's accounts.
    pub accounts: ProviderSettings,
    /// The effect of the migration links in e-mails.
    pub links: Links,
    /// Whether receivers of webhooks may have private addresses.
    pub private: PrivateAddresses,
    /// The secrets with which the e-mail provider signs its deliveries.
    pub webhook_secrets: Vec<SecretString>,
    /// The name of the board on the newsletter's pages.
    pub board_name: String,
    /// The address of `/metrics` and health checks.
    pub admin: AdminBind,
    /// The operators' console.
    pub console: ConsoleConfig,
    /// Records spans.
    pub tracer: OptionalTracer,
}

impl TryFrom<&ServeArgs> for ServiceConfig {
    type Error = Misconfigured;

    fn try_from(args: &ServeArgs) -> Result<Self, Misconfigured> {
        let enricher = (!args.no_worker).then(|| args.enricher.kind());
        if args.read_database_url.is_some() && args.store.database().is_embedded() {
            return Err(Misconfigured(
                "POSTHASTE_READ_DATABASE_URL: the embedded database has no replicas; name its \
                 primary in DATABASE_URL"
                    .to_owned(),
            ));
        }
        Ok(Self {
            database: args.store.database(),
            outdated: if args.migrate {
                Outdated::Migrate
            } else {
                Outdated::MigrateEmbedded
            },
            replica: args.read_database_url.clone(),
            keys: args.store.data_dir.keys(),
            bind: args.http.bind,
            public_url: args.http.public_url.clone(),
            token_ttl: args.http.token_ttl,
            body_limit: args.http.body_limit,
            import_limit: args.http.import_limit,
            http_threads: args.http.threads(),
            max_connections: args.http.max_connections,
            lanes: args.lanes(),
            work: WorkerSettings {
                lifetime: args.lifetime.lifetime,
                keep_events: args.events.keep,
                keep_expired_texts: args.retention.expired_texts(),
                reconciles: args.accounts.reconciles(),
                schedule: args.retries.schedule.clone(),
                ..WorkerSettings::default()
            },
            enricher: enricher.transpose()?,
            accounts: args.accounts.settings(),
            links: args.accounts.links(),
            private: args.addresses.private,
            webhook_secrets: args.webhook.secrets(),
            board_name: args.pages.board_name.clone(),
            admin: args.admin.bind(),
            console: ConsoleConfig::try_from(&args.console)?,
            tracer: None,
        })
    }
}

impl ServiceConfig {
    /// The worker, if one is to run.
    fn worker(&self) -> anyhow::Result<Option<WorkerSetup>> {
        let Some(enricher) = &self.enricher else {
            return Ok(None);
        };
        WorkerSetup::new(enricher, &self.accounts, self.work.clone()).map(Some)
    }
}

/// A running service.
pub struct Running {
    /// The address that it listens on.
    pub addr: SocketAddr,
    /// The URL that clients use.
    pub public_url: String,
    pub database: Database,
    /// The console, if there is one.
    pub console: Option<ConsoleServer>,
    http: StopHandle,
    server: JoinHandle<std::io::Result<()>>,
    lanes: LaneTasks,
    imports: ImportTasks,
    reads: ReadTasks,
    newsletter: NewsletterService,
    activity: ActivityTask,
    worker: Option<Worker>,
    admin: Option<Admin>,
    _clocks: AbortOnDropHandle<()>,
}

/// The service.
pub struct Service;

impl Service {
    /// Starts all parts. The service answers as soon as this returns.
    pub async fn start(config: ServiceConfig) -> anyhow::Result<Running> {
        let folder = KeyFolder::new(&config.keys);
        signing_keys::refuse_exposed(&folder)?;
        if !config.database.is_embedded() {
            require_key(&folder)?;
        }
        let setup = config.worker()?;
        let receivers = webhooks::client(config.private)?;
        let tried = webhooks::client_of_api(config.private)?;
        let database = open(&config, &folder).await?;

        let (wake, activities) = (Arc::<Wake>::default(), Arc::<Activities>::default());
        let database = database.observed(&wake, &activities, &config.tracer);
        let activity = ActivityTask::start(&activities, &database.activity);
        let (lanes, lane_tasks) = Lanes::start(
            &database.store,
            &database.locks,
            config.work.lifetime,
            &clock::system(),
            config.lanes,
        );
        let throttle = Throttle(Arc::new(lanes.is_busy()));
        let pushes = Arc::new(lanes.under_way());
        let newsletter =
            NewsletterService::new(&database.newsletter, &clock::system(), config.links);
        let (reads, read_tasks) = reads::start(config.replica.as_ref(), &database, &wake)?;
        let lanes: Arc<dyn Ingest> = Arc::new(lanes);
        let (imports, import_tasks) = importer(&database, &lanes, config.work.lifetime, &throttle);
        let ports = Ports {
            ingest: lanes,
            imports: Arc::new(imports),
            catalogues: Arc::clone(&database.catalogues),
            postings: Arc::clone(&database.postings),
            reads,
            newsletter: Arc::new(newsletter.clone()),
            webhooks: webhook_ports(&database, Arc::clone(&tried), config.private),
            clients: Arc::clone(&database.clients),
            activity: Arc::clone(&database.activity),
            recorder: activities,
            health: Arc::clone(&database.health),
            tracer: config.tracer.clone(),
        };
        let application = Application::build(
            ports,
            &HttpSettings {
                bind: config.bind,
                public_url: config.public_url,
                body_limit: config.body_limit,
                import_limit: config.import_limit,
                token_ttl: config.token_ttl,
                keys: config.keys,
                webhook_secrets: config.webhook_secrets,
                board_name: config.board_name,
                workers: Some(config.http_threads),
                max_connections: descriptors::for_connections(config.max_connections),
                timeouts: Timeouts::default(),
            },
        )
        .map_err(name_variable)?;
        let admin = Admin::start(
            config.admin,
            database.for_metrics(),
            application.readiness(),
            Some(Serving {
                pushes,
                signing_keys: Arc::new(application.signing_keys()),
                signing_keys_age: Arc::new(application.signing_keys_age()),
            }),
        )?;
        let console = ConsoleServer::start(
            config.console,
            &database,
            (tried as _, config.private),
            config.work.lifetime,
        )?;
        let (addr, http) = (application.addr(), application.stop_handle());
        let public_url = application.public_url().to_owned();
        exposure::warn(&public_url, config.admin);
        warn_of_refused(config.links);
        let worker = setup
            .map(|setup| setup.start(&database, receivers, wake, throttle, config.tracer))
            .transpose()?;
        let clocks = clock_skew::compare(&database.clock, &clock::system());
        let server = tokio::spawn(application.run());
        Ok(Running {
            addr,
            public_url,
            database,
            console,
            http,
            server,
            lanes: lane_tasks,
            imports: import_tasks,
            reads: read_tasks,
            newsletter,
            activity,
            worker,
            admin,
            _clocks: clocks,
        })
    }
}

/// Opens the database; an embedded one gets a signing key if it has none.
async fn open(config: &ServiceConfig, folder: &KeyFolder) -> anyhow::Result<Database> {
    let database = Database::open_or_make(&config.database, &config.keys, config.outdated).await?;
    database.check_embedded(&config.database).await?;
    if config.database.is_embedded() && signing_keys::ensure(folder)? {
        tracing::info!(folder = %config.keys.display(), "made a token signing key");
    }
    Ok(database)
}

/// The imports, and their tasks.
fn importer(
    database: &Database,
    lanes: &Arc<dyn Ingest>,
    lifetime: Lifetime,
    throttle: &Throttle,
) -> (Importer, ImportTasks) {
    Importer::new(ImportPorts {
        ingest: Arc::clone(lanes),
        catalogues: Arc::clone(&database.catalogues),
        store: Arc::clone(&database.store),
        lifetime,
        clock: clock::system(),
        throttle: throttle.clone(),
    })
}

/// The ports of the API's operations on webhooks.
fn webhook_ports(
    database: &Database,
    receivers: Arc<WebhookClient>,
    private: PrivateAddresses,
) -> WebhookPorts {
    WebhookPorts {
        webhooks: Arc::clone(&database.webhooks),
        log: Arc::clone(&database.events),
        sender: receivers,
        private,
    }
}

impl Running {
    /// Waits until the server ends without being stopped, and returns the reason.
    pub async fn failed(&mut self) -> anyhow::Error {
        match (&mut self.server).await {
            Ok(Ok(())) => anyhow::anyhow!("the server ended by itself"),
            Ok(Err(error)) => anyhow::Error::new(error).context("the server failed"),
            Err(error) => anyhow::Error::new(error).context("the server failed"),
        }
    }

    /// Stops accepting requests, answers the ones in flight, commits their writes, and ends.
    pub async fn stop(self) {
        let Self {
            http,
            lanes,
            imports,
            reads,
            newsletter,
            activity,
            worker,
            admin,
            console,
            ..
        } = self;
        let answered = async {
            // First, so that requests that wait for events do not hold up the server's stop.
            reads.stop().await;
            // Likewise, and they need the lanes.
            imports.interrupt();
            let pages = async {
                if let Some(console) = console {
                    console.stop().await;
                }
            };
            tokio::join!(http.stop(), pages);
            imports.stop().await;
            tokio::join!(lanes.stop(), newsletter.stop());
        };
        let worked = async {
            if let Some(worker) = worker {
                worker.stop().await;
            }
        };
        tokio::join!(answered, worked);
        activity.stop().await;
        // Last, so that the metrics show the shutdown.
        if let Some(admin) = admin {
            admin.stop().await;
        }
    }
}

/// Fails without a signing key: all processes of a shared database need the same keys, so none
/// makes its own.
fn require_key(folder: &KeyFolder) -> anyhow::Result<()> {
    let keys = folder.list()?;
    if !keys.keys().is_empty() {
        return Ok(());
    }
    let why = keys
        .problems()
        .first()
        .map(|problem| format!(" ({problem})"));
    Err(Misconfigured(format!(
        "{} holds no token signing key{}; run `posthaste keys generate`, and give every process of \
         this database the same folder",
        folder.path().display(),
        why.unwrap_or_default()
    ))
    .into())
}

/// Warns if moves by the links in e-mails are refused.
fn warn_of_refused(links: Links) {
    if links == Links::Refuse {
        tracing::warn!(
            "moves by the link in an e-mail are refused: no group is named that starts the chain \
             of e-mails (POSTHASTE_MAILERLITE_NEW_GROUP_ID; none moves people without one)"
        );
    }
}

/// Names the variable and the option of an address that cannot be listened on.
fn name_variable(error: BuildError) -> anyhow::Error {
    match error {
        BuildError::Bind { .. } => {
            anyhow!("POSTHASTE_BIND: {error}; --bind takes another address and port")
        }
        error => error.into(),
    }
}

/// `posthaste serve`.
pub async fn run(args: &ServeArgs) -> anyhow::Result<ExitCode> {
    let signals = StopSignals::listen().context("cannot listen to signals")?;
    let traces = Traces::start()?;
    let config = ServiceConfig {
        tracer: traces.tracer(),
        ..ServiceConfig::try_from(args)?
    };
    let (enricher, accounts) = (config.enricher.clone(), config.accounts.clone());
    let parts = Parts {
        worker: enricher.as_ref().map(|enricher| (enricher, &accounts)),
        has_webhook_secret: Some(!config.webhook_secrets.is_empty()),
    };
    let mut running = Service::start(config).await?;
    parts.announce();
    let (addr, url) = (running.addr, &running.public_url);
    logging::announce(format_args!(
        "Posthaste listens on http://{addr}, API documentation: {url}/docs"
    ));
    let supervisor = Supervisor::ready();
    let failure = tokio::select! {
        () = signals.asked() => None,
        error = running.failed() => Some(error),
    };
    drop(supervisor);
    running.stop().await;
    traces.stop().await;
    match failure {
        None => {
            tracing::info!("stopped");
            Ok(ExitCode::SUCCESS)
        }
        Some(error) => Err(error),
    }
}
