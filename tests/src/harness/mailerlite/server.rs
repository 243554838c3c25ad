//! Connections, and what happens to a request before it is one.

use std::{
    array, future, io,
    net::{SocketAddr, TcpListener},
    sync::{Arc, Mutex},
    thread::{self, JoinHandle},
    time::Instant,
};

use http_body_util::{BodyExt as _, Full};
use hyper::{
    Request, Response,
    body::{Bytes, Incoming},
    header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use tokio::sync::oneshot;

use super::{
    Account, Call, Fault, MailerLite, Planned, State, account::Books, reply::Reply, routes,
};

/// Why a connection is closed without an answer.
type Closed = io::Error;

/// A server in a thread of its own, so that a test may block.
pub struct Server {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    pub fn start() -> MailerLite {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let url = format!("http://{address}/api");
        let state = Arc::new(Mutex::new(State {
            accounts: [Books::new(&url, 0), Books::new(&url, 1)],
            faults: array::from_fn(|_| [].into()),
            outage: None,
            calls: Vec::new(),
        }));
        let (stop, stopped) = oneshot::channel();
        let thread = thread::spawn({
            let state = Arc::clone(&state);
            move || run(listener, state, stopped)
        });
        MailerLite {
            state,
            server: Self {
                address,
                stop: Some(stop),
                thread: Some(thread),
            },
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

fn run(listener: TcpListener, state: Arc<Mutex<State>>, stopped: oneshot::Receiver<()>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    // Dropping the runtime closes the connections.
    runtime.block_on(async {
        tokio::select! {
            () = accept(listener, state) => {}
            _ = stopped => {}
        }
    });
}

async fn accept(listener: TcpListener, state: Arc<Mutex<State>>) {
    let listener = tokio::net::TcpListener::from_std(listener).unwrap();
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        stream.set_nodelay(true).unwrap();
        let state = Arc::clone(&state);
        let service = service_fn(move |request| serve(Arc::clone(&state), request));
        let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
        // An error is a fault of ours, or a client that has gone.
        tokio::spawn(async { drop(connection.await) });
    }
}

async fn serve(
    state: Arc<Mutex<State>>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Closed> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
    let authorization = head.headers.get(AUTHORIZATION);
    let key = authorization
        .and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "))
        .unwrap_or_default();
    let call = Call {
        account: Account::ALL.into_iter().find(|one| one.key() == key),
        method: head.method.to_string(),
        path: head.uri.to_string(),
        body: serde_json::from_slice(&body).unwrap_or_default(),
        at: Instant::now(),
        status: None,
    };
    let next = state.lock().unwrap().take(call);
    match next {
        Next::Answer(response) => Ok(*response),
        Next::Close => Err(io::Error::other("a fault that was asked for")),
        Next::Hang => future::pending().await,
    }
}

/// What becomes of a request.
enum Next {
    Answer(Box<Response<Full<Bytes>>>),
    Close,
    Hang,
}

impl State {
    fn take(&mut self, call: Call) -> Next {
        let (reply, rate) = self.reply(&call);
        let status = reply.as_ref().ok().map(|reply| reply.status);
        self.calls.push(Call { status, ..call });
        match reply {
            Ok(reply) => Next::Answer(Box::new(response(&reply, rate))),
            Err(Fault::Hang | Fault::WithholdAnswer) => Next::Hang,
            Err(_) => Next::Close,
        }
    }

    /// The answer, or what there is instead of one; and how many requests an account takes, and
    /// how many more at the moment.
    fn reply(&mut self, call: &Call) -> (Result<Reply, Fault>, Option<(usize, usize)>) {
        let Some(account) = call.account else {
            return (Ok(Reply::of_status(401, None)), None);
        };
        let fault = self.outage;
        let fault = fault.or_else(|| self.next_fault(account, &call.method));
        match fault {
            Some(Fault::Answer(status, retry_after)) => {
                return (Ok(Reply::of_status(status, retry_after)), None);
            }
            Some(fault @ (Fault::Hang | Fault::Close)) => return (Err(fault), None),
            Some(Fault::LoseAnswer | Fault::WithholdAnswer) | None => {}
        }
        let books = &mut self.accounts[account as usize];
        let reply = match books.admit(call.at) {
            Ok(()) => routes::answer(books, &call.method, &call.path, &call.body),
            Err(seconds) => Reply::of_status(429, Some(seconds)),
        };
        let rate = (books.limit, books.remaining());
        (fault.map_or(Ok(reply), Err), Some(rate))
    }

    fn next_fault(&mut self, account: Account, method: &str) -> Option<Fault> {
        let planned = &mut self.faults[account as usize];
        let is_meant = |one: &Planned| one.method.is_none_or(|wanted| wanted == method);
        let next = planned.iter().position(is_meant)?;
        planned.remove(next).map(|one| one.fault)
    }
}

fn response(reply: &Reply, rate: Option<(usize, usize)>) -> Response<Full<Bytes>> {
    let mut response = Response::builder().status(reply.status);
    if let Some((limit, remaining)) = rate {
        response = response
            .header("X-RateLimit-Limit", limit)
            .header("X-RateLimit-Remaining", remaining);
    }
    if let Some(seconds) = reply.retry_after {
        response = response.header(RETRY_AFTER, seconds);
    }
    let body = match &reply.body {
        Some(body) => {
            response = response.header(CONTENT_TYPE, "application/json");
            body.to_string()
        }
        None => String::new(),
    };
    response.body(Full::new(body.into())).unwrap()
}
