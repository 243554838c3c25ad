//! Connections: how long each may take, and what a handler can tell its own.
//!
//! actix-http limits the time for the head of the first request of a connection, and the silence
//! between two requests; neither holds once a second head has begun, nor while the rest of a
//! refused body is skipped, nor for a client that takes nothing of an answer. So every
//! connection is read and written through a [`GuardedStream`], which ends it when its time is up.
//! What it has to know of requests is in a [`Connection`], which `middleware` and `body` keep up
//! to date.

mod early;
mod stream;

use std::{
    cell::Cell,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll},
    time::Duration,
};

use actix_web::{
    HttpRequest,
    body::{BodySize, BoxBody, MessageBody},
    http::header,
    web::Bytes,
};
use tokio::time::Instant;

pub use self::stream::GuardedStream;

/// How long a connection may take for each of its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// For the head of a request.
    pub head: Duration,
    /// Without a byte between two requests.
    pub keep_alive: Duration,
    /// For a body that an authorised client sends.
    pub body: Duration,
    /// For a body of a client that is not authorised.
    pub anonymous_body: Duration,
    /// After an answer that came before the body had ended, so that the client sees it.
    pub linger: Duration,
    /// Without a byte of an answer that the client takes.
    pub stalled_answer: Duration,
}

impl Timeouts {
    /// From the end of one answer until the next request's head is complete.
    pub(crate) fn between_requests(&self) -> Duration {
        self.keep_alive + self.head
    }
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            head: Duration::from_secs(5),
            keep_alive: Duration::from_secs(5),
            body: Duration::from_secs(30),
            anonymous_body: Duration::from_secs(5),
            linger: Duration::from_secs(5),
            stalled_answer: Duration::from_secs(30),
        }
    }
}

/// What becomes of `100 Continue`, which actix-http writes before a handler has seen the request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Continue {
    /// Whatever is written is written.
    #[default]
    Passes,
    /// The client waits for it, and no handler has asked for the body yet.
    Awaited,
    /// It was kept back for the same reason.
    Withheld,
    /// It was kept back, and a handler has asked for the body since.
    Due,
}

/// What the requests of a connection have in common.
#[derive(Debug)]
pub struct Connection {
    under_way: Cell<u32>,
    /// When the last answer, or a part of one, was written; at first, when it was opened.
    last_answer: Cell<Instant>,
    /// Whether a handler's answer is what will be written next.
    has_answered: Cell<bool>,
    awaits: Cell<Continue>,
}

impl Connection {
    fn open() -> Self {
        Self {
            under_way: Cell::new(0),
            last_answer: Cell::new(Instant::now()),
            has_answered: Cell::new(false),
            awaits: Cell::default(),
        }
    }

    /// The connection of a request; `None` of a request that did not come by one.
    pub fn of(request: &HttpRequest) -> Option<&Rc<Self>> {
        request.conn_data()
    }

    /// Counts a request as under way until the guard is dropped.
    pub fn begin(self: &Rc<Self>, request: &HttpRequest) -> UnderWay {
        self.under_way.set(self.under_way.get() + 1);
        if expects_continue(request) {
            self.awaits.set(Continue::Awaited);
        }
        UnderWay(Rc::clone(self))
    }

    /// Tells the client to send the body, if it waits for that. The connection is flushed after
    /// the handler has been polled, and that sends it.
    pub fn ask_for_body(&self) {
        match self.awaits.get() {
            Continue::Awaited => self.awaits.set(Continue::Passes),
            Continue::Withheld => self.awaits.set(Continue::Due),
            Continue::Passes | Continue::Due => {}
        }
    }

    /// Whether the client keeps its body back until it is told to send it.
    pub fn keeps_body_back(&self) -> bool {
        matches!(self.awaits.get(), Continue::Awaited | Continue::Withheld)
    }
}

fn expects_continue(request: &HttpRequest) -> bool {
    request
        .headers()
        .get(header::EXPECT)
        .is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"100-continue"))
}

/// A request that is under way.
#[derive(Debug)]
pub struct UnderWay(Rc<Connection>);

impl UnderWay {
    /// Notes that the handler has answered, and stays with a body that is made while it is sent.
    pub fn answer(self, body: BoxBody) -> BoxBody {
        self.0.has_answered.set(true);
        match body.try_into_bytes() {
            Ok(bytes) => BoxBody::new(bytes),
            Err(body) => BoxBody::new(Streamed {
                body,
                _under_way: self,
            }),
        }
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let Self(connection) = self;
        connection.has_answered.set(true);
        if matches!(connection.awaits.get(), Continue::Withheld | Continue::Due) {
            connection.awaits.set(Continue::Passes);
        }
        connection.last_answer.set(Instant::now());
        connection.under_way.set(connection.under_way.get() - 1);
    }
}

/// A body that is made while it is sent; its request is under way until then.
struct Streamed {
    body: BoxBody,
    _under_way: UnderWay,
}

impl MessageBody for Streamed {
    type Error = <BoxBody as MessageBody>::Error;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        self.body.as_pin_mut().poll_next(context)
    }
}
