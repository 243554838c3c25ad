//! Bound addresses and their servers: one for the API, others for monitoring and the console.

use std::{
    io,
    net::{SocketAddr, TcpListener},
    panic::AssertUnwindSafe,
    sync::Arc,
};

use actix_web::{
    App, Error, HttpRequest, HttpResponse, ResponseError as _,
    body::BoxBody,
    dev::{Server, ServerHandle, ServiceRequest, ServiceResponse},
    error::InternalError,
    http::header::{CACHE_CONTROL, CONTENT_TYPE},
    middleware::{Next, from_fn},
    web,
};
use futures_util::{FutureExt as _, future::BoxFuture};
use http_server::{
    Connection, InFlight, RequestId, ServerSettings, Timeouts, X_REQUEST_ID, listen, serve,
};
use runtime::panics;
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use crate::{
    answer::Answer,
    error::ApiError,
    health::{self, Readiness},
    host::Hosts,
    middleware,
    resource::{no_such_path, open},
};

const TEXT_FORMAT: &str = "text/plain; version=0.0.4; charset=utf-8";
/// How many connections are served at a time, enough for a few browsers.
const PAGE_CONNECTIONS: usize = 256;
const METRICS_CONNECTIONS: usize = 32;
/// How long a stop waits for answers in progress, in seconds.
const PAGE_STOP_PATIENCE: u64 = 10;
const METRICS_STOP_PATIENCE: u64 = 2;

pub type MetricsPage = Arc<dyn Fn() -> BoxFuture<'static, String> + Send + Sync>;

#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    #[error("cannot listen on {address}: {source}")]
    Bind {
        address: SocketAddr,
        source: io::Error,
    },
    #[error("cannot read the token signing keys: {0}")]
    Keys(#[from] tokens::KeyError),
    #[error("cannot write the documentation: {0}")]
    Docs(#[from] askama::Error),
    #[error("cannot read the texts of the newsletter's pages: {0}")]
    Texts(serde_json::Error),
}

/// A bound address. Connections wait until the server runs.
pub struct BoundListener {
    address: SocketAddr,
    listener: TcpListener,
}

impl BoundListener {
    /// Binds the address. Port 0 chooses a free port. Must be called on a tokio runtime.
    pub fn bind(address: SocketAddr) -> Result<Self, BuildError> {
        let listener = listen(address);
        let bound = listener.and_then(|listener| Ok((listener.local_addr()?, listener)));
        let (address, listener) = bound.map_err(|source| BuildError::Bind { address, source })?;
        Ok(Self { address, listener })
    }

    pub const fn addr(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn start(
        self,
        stopping: CancellationToken,
        serve: impl FnOnce(TcpListener) -> io::Result<Server>,
    ) -> Result<BoundServer, BuildError> {
        let Self { address, listener } = self;
        let server = serve(listener).map_err(|source| BuildError::Bind { address, source })?;
        Ok(BoundServer {
            address,
            server,
            stopping,
        })
    }

    pub fn serve_metrics(
        self,
        page: MetricsPage,
        readiness: Readiness,
        hosts: Vec<String>,
        timeouts: Timeouts,
    ) -> Result<BoundServer, BuildError> {
        let page = web::Data::new(page);
        let readiness = web::Data::new(readiness);
        let hosts = web::Data::new(Hosts::of(self.address, hosts));
        let application = move || {
            App::new()
                .wrap(from_fn(middleware::track))
                .app_data(page.clone())
                .app_data(readiness.clone())
                .app_data(hosts.clone())
                .configure(health::routes)
                .service(open("/metrics").get(metrics))
                .default_service(web::to(no_such_path))
        };
        let settings = of_few(METRICS_CONNECTIONS, timeouts, METRICS_STOP_PATIENCE);
        self.start(CancellationToken::new(), |it| {
            serve(it, settings, application)
        })
    }

    pub fn serve_pages<F>(
        self,
        routes: F,
        hosts: Hosts,
        timeouts: Timeouts,
    ) -> Result<BoundServer, BuildError>
    where
        F: Fn(&mut web::ServiceConfig) + Clone + Send + 'static,
    {
        let hosts = web::Data::new(hosts);
        let application = move || {
            App::new()
                .app_data(hosts.clone())
                .wrap(from_fn(refuse_other_hosts))
                .wrap(from_fn(track_page))
                .configure(|config| routes(config))
        };
        let settings = of_few(PAGE_CONNECTIONS, timeouts, PAGE_STOP_PATIENCE);
        self.start(CancellationToken::new(), |it| {
            serve(it, settings, application)
        })
    }
}

const fn of_few(max_connections: usize, timeouts: Timeouts, stop_patience: u64) -> ServerSettings {
    ServerSettings {
        workers: Some(1),
        max_connections,
        timeouts,
        stop_patience,
    }
}

/// A server on its address. It serves while [`run`](Self::run) is awaited.
#[must_use = "a server serves only while it runs"]
pub struct BoundServer {
    address: SocketAddr,
    server: Server,
    stopping: CancellationToken,
}

impl BoundServer {
    pub const fn addr(&self) -> SocketAddr {
        self.address
    }

    pub fn stop_handle(&self) -> StopHandle {
        StopHandle {
            server: self.server.handle(),
            stopping: self.stopping.clone(),
        }
    }

    /// Serves until stopped. Installs no signal handlers.
    pub async fn run(self) -> io::Result<()> {
        self.server.await
    }
}

#[derive(Clone, Debug)]
pub struct StopHandle {
    server: ServerHandle,
    stopping: CancellationToken,
}

impl StopHandle {
    /// Stops accepting requests, answers those in progress, and ends [`run`](BoundServer::run).
    /// Waits for events end early.
    pub async fn stop(&self) {
        self.stopping.cancel();
        self.server.stop(true).await;
    }
}

async fn metrics(
    request: HttpRequest,
    page: web::Data<MetricsPage>,
    hosts: web::Data<Hosts>,
) -> Answer {
    if !hosts.allow(request.headers()) {
        return Err(ApiError::misdirected());
    }
    let text = page.get_ref()().await;
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, TEXT_FORMAT))
        .insert_header((CACHE_CONTROL, "no-store"))
        .body(text))
}

/// Runs a handler in a span with the request's id, and catches panics. Logs only the path, because
/// query strings contain tokens and search terms.
async fn track_page(
    mut request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let id = RequestId::of(request.headers());
    let span = tracing::info_span!(
        "console",
        request_id = %id,
        method = %request.method(),
        path = request.path(),
    );
    let in_flight = InFlight::begin(&mut request);
    if let Some(connection) = Connection::of(request.request()) {
        connection.ask_for_body();
    }
    let handled = async {
        let handled = AssertUnwindSafe(async { next.call(request).await });
        let mut answer = match handled.catch_unwind().await {
            Ok(answer) => answer?,
            Err(panic) => {
                tracing::error!(cause = panics::text(panic.as_ref()), "a page panicked");
                let text = format!("Something went wrong. The log has more, by the id {id}.");
                let response = HttpResponse::InternalServerError()
                    .insert_header((CACHE_CONTROL, "no-store"))
                    .body(text);
                return Err(InternalError::from_response("a page panicked", response).into());
            }
        };
        answer.headers_mut().insert(X_REQUEST_ID, id.header());
        tracing::debug!(status = answer.status().as_u16(), "answered");
        Ok(answer.map_body(|_, body| in_flight.answer(body, ())))
    };
    handled.instrument(span).await
}

async fn refuse_other_hosts(
    request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let hosts = request.app_data::<web::Data<Hosts>>();
    if hosts.is_some_and(|hosts| hosts.allow(request.headers())) {
        return next.call(request).await;
    }
    Ok(request.into_response(ApiError::misdirected().error_response()))
}
