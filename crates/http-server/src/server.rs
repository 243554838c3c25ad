use std::{
    fmt,
    future::ready,
    io,
    net::{SocketAddr, TcpListener},
    thread,
};

use actix_http::{HttpService, Request};
use actix_service::{IntoServiceFactory, ServiceFactoryExt as _, map_config};
use actix_web::{
    Error,
    body::MessageBody,
    dev::{AppConfig, Response, Server, Service, ServiceFactory, fn_service},
    rt::net::TcpStream,
};
use tokio::net::TcpSocket;

use crate::{connection::Timeouts, places::Places, stream::GuardedStream};

/// How many connections may wait until the server accepts them.
const BACKLOG: u32 = 1024;
/// The most threads that actix-server supports.
const MOST_WORKERS: usize = 512;

#[derive(Clone, Copy, Debug)]
pub struct ServerSettings {
    /// `None` uses one thread per core.
    pub workers: Option<usize>,
    /// The largest number of open connections, shared evenly by the threads. Others wait to be
    /// accepted. When few places are left, idle connections are closed.
    pub max_connections: usize,
    pub timeouts: Timeouts,
    /// How long a stop waits for answers in progress, in seconds.
    pub stop_patience: u64,
}

/// Must run on a tokio runtime.
pub fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() {
        TcpSocket::new_v4()
    } else {
        TcpSocket::new_v6()
    }?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)?.into_std()
}

/// Works like actix-web's `HttpServer`, but wraps each connection in a stream with deadlines. The
/// server runs while it is awaited.
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
    let of_worker = (max_connections / workers).max(1);
    let builder = Server::build();
    let stopping = builder.graceful_shutdown_signal();
    let server = builder
        .disable_signals()
        .workers(workers)
        .max_concurrent_connections(of_worker)
        .shutdown_timeout(stop_patience)
        .listen("http", listener, move || {
            let stopping = stopping.clone();
            let places = Places::new(of_worker);
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
                ready(Ok((GuardedStream::new(stream, timeouts, &places), peer)))
            })
            .and_then(http)
        })?;
    Ok(server.run())
}
