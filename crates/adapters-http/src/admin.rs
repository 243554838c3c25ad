//! Listeners that clients of the API need not reach, with connections of their own: one with
//! `GET /metrics`, `/healthz` and `/readyz` for monitoring, and one with the operators' pages.

use std::{
    io,
    net::{SocketAddr, TcpListener},
    panic::AssertUnwindSafe,
    sync::Arc,
};

use actix_web::{
    App, Error, HttpRequest, HttpResponse, ResponseError as _,
    body::BoxBody,
    dev::{Server, ServiceRequest, ServiceResponse},
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

/// The number of connections that are served at a time: some browsers.
const PAGE_CONNECTIONS: usize = 256;
/// How long a stop waits for answers in progress.
const PAGE_STOP_PATIENCE_SECONDS: u64 = 10;

/// The number of connections that the admin server serves at a time.
pub const ADMIN_CONNECTIONS: usize = 32;

/// Renders the metrics; called for each request.
pub type MetricsPage = Arc<dyn Fn() -> BoxFuture<'static, String> + Send + Sync>;

/// A bound address. Connections wait in its backlog until [`answer_with`](Self::answer_with) is
/// called and the server runs.
pub struct AdminListener {
    address: SocketAddr,
    listener: TcpListener,
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
        Ok(AdminApplication { address, server })
    }

    /// The address that is listened on.
    pub const fn addr(&self) -> SocketAddr {
        self.address
    }

    /// Builds the server of these routes, which answers to these hosts alone. Its connections have
    /// the same deadlines as the API's.
    pub fn serve<F>(
        self,
        routes: F,
        hosts: Hosts,
        timeouts: Timeouts,
    ) -> Result<AdminApplication, BuildError>
    where
        F: Fn(&mut web::ServiceConfig) + Clone + Send + 'static,
    {
        let Self { address, listener } = self;
        let settings = ServerSettings {
            workers: Some(1),
            max_connections: PAGE_CONNECTIONS,
            timeouts,
            stop_patience: PAGE_STOP_PATIENCE_SECONDS,
        };
        let hosts = web::Data::new(hosts);
        let server = serve(listener, settings, move || {
            App::new()
                .app_data(hosts.clone())
                .wrap(from_fn(refuse_other_hosts))
                .wrap(from_fn(track_page))
                .configure(|config| routes(config))
        })
        .map_err(|source| BuildError::Bind { address, source })?;
        Ok(AdminApplication { address, server })
    }
}

/// The server of a listener; it serves while [`run`](Self::run) is awaited.
#[must_use = "a server serves only while it runs"]
pub struct AdminApplication {
    address: SocketAddr,
    server: Server,
}

impl AdminApplication {
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

/// Runs a handler in a span with the request's id, and catches its panic. Query strings hold
/// tokens and what is searched for, so that the path alone is logged.
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
            // The panic dropped the request, so only an error can carry the answer.
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
        Ok(answer.map_body(|_, body| in_flight.answer(body)))
    };
    handled.instrument(span).await
}

/// Answers a request for another host with 421.
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
