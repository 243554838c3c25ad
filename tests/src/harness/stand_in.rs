use std::{
    error::Error,
    future::Future,
    io,
    net::{SocketAddr, TcpListener},
    thread::{self, JoinHandle},
};

use http_body_util::BodyExt as _;
use hyper::{
    Request, Response,
    body::{Body, Bytes, Incoming},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use tokio::sync::oneshot;

pub struct Server {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    pub fn listen(address: impl Into<SocketAddr>) -> TcpListener {
        let listener = TcpListener::bind(address.into()).unwrap();
        listener.set_nonblocking(true).unwrap();
        listener
    }

    /// `answer` gets complete requests. An error from it closes the connection without an answer.
    /// Its future is dropped when the client disconnects.
    pub fn start<F, A, B>(listener: TcpListener, answer: F) -> Self
    where
        F: Fn(Request<Bytes>) -> A + Clone + Send + 'static,
        A: Future<Output = io::Result<Response<B>>> + Send + 'static,
        B: Body<Data: Send, Error: Into<Box<dyn Error + Send + Sync>>> + Send + 'static,
    {
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        let thread = thread::spawn(move || run(listener, answer, stopped));
        Self {
            address,
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn run<F, A, B>(listener: TcpListener, answer: F, stopped: oneshot::Receiver<()>)
where
    F: Fn(Request<Bytes>) -> A + Clone + Send + 'static,
    A: Future<Output = io::Result<Response<B>>> + Send + 'static,
    B: Body<Data: Send, Error: Into<Box<dyn Error + Send + Sync>>> + Send + 'static,
{
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    // Dropping the runtime closes the connections.
    runtime.block_on(async {
        tokio::select! {
            () = accept(listener, answer) => {}
            _ = stopped => {}
        }
    });
}

async fn accept<F, A, B>(listener: TcpListener, answer: F)
where
    F: Fn(Request<Bytes>) -> A + Clone + Send + 'static,
    A: Future<Output = io::Result<Response<B>>> + Send + 'static,
    B: Body<Data: Send, Error: Into<Box<dyn Error + Send + Sync>>> + Send + 'static,
{
    let listener = tokio::net::TcpListener::from_std(listener).unwrap();
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        stream.set_nodelay(true).unwrap();
        let answer = answer.clone();
        let service = service_fn(move |request| {
            let answer = answer.clone();
            async move {
                let request = whole(request).await?;
                answer(request).await
            }
        });
        let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
        // An error is a planned fault, or a client that has disconnected.
        tokio::spawn(async { drop(connection.await) });
    }
}

async fn whole(request: Request<Incoming>) -> io::Result<Request<Bytes>> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
    Ok(Request::from_parts(head, body))
}
