//! The server below the routes: threads, connections, deadlines.

use std::{fmt, future::ready, io, net::TcpListener, thread};

use actix_http::{HttpService, Request};
use actix_service::{IntoServiceFactory, ServiceFactoryExt as _, map_config};
use actix_web::{
    Error,
    body::MessageBody,
    dev::{AppConfig, Response, Server, Service, ServiceFactory, fn_service},
    rt::net::TcpStream,
};

use crate::connection::{GuardedStream, Timeouts};

/// More threads the server does not take.
const MOST_WORKERS: usize = 512;

/// How a server treats its connections.
#[derive(Clone, Copy, Debug)]
pub struct ServerSettings {
    /// Threads that serve; `None` takes one for each core.
    pub workers: Option<usize>,
    /// Connections that are served at a time. What comes beyond waits to be accepted.
    pub max_connections: usize,
    /// How long each may take.
    pub timeouts: Timeouts,
    /// How long a stop waits for answers, in seconds.
    pub stop_patience: u64,
}

/// A server on a listener, which serves once it is awaited.
///
/// This is what `HttpServer` of actix-web does, but for the stream of a connection.
pub fn serve<F, I, S, B>(
    listener: TcpListener,
    settings: ServerSettings,
    application: F,
) -> io::Result<Server>
where
    F: Fn() -> I + Send + Clone + 'static,
    I: IntoServiceFactory<S, Request>,
    S: ServiceFactory<Request, Config = AppConfig> + 'static,
    S::Error: Into<Error> + 'static,
    S::InitError: fmt::Debug,
    S::Response: Into<Response<B>> + 'static,
    <S::Service as Service<Request>>::Future: 'static,
    S::Service: 'static,
    B: MessageBody + 'static,
{
    let ServerSettings {
        workers,
        max_connections,
        timeouts,
        stop_patience,
    } = settings;
    let workers = workers
        .unwrap_or_else(|| thread::available_parallelism().map_or(1, Into::into))
        .clamp(1, MOST_WORKERS);
    let builder = Server::build();
    let stopping = builder.graceful_shutdown_signal();
    let server = builder
        .disable_signals()
        .workers(workers)
        .max_concurrent_connections((max_connections / workers).max(1))
        .shutdown_timeout(stop_patience)
        .listen("http", listener, move || {
            let stopping = stopping.clone();
            let application = application()
                .into_factory()
                .map_err(|error: S::Error| error.into().error_response());
            let http = HttpService::build()
                .graceful_shutdown_signal(move || {
                    let stopping = stopping.clone();
                    async move { stopping.notified().await }
                })
                .keep_alive(timeouts.keep_alive)
                .client_request_timeout(timeouts.head)
                .client_disconnect_timeout(timeouts.linger)
                .on_connect_ext(|stream: &GuardedStream<TcpStream>, data| {
                    data.insert(stream.connection());
                })
                .h1(map_config(application, |()| AppConfig::default()));
            fn_service(move |stream: TcpStream| {
                let peer = stream.peer_addr().ok();
                ready(Ok((GuardedStream::new(stream, timeouts), peer)))
            })
            .and_then(http)
        })?;
    Ok(server.run())
}
