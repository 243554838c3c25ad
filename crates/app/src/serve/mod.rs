//! The whole service: database, lanes, metrics, API and worker, started and stopped in order.
//!
//! [`Running::start`] runs it inside any program; [`Serve`] and [`Worker`] are commands.
//!
//! - [`reads`]: the source of lists, exports and events. [`enricher`], [`provider`], [`webhooks`]:
//!   what workers call.
//! - [`console`], [`admin`]: their [`listener`]s; [`integration`]: the pages of clients.
//! - [`announce`], [`exposure`]: log lines at the start. [`metrics`](mod@metrics), [`traces`].

mod admin;
mod announce;
mod console;
mod enricher;
pub mod exposure;
mod integration;
mod listener;
mod metrics;
pub mod provider;
mod reads;
mod traces;
pub mod webhooks;
mod worker;

use std::{ffi::OsString, net::SocketAddr, sync::Arc};

use ::webhooks::Sender;
use adapters_http::{Application, BuildError, HttpSettings, Ports, StopHandle, Timeouts};
use adapters_postgres::PostgresUrl;
use adapters_prometheus::Serving;
use anyhow::{Context as _, anyhow};
use clap::{Args, FromArgMatches as _, builder::Resettable};
use domain::usecase::{CatalogueCorrections, Ingest};
use ingest::{CataloguePorts, ImportPorts, ImportTasks, Importer, Lanes};
use kernel::trace::OptionalTracer;
use runtime::{Loops, Throttle, clock, cores};
use stores::Stores;
use tokens::KeyFolder;
use tokio::task::JoinHandle;
use tokio_util::task::AbortOnDropHandle;
use workers::{Activities, Links, NewsletterService, Observer, Wake};

pub use self::worker::Worker;
use self::{
    console::ConsoleServer,
    integration::{Pages, page_ports},
    listener::Running as RunningListener,
    traces::Traces,
    worker::WorkerSetup,
};
use crate::{
    args::{AdminArgs, ConsoleArgs, HttpArgs, LaneArgs, NewsletterArgs, StoreArgs, WorkArgs},
    database::{
        self,
        url::{DatabaseUrl, read_database_url},
    },
    descriptors, logging,
    misconfigured::Misconfigured,
    shutdown::StopSignals,
    signing_keys,
    supervisor::Supervisor,
};

/// Serve the API and run the background workers
#[derive(Debug, Args)]
pub struct Serve {
    #[command(flatten)]
    pub store: StoreArgs,
    /// A replica of the database (one server), which serves lists, exports and events:
    /// `postgres://…`
    #[arg(
        long,
        value_name = "URL",
        hide_env_values = true,
        value_parser = read_database_url,
        help_heading = "Storage"
    )]
    pub read_database_url: Option<PostgresUrl>,
    #[command(flatten)]
    pub http: HttpArgs,
    #[command(flatten)]
    lanes: LaneArgs,
    #[command(flatten)]
    pub work: WorkArgs,
    #[command(flatten)]
    pub newsletter: NewsletterArgs,
    #[command(flatten)]
    pub admin: AdminArgs,
    #[command(flatten)]
    pub console: ConsoleArgs,

    /// Serve only the API, without background workers
    #[arg(long, help_heading = "API")]
    pub no_worker: bool,

    /// Apply pending migrations first; without this option an outdated schema is refused. The
    /// embedded store is always migrated
    #[arg(long, help_heading = "Storage")]
    pub migrate: bool,
}

impl Serve {
    /// The options with these arguments, without the environment.
    pub fn with_arguments<T: Into<OsString> + Clone>(
        arguments: impl IntoIterator<Item = T>,
    ) -> clap::error::Result<Self> {
        let command = Self::augment_args(clap::Command::new("serve").no_binary_name(true));
        let command = command.mut_args(|arg| arg.env(Resettable::Reset));
        Self::from_arg_matches(&command.try_get_matches_from(arguments)?)
    }

    fn http_settings(&self) -> HttpSettings {
        let http = &self.http;
        HttpSettings {
            bind: http.place.bind,
            public_url: http.place.public_url.clone(),
            body_limit: http.body_limit,
            import_limit: http.import_limit,
            token_ttl: http.tokens.token_ttl,
            keys: self.store.data_dir.keys(),
            webhook_secrets: self.newsletter.webhook_secrets.clone(),
            board_name: self.newsletter.board_name.clone(),
            appeal: self.work.appeal.appeal_url.clone(),
            workers: Some(http.http_threads.unwrap_or_else(cores::half)),
            max_connections: descriptors::for_connections(http.max_connections),
            client_requests: http.client_requests,
            memory_budget: http.memory_budget,
            timeouts: Timeouts::default(),
        }
    }

    fn link_bases(&self) -> webhooks::LinkBases {
        webhooks::LinkBases {
            console: self.console.place.address().unwrap_or_default(),
            public: self.http.place.url(),
        }
    }

    pub fn check(&self) -> Result<(), Misconfigured> {
        if !self.no_worker {
            self.work.enricher.kind()?;
        }
        if self.read_database_url.is_some() && self.store.database().is_embedded() {
            return Err(Misconfigured(
                "POSTHASTE_READ_DATABASE_URL: the embedded database has no replicas; name its \
                 primary in DATABASE_URL"
                    .to_owned(),
            ));
        }
        self.http.check()?;
        self.console.proxy().map(drop)
    }

    pub async fn run(self) -> anyhow::Result<()> {
        let signals = StopSignals::listen().context("cannot listen to signals")?;
        let traces = Traces::start()?;
        let mut running = Running::start(&self, traces.tracer()).await?;
        let has_webhook_secret = !self.newsletter.webhook_secrets.is_empty();
        let work = (!self.no_worker).then_some(&self.work);
        announce::parts(work, Some(has_webhook_secret))?;
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
                Ok(())
            }
            Some(error) => Err(error),
        }
    }
}

pub struct Running {
    pub addr: SocketAddr,
    pub public_url: String,
    pub database: Stores,
    pub console: Option<ConsoleServer>,
    http: StopHandle,
    server: JoinHandle<std::io::Result<()>>,
    lanes: Loops,
    imports: ImportTasks,
    reads: Loops,
    newsletter: NewsletterService,
    activity: Loops,
    worker: Option<Loops>,
    admin: Option<RunningListener>,
    _clocks: AbortOnDropHandle<()>,
}

impl Running {
    /// Starts all parts, and returns when the service answers.
    pub async fn start(options: &Serve, tracer: OptionalTracer) -> anyhow::Result<Self> {
        options.check()?;
        let url = options.store.database();
        let folder = options.store.data_dir.key_folder();
        check_keys(&url, &folder)?;
        let setup =
            (!options.no_worker).then(|| WorkerSetup::new(&options.work, options.link_bases()));
        let setup = setup.transpose()?;
        let tried = webhooks::client_of_api(options.work.addresses.private)?;
        webhooks::warn_without_https(&tried);
        let database = open(options, &url, &folder).await?;

        let (wake, activities) = (Arc::<Wake>::default(), Arc::<Activities>::default());
        let observer = Observer {
            wake: Arc::clone(&wake),
            activities: Arc::clone(&activities),
            tracer: tracer.clone(),
        };
        let database = observer.observe(database);
        let activity = activities.start(&database.activity);
        let links = options.work.accounts.links();
        let (lanes, lane_tasks) = Lanes::start(
            &database.store,
            &database.locks,
            options.work.lifetime.lifetime,
            &clock::system(),
            options.lanes.settings(&url),
        );
        let throttle = Throttle(Arc::new(lanes.is_busy()));
        let pushes = Arc::new(lanes.under_way());
        let newsletter = NewsletterService::new(&database.newsletter, &clock::system(), links);
        let replica = options.read_database_url.as_ref();
        let (reads, read_tasks) = reads::start(replica, &database, &wake)?;
        let lanes: Arc<dyn Ingest> = Arc::new(lanes);
        let (imports, import_tasks) = Importer::new(ImportPorts {
            ingest: Arc::clone(&lanes),
            lifetime: options.work.lifetime.lifetime,
            catalogues: CataloguePorts::of(&database, options.work.lifetime.lifetime),
        });
        let corrections: Arc<dyn CatalogueCorrections> = Arc::new(imports.corrections());
        let sender: Arc<dyn Sender> = tried;
        let pages = page_ports(&database, &sender, &corrections, &options.work);
        let ports = Ports {
            stores: database.clone(),
            ingest: lanes,
            lifetime: options.work.lifetime.lifetime,
            imports: Arc::new(imports),
            corrections,
            reads,
            newsletter: Arc::new(newsletter.clone()),
            sender,
            private_addresses: options.work.addresses.private,
            pages: Arc::new(Pages(pages.clone())),
            recorder: activities,
            tracer: tracer.clone(),
        };
        let application =
            Application::build(ports, &options.http_settings()).map_err(name_variable)?;
        let admin = admin::start(
            &options.admin,
            (&database, options.work.accounts.settings().has_account()),
            application.readiness(),
            Some(Serving {
                pushes,
                signing_keys: Arc::new(application.signing_keys()),
                signing_keys_age: Arc::new(application.signing_keys_age()),
            }),
        )?;
        let console = ConsoleServer::start(&options.console, &options.work, pages)?;
        let (addr, http) = (application.addr(), application.stop_handle());
        let public_url = application.public_url().to_owned();
        exposure::warn(&public_url, options.admin.bind());
        warn_of_refused(links);
        let worker = setup
            .map(|setup| setup.start(&database, wake, throttle, tracer))
            .transpose()?;
        let clocks = clock::follow(&database.clock);
        let server = tokio::spawn(application.run());
        Ok(Self {
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

async fn open(options: &Serve, url: &DatabaseUrl, folder: &KeyFolder) -> anyhow::Result<Stores> {
    let database = database::open_or_make(url, folder.path(), options.migrate).await?;
    database::check_embedded(&database, url).await?;
    if url.is_embedded() && folder.list()?.keys().is_empty() {
        folder.generate(signing_keys::new_id()?)?;
        tracing::info!(folder = %folder.path().display(), "created a token signing key");
    }
    Ok(database)
}

impl Running {
    /// Waits for the server to fail, and returns the reason.
    pub async fn failed(&mut self) -> anyhow::Error {
        match (&mut self.server).await {
            Ok(Ok(())) => anyhow::anyhow!("the server ended unexpectedly"),
            Ok(Err(error)) => anyhow::Error::new(error).context("the server failed"),
            Err(error) => anyhow::Error::new(error).context("the server failed"),
        }
    }

    /// Stops accepting requests, answers those in progress, commits their writes, and ends.
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
            // First, so that waits for events do not hold up the stop.
            reads.stop().await;
            // Before the lanes, because imports need them.
            imports.interrupt();
            let console = stopped(console.map(|console| console.running.stop()));
            tokio::join!(http.stop(), console);
            imports.stop().await;
            tokio::join!(lanes.stop(), newsletter.stop());
        };
        tokio::join!(answered, stopped(worker.map(Loops::stop)));
        activity.stop().await;
        // Last, so that the metrics show the shutdown.
        stopped(admin.map(RunningListener::stop)).await;
    }
}

async fn stopped(part: Option<impl Future<Output = ()>>) {
    if let Some(stop) = part {
        stop.await;
    }
}

/// Fails if others can use the signing keys, or if a shared database has no keys: all its processes
/// need the same keys, so no process creates its own.
fn check_keys(url: &DatabaseUrl, folder: &KeyFolder) -> anyhow::Result<()> {
    signing_keys::refuse_exposed(folder)?;
    if url.is_embedded() {
        return Ok(());
    }
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

fn warn_of_refused(links: Links) {
    if links == Links::Refuse {
        tracing::warn!(
            "moves by the link in an e-mail are refused: POSTHASTE_MAILERLITE_NEW_GROUP_ID names no \
             group that starts the chain of e-mails (`none` moves people without a group)"
        );
    }
}

fn name_variable(error: BuildError) -> anyhow::Error {
    match error {
        BuildError::Bind { .. } => {
            anyhow!("POSTHASTE_BIND: {error}; --bind takes another address and port")
        }
        error => error.into(),
    }
}
