//! Putting it together: ports and settings in, a server out.

use std::{
    io,
    net::{SocketAddr, TcpListener},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use actix_web::{
    App,
    dev::{Server, ServerHandle},
    middleware::from_fn,
    web,
};
use secrecy::SecretString;
use tokio::{
    net::TcpSocket,
    time::{MissedTickBehavior, interval},
};

use crate::{
    connection::Timeouts,
    docs,
    docs::Docs,
    health, middleware, oauth,
    oauth::Authorizer,
    posting, routing,
    server::{ServerSettings, serve},
    state::{Ports, State},
    subscriber,
    subscriber::Signatures,
};

/// Connections that may wait to be accepted.
const BACKLOG: u32 = 1024;
/// The interval between reads of the folder of keys without token requests: a defect of a key
/// reaches the log, and a change the metrics, before a client notices it.
const KEYS_EVERY: Duration = Duration::from_secs(2);
/// How long a stop waits for answers. A push is given up after ten seconds.
const STOP_PATIENCE_SECONDS: u64 = 30;

/// How to serve.
#[derive(Clone, Debug)]
pub struct HttpSettings {
    /// Where to listen; port 0 takes a free one.
    pub bind: SocketAddr,
    /// The address that clients know: issuer and audience of tokens, without a slash at the
    /// end. `None` takes the address that is listened on.
    pub public_url: Option<String>,
    /// The largest body, in bytes.
    pub body_limit: usize,
    /// How long a token is good for.
    pub token_ttl: Duration,
    /// The folder with the keys that sign tokens.
    pub keys: PathBuf,
    /// The secrets of the e-mail provider. A delivery may be signed with any of them; with an
    /// empty list all are refused.
    pub webhook_secrets: Vec<SecretString>,
    /// The name of the board, which the newsletter's pages show.
    pub board_name: String,
    /// Threads that serve; `None` takes one for each core.
    pub workers: Option<usize>,
    /// Connections that are served at a time; what comes beyond waits to be accepted. Each takes
    /// a file descriptor.
    pub max_connections: usize,
    /// How long a connection may take for each of its parts.
    pub timeouts: Timeouts,
}

/// Why the server cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// The keys cannot be read.
    #[error("cannot read the token signing keys: {0}")]
    Keys(#[from] oauth::KeyError),
    /// The documentation cannot be made.
    #[error("cannot write the OpenAPI document: {0}")]
    Docs(#[from] serde_json::Error),
}

/// A server that listens already and serves once it [runs](Self::run).
#[must_use = "a server serves only while it runs"]
pub struct Application {
    address: SocketAddr,
    public_url: String,
    authorizer: Arc<Authorizer>,
    server: Server,
}

/// Stops a running server.
#[derive(Clone, Debug)]
pub struct StopHandle(ServerHandle);

impl StopHandle {
    pub(crate) const fn new(server: ServerHandle) -> Self {
        Self(server)
    }

    /// Accepts nothing more, answers every request that is being served, then ends the server's
    /// `run`. Returns when all is answered.
    pub async fn stop(&self) {
        self.0.stop(true).await;
    }
}

impl Application {
    /// Listens, and makes everything ready to serve. To be called on a tokio runtime.
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

        let shared = Shared::new(ports, settings, &public_url)?;
        let authorizer = shared.authorizer.clone().into_inner();
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
            server,
        })
    }

    /// Where it listens.
    pub const fn addr(&self) -> SocketAddr {
        self.address
    }

    /// The port it listens on.
    pub const fn port(&self) -> u16 {
        self.address.port()
    }

    /// The address that clients know.
    pub fn public_url(&self) -> &str {
        &self.public_url
    }

    /// What stops it.
    pub fn stop_handle(&self) -> StopHandle {
        StopHandle::new(self.server.handle())
    }

    /// Says at any time how many keys there are to sign tokens with.
    pub fn signing_keys(&self) -> impl Fn() -> usize + Send + Sync + 'static {
        let authorizer = Arc::clone(&self.authorizer);
        move || authorizer.signing_keys()
    }

    /// Serves until it is stopped. Signals are none of its business.
    pub async fn run(self) -> io::Result<()> {
        let keys = tokio::spawn(follow_keys(self.authorizer));
        let result = self.server.await;
        keys.abort();
        result
    }
}

/// Reads the folder of keys again and again. Never ends.
async fn follow_keys(authorizer: Arc<Authorizer>) {
    let mut ticks = interval(KEYS_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let authorizer = Arc::clone(&authorizer);
        // A folder on a server that is away holds up this thread and no other.
        let read = tokio::task::spawn_blocking(move || authorizer.signing_keys());
        if let Err(error) = read.await {
            tracing::error!(%error, "the folder of keys cannot be read");
        }
    }
}

/// Listens on an address.
pub(crate) fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() {
        TcpSocket::new_v4()
    } else {
        TcpSocket::new_v6()
    }?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)?.into_std()
}

/// What every worker thread gets.
#[derive(Clone)]
struct Shared {
    state: web::Data<State>,
    authorizer: web::Data<Authorizer>,
    signatures: web::Data<Signatures>,
    docs: web::Data<Docs>,
}

impl Shared {
    fn new(ports: Ports, settings: &HttpSettings, public_url: &str) -> Result<Self, BuildError> {
        let authorizer = web::Data::new(Authorizer::new(
            Arc::clone(&ports.clients),
            &settings.keys,
            public_url,
            settings.token_ttl,
        )?);
        let state = State {
            ports,
            authorizer: authorizer.clone(),
            body_limit: settings.body_limit,
            timeouts: settings.timeouts,
            board_name: settings.board_name.clone(),
        };
        Ok(Self {
            state: web::Data::new(state),
            authorizer,
            signatures: web::Data::new(Signatures::new(&settings.webhook_secrets)),
            docs: web::Data::new(Docs::new()?),
        })
    }

    fn configure(&self, config: &mut web::ServiceConfig) {
        config
            .app_data(self.state.clone())
            .app_data(self.authorizer.clone())
            .app_data(self.signatures.clone())
            .app_data(self.docs.clone())
            .configure(posting::routes)
            .configure(subscriber::routes)
            .configure(oauth::routes)
            .configure(health::routes)
            .configure(docs::routes)
            .default_service(web::to(routing::no_such_path));
    }
}
