//! Handles a request.

use std::{
    io,
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use http_body_util::Full;
use hyper::{
    Method, Request, Response,
    body::Bytes,
    header::{AUTHORIZATION, CONTENT_TYPE},
    http::response::Builder,
};
use tokio::sync::watch;
use uuid::Uuid;

use super::{
    super::stand_in::Server,
    Call, Chat, KEY, Slip, State, draft,
    fault::Plan,
    reply::Reply,
    request::{self, Question},
};

/// The state that all requests share.
pub struct Shared {
    pub state: Mutex<State>,
    /// Whether answers are held.
    pub held: watch::Sender<bool>,
}

type Answer = Response<Full<Bytes>>;

pub fn start(address: SocketAddr) -> Chat {
    let shared = Arc::new(Shared {
        state: Mutex::new(State {
            plan: Plan::default(),
            calls: Vec::new(),
            under_way: 0,
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
    let reply = match next {
        Next::Reply(reply) => reply,
        Next::Write(question, slip) => visit.write(&question, slip).await,
    };
    Ok(visit.answer(&reply))
}

/// The next step for a request.
enum Next {
    Reply(Reply),
    /// The model writes an answer, which may have a slip.
    Write(Question, Option<Slip>),
}

impl State {
    fn next(&mut self, request: &Request<Bytes>, call: &Call) -> Next {
        let key = format!("Bearer {KEY}");
        if call.authorization.as_ref() != Some(&key) {
            return Next::Reply(Reply::unauthorized());
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
        let slip = self.plan.take(call.title.as_deref().unwrap_or_default());
        Next::Write(question, slip)
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
        let authorization = request.headers().get(AUTHORIZATION);
        let body = serde_json::from_slice(request.body()).unwrap_or_default();
        let call = Call {
            path: request.uri().to_string(),
            authorization: authorization.map(|it| String::from_utf8_lossy(it.as_bytes()).into()),
            title: request::posting(&body).map(|posting| posting.title),
            body,
            status: None,
        };
        let next = state.next(request, &call);
        let index = state.calls.len();
        state.calls.push(call);
        drop(state);
        (Self { shared, index }, next)
    }

    /// Writes the model's answer, once answers are not held.
    async fn write(&self, question: &Question, slip: Option<Slip>) -> Reply {
        let mut held = self.shared.held.subscribe();
        // The sender lives as long as the server.
        let _ = held.wait_for(|held| !*held).await;
        match draft::write(question, slip) {
            Ok(completion) => Reply::completion(&completion, completion.usage(question)),
            Err(message) => Reply::invalid("response_format", &message),
        }
    }

    fn answer(&self, reply: &Reply) -> Answer {
        self.shared.state.lock().unwrap().calls[self.index].status = Some(reply.status);
        let body = Full::new(Bytes::from(reply.body.clone()));
        response(reply).body(body).unwrap()
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        self.shared.state.lock().unwrap().under_way -= 1;
    }
}

fn response(reply: &Reply) -> Builder {
    Response::builder()
        .status(reply.status)
        .header(CONTENT_TYPE, "application/json")
        .header("x-request-id", format!("req_{}", Uuid::new_v4().simple()))
}
