//! Handles a request.

use std::{
    future, io,
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use futures_util::stream;
use http_body_util::{BodyExt as _, Full, StreamBody, combinators::BoxBody};
use hyper::{
    Method, Request, Response,
    body::{Bytes, Frame},
    header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER},
    http::response::Builder,
};
use tokio::{sync::watch, time::sleep};
use uuid::Uuid;

use super::{
    super::stand_in::Server,
    Call, Chat, Fault, KEY, Slip, State, draft,
    fault::Plan,
    reply::Reply,
    request::{self, Question},
};

/// The time between sending half of an answer and closing the connection.
const MIDWAY: Duration = Duration::from_millis(20);

/// The state that all requests share.
pub struct Shared {
    pub state: Mutex<State>,
    /// Whether answers are held.
    pub held: watch::Sender<bool>,
}

type Answer = Response<BoxBody<Bytes, io::Error>>;

pub fn start(address: SocketAddr) -> Chat {
    let shared = Arc::new(Shared {
        state: Mutex::new(State {
            plan: Plan::default(),
            delay: Duration::ZERO,
            usage: None,
            is_open: false,
            calls: Vec::new(),
            under_way: 0,
            most_under_way: 0,
        }),
        held: watch::Sender::new(false),
    });
    let server = Server::start(Server::listen(address), {
        let shared = Arc::clone(&shared);
        move |request| serve(Arc::clone(&shared), request)
    });
    Chat { shared, server }
}

async fn serve(shared: Arc<Shared>, request: Request<Bytes>) -> io::Result<Answer> {
    let (visit, next) = Visit::begin(shared, &request);
    let (question, fault) = match next {
        Next::Reply(reply) => return Ok(visit.answer(&reply)),
        Next::Close => return Err(closed()),
        Next::Hang => future::pending().await,
        Next::Write(question, fault) => (question, fault),
    };
    let slip = match fault {
        Some(Fault::Say(slip)) => Some(slip),
        _ => None,
    };
    let reply = visit.write(&question, slip).await;
    match fault {
        Some(Fault::LoseAnswer) => Err(closed()),
        Some(Fault::CloseMidway) => Ok(half(&reply)),
        _ => Ok(visit.answer(&reply)),
    }
}

/// The next step for a request.
enum Next {
    Reply(Reply),
    Close,
    Hang,
    /// The model writes an answer, and then there may be a fault.
    Write(Question, Option<Fault>),
}

impl State {
    fn next(&mut self, request: &Request<Bytes>, call: &Call) -> Next {
        let key = format!("Bearer {KEY}");
        if !self.is_open && call.authorization.as_ref() != Some(&key) {
            return Next::Reply(Reply::of_status(401, None));
        }
        if request.uri().path() != "/v1/chat/completions" {
            let message = format!("Invalid URL ({} {})", request.method(), call.path);
            return Next::Reply(Reply::error(404, "invalid_request_error", None, &message));
        }
        if request.method() != Method::POST {
            let message = "Not allowed to do that with this URL.";
            return Next::Reply(Reply::error(405, "invalid_request_error", None, message));
        }
        let content_type = request.headers().get(CONTENT_TYPE);
        if !content_type.is_some_and(|it| it.as_bytes().starts_with(b"application/json")) {
            let message = "Expected the header 'Content-Type: application/json'.";
            return Next::Reply(Reply::error(400, "invalid_request_error", None, message));
        }
        let question = match request::read(&call.body) {
            Ok(question) => question,
            Err(reply) => return Next::Reply(reply),
        };
        match self.plan.take(call.title.as_deref()) {
            Some(Fault::Answer(status, retry_after)) => {
                Next::Reply(Reply::of_status(status, retry_after))
            }
            Some(Fault::Page(status)) => Next::Reply(Reply::page(status)),
            Some(Fault::Close) => Next::Close,
            Some(Fault::Hang) => Next::Hang,
            fault => Next::Write(question, fault),
        }
    }
}

/// A request in progress, until this is dropped: after the answer, or because the client
/// disconnected.
struct Visit {
    shared: Arc<Shared>,
    /// The index of the call.
    index: usize,
}

impl Visit {
    fn begin(shared: Arc<Shared>, request: &Request<Bytes>) -> (Self, Next) {
        let mut state = shared.state.lock().unwrap();
        state.under_way += 1;
        state.most_under_way = state.most_under_way.max(state.under_way);
        let authorization = request.headers().get(AUTHORIZATION);
        let body = serde_json::from_slice(request.body()).unwrap_or_default();
        let call = Call {
            at: Instant::now(),
            path: request.uri().to_string(),
            authorization: authorization.map(|it| String::from_utf8_lossy(it.as_bytes()).into()),
            title: request::posting(&body).map(|posting| posting.title),
            body,
            status: None,
            under_way: state.under_way,
        };
        let next = state.next(request, &call);
        let index = state.calls.len();
        state.calls.push(call);
        drop(state);
        (Self { shared, index }, next)
    }

    /// Writes the model's answer, after the configured delay.
    async fn write(&self, question: &Question, slip: Option<Slip>) -> Reply {
        let mut held = self.shared.held.subscribe();
        // The sender lives as long as the server.
        let _ = held.wait_for(|held| !*held).await;
        let (delay, usage) = {
            let state = self.shared.state.lock().unwrap();
            (state.delay, state.usage)
        };
        sleep(delay).await;
        match draft::write(question, slip) {
            Ok(completion) => {
                let usage = usage.unwrap_or_else(|| completion.usage(question));
                Reply::completion(&completion, usage)
            }
            Err(message) => Reply::invalid("response_format", &message),
        }
    }

    fn answer(&self, reply: &Reply) -> Answer {
        self.shared.state.lock().unwrap().calls[self.index].status = Some(reply.status);
        let body = Full::new(Bytes::from(reply.body.clone()));
        let body = body.map_err(|never| match never {}).boxed();
        response(reply).body(body).unwrap()
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        self.shared.state.lock().unwrap().under_way -= 1;
    }
}

fn response(reply: &Reply) -> Builder {
    let response = Response::builder()
        .status(reply.status)
        .header(CONTENT_TYPE, reply.content_type)
        .header("x-request-id", format!("req_{}", Uuid::new_v4().simple()));
    match reply.retry_after {
        Some(seconds) => response.header(RETRY_AFTER, seconds),
        None => response,
    }
}

/// An answer with half of its body, after which the connection is closed.
fn half(reply: &Reply) -> Answer {
    let sent = Bytes::from(reply.body.as_bytes()[..reply.body.len() / 2].to_vec());
    let parts = stream::unfold(Some(sent), |sent| async {
        if let Some(sent) = sent {
            return Some((Ok(Frame::data(sent)), None));
        }
        sleep(MIDWAY).await;
        Some((Err(closed()), None))
    });
    let body = StreamBody::new(parts).boxed();
    response(reply)
        .header(CONTENT_LENGTH, reply.body.len())
        .body(body)
        .unwrap()
}

/// The error that closes a connection without an answer.
fn closed() -> io::Error {
    io::Error::other("a fault that was asked for")
}
