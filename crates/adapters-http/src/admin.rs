//! The listener for whoever watches the service: `GET /metrics`, on an address of its own that
//! clients of the API need not reach.

use std::{
    io,
    net::{SocketAddr, TcpListener},
    sync::Arc,
};

use actix_web::{
    App, HttpResponse, HttpServer,
    dev::Server,
    http::header::{CACHE_CONTROL, CONTENT_TYPE},
    middleware::from_fn,
    web,
};
use futures_util::future::BoxFuture;

use crate::{
    application::{BuildError, StopHandle, listen},
    middleware,
    routing::{self, get_only},
};

/// What Prometheus calls its text format.
const TEXT_FORMAT: &str = "text/plain; version=0.0.4; charset=utf-8";
/// How long a stop waits for an answer. A page is made in less.
const STOP_PATIENCE_SECONDS: u64 = 2;

/// Makes the page with the metrics, anew for each answer.
pub type MetricsPage = Arc<dyn Fn() -> BoxFuture<'static, String> + Send + Sync>;

/// An address that is listened on; whoever asks there waits.
pub struct AdminListener {
    address: SocketAddr,
    listener: TcpListener,
}

impl AdminListener {
    /// Listens; port 0 takes a free one. To be called on a tokio runtime.
    pub fn bind(address: SocketAddr) -> Result<Self, BuildError> {
        let listener = listen(address);
        let bound = listener.and_then(|listener| Ok((listener.local_addr()?, listener)));
        let (address, listener) = bound.map_err(|source| BuildError::Bind { address, source })?;
        Ok(Self { address, listener })
    }

    /// Gets ready to answer with this page.
    pub fn answer_with(self, page: MetricsPage) -> Result<AdminApplication, BuildError> {
        let Self { address, listener } = self;
        let page = web::Data::new(page);
        let server = HttpServer::new(move || {
            App::new()
                .wrap(from_fn(middleware::track))
                .app_data(page.clone())
                .service(get_only("/metrics", metrics))
                .default_service(web::to(routing::no_such_path))
        })
        .disable_signals()
        .shutdown_timeout(STOP_PATIENCE_SECONDS)
        // A monitor asks every few seconds.
        .workers(1)
        .listen(listener)
        .map_err(|source| BuildError::Bind { address, source })?
        .run();
        Ok(AdminApplication { address, server })
    }
}

/// A server for `/metrics`, which serves once it [runs](Self::run).
#[must_use = "a server serves only while it runs"]
pub struct AdminApplication {
    address: SocketAddr,
    server: Server,
}

impl AdminApplication {
    /// Where it listens.
    pub const fn addr(&self) -> SocketAddr {
        self.address
    }

    /// What stops it.
    pub fn stop_handle(&self) -> StopHandle {
        StopHandle::new(self.server.handle())
    }

    /// Serves until it is stopped. Signals are none of its business.
    pub async fn run(self) -> io::Result<()> {
        self.server.await
    }
}

async fn metrics(page: web::Data<MetricsPage>) -> HttpResponse {
    let text = page.get_ref()().await;
    HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, TEXT_FORMAT))
        .insert_header((CACHE_CONTROL, "no-store"))
        .body(text)
}
