//! Builds the API server from the ports and the settings.

use std::{io, net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

use actix_web::{App, HttpRequest, middleware::from_fn, web};
use http_server::{ServerSettings, Timeouts, serve};
use secrecy::SecretString;
use tokio_util::sync::CancellationToken;

use crate::{
    client_pages,
    docs::{self, Docs},
    error::ApiError,
    guard::nowhere,
    health::Readiness,
    host::Hosts,
    listener::{BoundListener, BoundServer, BuildError, StopHandle},
    middleware,
    oauth::Authorizer,
    ports::Ports,
    sections::SECTIONS,
    slots::{Limits, Slots},
    state::State,
    subscriber::{Pages, Signatures},
};

const RECEIVER_CALLS: usize = 64;
const RECEIVER_CALLS_OF_ONE: usize = 4;
const PAGES: usize = 64;
const PAGES_OF_ONE: usize = 8;
const EXPORTS: usize = 32;
const EXPORTS_OF_ONE: usize = 4;
const IMPORTS: usize = 32;
const IMPORTS_OF_ONE: usize = 4;
const WAITS_OF_ONE: usize = 64;
/// How long a stop waits for answers in progress: longer than the ten seconds that a push may take.
const STOP_PATIENCE_SECONDS: u64 = 30;

#[derive(Clone, Debug)]
pub struct HttpSettings {
    pub bind: SocketAddr,
    /// The base URL that clients use, without a slash at the end. It is also the issuer and the
    /// audience of tokens. `None` uses the bound address.
    pub public_url: Option<String>,
    pub body_limit: usize,
    /// The largest unpacked size of an import, in bytes.
    pub import_limit: u64,
    pub token_ttl: Duration,
    pub keys: PathBuf,
    /// The webhook secrets of the e-mail provider. A delivery must be signed with one of them. If
    /// the list is empty, all deliveries are refused.
    pub webhook_secrets: Vec<SecretString>,
    pub board_name: String,
    pub appeal: Option<Arc<str>>,
    pub workers: Option<usize>,
    /// How many connections, each a file descriptor, are served at a time. Others wait to be
    /// accepted.
    pub max_connections: usize,
    pub client_requests: usize,
    pub memory_budget: usize,
    pub timeouts: Timeouts,
}

impl HttpSettings {
    /// The limits for client requests. Client requests may use half of the connections, and waits
    /// for events another quarter. So health checks and token requests always find a connection.
    /// One client gets at most half of each part.
    fn limits(&self) -> Limits {
        let requests = (self.max_connections / 2).max(1);
        let (bytes, body) = (self.memory_budget, self.body_limit);
        Limits {
            requests: of_connections("requests", requests, self.client_requests),
            // A client's share has room for two bodies, even if they take the whole budget.
            bytes: Slots::of_bytes(bytes, (bytes / 2).max(2 * body).min(bytes)),
        }
    }

    fn waits(&self) -> Arc<Slots> {
        of_connections("waits", (self.max_connections / 4).max(1), WAITS_OF_ONE)
    }
}

fn of_connections(name: &'static str, all: usize, each: usize) -> Arc<Slots> {
    Slots::new(name, all, each.min(all.div_ceil(2)))
}

/// The API server. It is already bound, and serves while [`run`](Self::run) is awaited.
#[must_use = "a server serves only while it runs"]
pub struct Application {
    public_url: String,
    authorizer: Arc<Authorizer>,
    readiness: Readiness,
    server: BoundServer,
}

impl Application {
    /// Binds the address and builds the server. Must be called on a tokio runtime.
    pub fn build(ports: Ports, settings: &HttpSettings) -> Result<Self, BuildError> {
        let listener = BoundListener::bind(settings.bind)?;
        let public_url = settings
            .public_url
            .clone()
            .unwrap_or_else(|| format!("http://{}", listener.addr()));
        let limits = settings.limits();
        let authorizer = web::Data::new(Authorizer::new(
            Arc::clone(&ports.stores.clients),
            Arc::clone(&ports.recorder),
            &settings.keys,
            &public_url,
            settings.token_ttl,
            limits.clone(),
        )?);
        let readiness = Readiness::new(
            Arc::clone(&ports.stores.health),
            Arc::clone(authorizer.keys()),
        );
        let pages = Pages::new(&settings.board_name).map_err(BuildError::Texts)?;
        let stopping = CancellationToken::new();
        let client_pages = ports.pages.routes(&public_url);
        let state = web::Data::new(State {
            ports,
            appeal: settings.appeal.clone(),
            public_url: public_url.clone(),
            body_limit: settings.body_limit,
            import_limit: settings.import_limit,
            timeouts: settings.timeouts,
            stopping: stopping.clone(),
            strangers: limits.bytes.new_share(),
            receiver_calls: Slots::new("receiver_calls", RECEIVER_CALLS, RECEIVER_CALLS_OF_ONE),
            pages: Slots::new("pages", PAGES, PAGES_OF_ONE),
            exports: Slots::new("exports", EXPORTS, EXPORTS_OF_ONE),
            waits: settings.waits(),
            imports: Slots::new("imports", IMPORTS, IMPORTS_OF_ONE),
        });
        let data = (
            web::Data::new(readiness.clone()),
            authorizer.clone(),
            web::Data::new(Signatures::new(&settings.webhook_secrets)),
            web::Data::new(pages),
            web::Data::new(Docs::new()?),
        );
        let hosts = Arc::new(Hosts::of_url(&public_url));
        let application = move || {
            let (readiness, authorizer, signatures, pages, docs) = data.clone();
            let app = App::new()
                .wrap(from_fn(middleware::track))
                .app_data(state.clone())
                .app_data(readiness)
                .app_data(authorizer)
                .app_data(signatures)
                .app_data(pages)
                .app_data(docs)
                .configure(docs::routes);
            SECTIONS
                .iter()
                .fold(app, |app, section| app.configure(section.routes))
                .configure(|config| client_pages::mount(config, &client_pages, &hosts))
                .default_service(web::to(async |request: HttpRequest| {
                    nowhere(&request, ApiError::no_such_path()).await
                }))
        };
        let of_server = ServerSettings {
            workers: settings.workers,
            max_connections: settings.max_connections,
            timeouts: settings.timeouts,
            stop_patience: STOP_PATIENCE_SECONDS,
        };
        let server = listener.start(stopping, |it| serve(it, of_server, application))?;
        Ok(Self {
            public_url,
            authorizer: authorizer.into_inner(),
            readiness,
            server,
        })
    }

    pub const fn addr(&self) -> SocketAddr {
        self.server.addr()
    }

    pub fn public_url(&self) -> &str {
        &self.public_url
    }

    pub fn stop_handle(&self) -> StopHandle {
        self.server.stop_handle()
    }

    pub fn signing_keys(&self) -> impl Fn() -> usize + Send + Sync + 'static {
        let authorizer = Arc::clone(&self.authorizer);
        move || authorizer.signing_keys()
    }

    /// Returns a function for the seconds since the key folder was last read completely.
    pub fn signing_keys_age(&self) -> impl Fn() -> u64 + Send + Sync + 'static {
        let keys = Arc::clone(self.authorizer.keys());
        move || keys.age().as_secs()
    }

    pub fn readiness(&self) -> Readiness {
        self.readiness.clone()
    }

    /// Serves until stopped. Installs no signal handlers.
    pub async fn run(self) -> io::Result<()> {
        self.authorizer.keys().follow()?;
        self.server.run().await
    }
}
