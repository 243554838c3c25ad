//! A listener for pages that are not the API's: the operators' console.

use std::{net::SocketAddr, panic::AssertUnwindSafe};

use actix_web::{
    App, Error, HttpResponse, ResponseError as _,
    body::BoxBody,
    dev::{ServiceRequest, ServiceResponse},
    error::InternalError,
    http::header::CACHE_CONTROL,
    middleware::{Next, from_fn},
    web,
};
use futures_util::FutureExt as _;
use http_server::{Connection, InFlight, RequestId, ServerSettings, Timeouts, X_REQUEST_ID, serve};
use runtime::panics;
use tracing::Instrument as _;

use crate::{
    admin::{AdminApplication, AdminListener},
    application::BuildError,
    error::ApiError,
    host::Hosts,
};

/// The number of connections that are served at a time: some browsers.
const CONNECTIONS: usize = 256;
/// How long a stop waits for answers in progress.
const STOP_PATIENCE_SECONDS: u64 = 10;

impl AdminListener {
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
            max_connections: CONNECTIONS,
            timeouts,
            stop_patience: STOP_PATIENCE_SECONDS,
        };
        let hosts = web::Data::new(hosts);
        let server = serve(listener, settings, move || {
            App::new()
                .app_data(hosts.clone())
                .wrap(from_fn(refuse_other_hosts))
                .wrap(from_fn(track))
                .configure(|config| routes(config))
        })
        .map_err(|source| BuildError::Bind { address, source })?;
        Ok(AdminApplication::new(address, server))
    }
}

/// Runs a handler in a span with the request's id, and catches its panic. Query strings hold
/// tokens and what is searched for, so that the path alone is logged.
async fn track(
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
