//! Builds the API server from the ports and the settings.

use std::{io, net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

use actix_web::{
    App,
    dev::{Server, ServerHandle},
    middleware::from_fn,
    web,
};
use http_server::{ServerSettings, Timeouts, listen, serve};
use secrecy::SecretString;
use tokio_util::sync::CancellationToken;

use crate::{
    client_pages,
    client_pages::PageRoutes,
    docs,
    docs::Docs,
    event, health,
    health::Readiness,
    host::Hosts,
    import, integration, middleware, oauth,
    oauth::Authorizer,
    ports::Ports,
    posting,
    resource::no_such_path,
    slots::Slots,
    state::State,
    subscriber,
    subscriber::{Pages, Signatures},
    webhook,
};

/// The number of requests that look up or call receivers, of all clients and of one.
const RECEIVER_CALLS: usize = 64;
const RECEIVER_CALLS_OF_ONE: usize = 4;
/// The number of exports at a time, of all clients and of one.
const EXPORTS: usize = 32;
const EXPORTS_OF_ONE: usize = 4;
/// The number of imports at a time, of all clients and of one.
const IMPORTS: usize = 32;
const IMPORTS_OF_ONE: usize = 4;
/// The number of waits for events at a time of one client.
const WAITS_OF_ONE: usize = 64;
/// How long a stop waits for answers in progress. A push is given up after ten seconds.
const STOP_PATIENCE_SECONDS: u64 = 30;

/// The settings of the API server.
#[derive(Clone, Debug)]
pub struct HttpSettings {
    /// The address to listen on; port 0 picks a free port.
    pub bind: SocketAddr,
    /// The base URL that clients use, without a slash at the end; also the issuer and the audience
    /// of tokens. `None` uses the bound address.
    pub public_url: Option<String>,
    /// The limit of a request body, in bytes.
    pub body_limit: usize,
    /// The most bytes of an import, unpacked.
    pub import_limit: u64,
    /// The lifetime of a token.
    pub token_ttl: Duration,
    /// The folder of the keys that sign tokens.
    pub keys: PathBuf,
    /// The webhook secrets of the e-mail provider. A delivery may be signed with any of them; if
    /// the list is empty, all deliveries are refused.
    pub webhook_secrets: Vec<SecretString>,
    /// The name of the job board, shown on the newsletter's pages.
    pub board_name: String,
    /// Where decisions about postings can be contested, if anywhere.
    pub appeal: Option<Arc<str>>,
    /// The number of threads that serve; `None` uses one for each core.
    pub workers: Option<usize>,
    /// The number of connections that are served at a time; further ones wait to be accepted. Each
    /// takes a file descriptor.
    pub max_connections: usize,
    /// The time limits of a connection.
    pub timeouts: Timeouts,
}

/// The reason why the server cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// The error of the system.
        source: io::Error,
    },
    /// The key folder cannot be read.
    #[error("cannot read the token signing keys: {0}")]
    Keys(#[from] tokens::KeyError),
    /// The documentation cannot be rendered.
    #[error("cannot write the documentation: {0}")]
    Docs(#[from] askama::Error),
    /// The texts of the newsletter's pages cannot be read.
    #[error("cannot read the texts of the newsletter's pages: {0}")]
    Texts(serde_json::Error),
}

/// The API server; it is bound already, and serves while [`run`](Self::run) is awaited.
#[must_use = "a server serves only while it runs"]
pub struct Application {
    address: SocketAddr,
    public_url: String,
    authorizer: Arc<Authorizer>,
    readiness: Readiness,
    server: Server,
    stopping: CancellationToken,
}

/// Stops a running server.
#[derive(Clone, Debug)]
pub struct StopHandle {
    server: ServerHandle,
    stopping: CancellationToken,
}

impl StopHandle {
    pub(crate) const fn new(server: ServerHandle, stopping: CancellationToken) -> Self {
        Self { server, stopping }
    }

    /// Accepts nothing more, answers every request that is being served, then ends the server's
    /// `run`. Returns when all is answered. Answers that wait for events wait no longer.
    pub async fn stop(&self) {
        self.stopping.cancel();
        self.server.stop(true).await;
    }
}

impl Application {
    /// Binds the address and builds the server. Must be called on a tokio runtime.
    pub fn build(ports: Ports, settings: &HttpSettings) -> Result<Self, BuildError> {
        let bind_error = |source| BuildError::Bind {
            address: settings.bind,
            source,
        };
        let listener = listen(settings.bind).map_err(bind_error)?;
        let address = listener.local_addr().map_err(bind_error)?;
        let public_url = settings
            .public_url
            .clone()
            .unwrap_or_else(|| format!("http://{address}"));

        let stopping = CancellationToken::new();
        let shared = Shared::new(ports, settings, &public_url, stopping.clone())?;
        let authorizer = shared.authorizer.clone().into_inner();
        let readiness = shared.readiness.get_ref().clone();
        let server = ServerSettings {
            workers: settings.workers,
            max_connections: settings.max_connections,
            timeouts: settings.timeouts,
            stop_patience: STOP_PATIENCE_SECONDS,
        };
        let server = serve(listener, server, move || {
            App::new()
                .wrap(from_fn(middleware::track))
                .configure(|config| shared.configure(config))
        })
        .map_err(bind_error)?;
        Ok(Self {
            address,
            public_url,
            authorizer,
            readiness,
            server,
            stopping,
        })
    }

    /// The address that it listens on.
    pub const fn addr(&self) -> SocketAddr {
        self.address
    }

    /// The base URL that clients use.
    pub fn public_url(&self) -> &str {
        &self.public_url
    }

    /// A handle that stops it.
    pub fn stop_handle(&self) -> StopHandle {
        StopHandle::new(self.server.handle(), self.stopping.clone())
    }

    /// A function that returns the current number of usable signing keys.
    pub fn signing_keys(&self) -> impl Fn() -> usize + Send + Sync + 'static {
        let authorizer = Arc::clone(&self.authorizer);
        move || authorizer.signing_keys()
    }

    /// A function that returns how many seconds ago the folder of keys was last read in full.
    pub fn signing_keys_age(&self) -> impl Fn() -> u64 + Send + Sync + 'static {
        let keys = Arc::clone(self.authorizer.keys());
        move || keys.age().as_secs()
    }

    /// What it needs to be ready.
    pub fn readiness(&self) -> Readiness {
        self.readiness.clone()
    }

    /// Serves until it is stopped. It installs no signal handlers.
    pub async fn run(self) -> io::Result<()> {
        self.authorizer.keys().follow()?;
        self.server.await
    }
}

/// The state that every worker thread gets a copy of.
#[derive(Clone)]
struct Shared {
    state: web::Data<State>,
    readiness: web::Data<Readiness>,
    authorizer: web::Data<Authorizer>,
    signatures: web::Data<Signatures>,
    pages: web::Data<Pages>,
    docs: web::Data<Docs>,
    client_pages: PageRoutes,
    hosts: Arc<Hosts>,
}

impl Shared {
    fn new(
        ports: Ports,
        settings: &HttpSettings,
        public_url: &str,
        stopping: CancellationToken,
    ) -> Result<Self, BuildError> {
        let authorizer = web::Data::new(Authorizer::new(
            Arc::clone(&ports.clients),
            Arc::clone(&ports.recorder),
            &settings.keys,
            public_url,
            settings.token_ttl,
        )?);
        let pages = Pages::new(&settings.board_name).map_err(BuildError::Texts)?;
        let health = Arc::clone(&ports.health);
        let readiness = Readiness::new(health, Arc::clone(authorizer.keys()));
        let client_pages = ports.pages.routes(public_url);
        let state = State {
            ports,
            authorizer: authorizer.clone(),
            appeal: settings.appeal.clone(),
            public_url: public_url.to_owned(),
            body_limit: settings.body_limit,
            import_limit: settings.import_limit,
            timeouts: settings.timeouts,
            stopping,
            receiver_calls: Slots::new(RECEIVER_CALLS, RECEIVER_CALLS_OF_ONE),
            exports: Slots::new(EXPORTS, EXPORTS_OF_ONE),
            waits: Slots::new(usize::MAX, WAITS_OF_ONE),
            imports: Slots::new(IMPORTS, IMPORTS_OF_ONE),
        };
        Ok(Self {
            state: web::Data::new(state),
            readiness: web::Data::new(readiness),
            authorizer,
            signatures: web::Data::new(Signatures::new(&settings.webhook_secrets)),
            pages: web::Data::new(pages),
            docs: web::Data::new(Docs::new()?),
            client_pages,
            hosts: Arc::new(Hosts::of_url(public_url)),
        })
    }

    fn configure(&self, config: &mut web::ServiceConfig) {
        config
            .app_data(self.state.clone())
            .app_data(self.readiness.clone())
            .app_data(self.authorizer.clone())
            .app_data(self.signatures.clone())
            .app_data(self.pages.clone())
            .app_data(self.docs.clone())
            .configure(posting::routes)
            .configure(event::routes)
            .configure(webhook::routes)
            .configure(import::routes)
            .configure(integration::routes)
            .configure(subscriber::routes)
            .configure(oauth::routes)
            .configure(health::routes)
            .configure(docs::routes)
            .configure(|config| client_pages::mount(config, &self.client_pages, &self.hosts))
            .default_service(web::to(no_such_path));
    }
}
