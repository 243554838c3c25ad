//! The admin server: `GET /metrics`, `/healthz` and `/readyz`, on a separate address that clients
//! of the API need not reach, with connections of its own.

use std::{
    io,
    net::{SocketAddr, TcpListener},
    sync::Arc,
};

use actix_web::{
    App, HttpRequest, HttpResponse,
    dev::Server,
    http::header::{CACHE_CONTROL, CONTENT_TYPE},
    middleware::from_fn,
    web,
};
use futures_util::future::BoxFuture;
use http_server::{ServerSettings, Timeouts, listen, serve};
use tokio_util::sync::CancellationToken;

use crate::{
    application::{BuildError, StopHandle},
    error::ApiError,
    health,
    health::Readiness,
    host::Hosts,
    middleware,
    resource::{no_such_path, open},
};

/// The media type of the Prometheus text format.
const TEXT_FORMAT: &str = "text/plain; version=0.0.4; charset=utf-8";
/// How long a stop waits for answers in progress. Writing a page takes less.
const STOP_PATIENCE_SECONDS: u64 = 2;

/// The number of connections that the admin server serves at a time.
pub const ADMIN_CONNECTIONS: usize = 32;

/// Renders the metrics; called for each request.
pub type MetricsPage = Arc<dyn Fn() -> BoxFuture<'static, String> + Send + Sync>;

/// A bound address. Connections wait in its backlog until [`answer_with`](Self::answer_with) is
/// called and the server runs.
pub struct AdminListener {
    pub(crate) address: SocketAddr,
    pub(crate) listener: TcpListener,
}

impl AdminListener {
    /// Binds the address; port 0 picks a free port. Must be called on a tokio runtime.
    pub fn bind(address: SocketAddr) -> Result<Self, BuildError> {
        let listener = listen(address);
        let bound = listener.and_then(|listener| Ok((listener.local_addr()?, listener)));
        let (address, listener) = bound.map_err(|source| BuildError::Bind { address, source })?;
        Ok(Self { address, listener })
    }

    /// Builds the server that answers with this page, and says whether the process is ready.
    pub fn answer_with(
        self,
        page: MetricsPage,
        readiness: Readiness,
        timeouts: Timeouts,
    ) -> Result<AdminApplication, BuildError> {
        let Self { address, listener } = self;
        let page = web::Data::new(page);
        let readiness = web::Data::new(readiness);
        let hosts = web::Data::new(Hosts::of(address));
        let settings = ServerSettings {
            // A monitoring system asks only every few seconds.
            workers: Some(1),
            max_connections: ADMIN_CONNECTIONS,
            timeouts,
            stop_patience: STOP_PATIENCE_SECONDS,
        };
        let server = serve(listener, settings, move || {
            App::new()
                .wrap(from_fn(middleware::track))
                .app_data(page.clone())
                .app_data(readiness.clone())
                .app_data(hosts.clone())
                .configure(health::routes)
                .service(open("/metrics").get(metrics).build())
                .default_service(web::to(no_such_path))
        })
        .map_err(|source| BuildError::Bind { address, source })?;
        Ok(AdminApplication::new(address, server))
    }
}

/// The server of a listener; it serves while [`run`](Self::run) is awaited.
#[must_use = "a server serves only while it runs"]
pub struct AdminApplication {
    address: SocketAddr,
    server: Server,
}

impl AdminApplication {
    pub(crate) const fn new(address: SocketAddr, server: Server) -> Self {
        Self { address, server }
    }

    /// The address that it listens on.
    pub const fn addr(&self) -> SocketAddr {
        self.address
    }

    /// A handle that stops it.
    pub fn stop_handle(&self) -> StopHandle {
        // Nothing waits here.
        StopHandle::new(self.server.handle(), CancellationToken::new())
    }

    /// Serves until it is stopped. It installs no signal handlers.
    pub async fn run(self) -> io::Result<()> {
        self.server.await
    }
}

async fn metrics(
    request: HttpRequest,
    page: web::Data<MetricsPage>,
    hosts: web::Data<Hosts>,
) -> Result<HttpResponse, ApiError> {
    if !hosts.allow(request.headers()) {
        return Err(ApiError::misdirected());
    }
    let text = page.get_ref()().await;
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, TEXT_FORMAT))
        .insert_header((CACHE_CONTROL, "no-store"))
        .body(text))
}
