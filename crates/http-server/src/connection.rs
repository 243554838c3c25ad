//! The state that a connection shares with its requests, and its time limits.

use std::{
    cell::{Cell, RefCell},
    future::poll_fn,
    rc::Rc,
    task::{Poll, Waker},
    time::Duration,
};

use actix_web::{HttpRequest, http::header};
use tokio::time::Instant;

/// The time limits of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// The time for the head of a request.
    pub head: Duration,
    /// The idle time between two requests.
    pub keep_alive: Duration,
    /// The time for the body of an authorised client.
    pub body: Duration,
    /// The time for the body of a client that is not authorised.
    pub anonymous_body: Duration,
    /// How long the connection stays open after an answer that was sent before the body had ended,
    /// so that the client sees the answer.
    pub linger: Duration,
    /// How long a client may read nothing of an answer.
    pub stalled_answer: Duration,
}

impl Timeouts {
    /// The time from the end of an answer until the head of the next request is complete.
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

/// The handling of `100 Continue`, which actix-http writes before a handler has seen the request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Continue {
    /// It passes.
    #[default]
    Passes,
    /// The client waits for it, and no handler has asked for the body yet; to be withheld.
    Awaited,
    /// It was withheld; no handler has asked for the body yet.
    Withheld,
    /// It was withheld, and a handler has asked for the body since; to be sent.
    Due,
}

/// The state that a connection shares with its requests.
#[derive(Debug)]
pub struct Connection {
    pub(crate) in_flight: Cell<u32>,
    /// The time when the last part of an answer was written; at first, the time of opening.
    pub(crate) last_answer: Cell<Instant>,
    /// The time when the last request began.
    pub(crate) last_request: Cell<Instant>,
    /// Whether the request in progress is of a client that is known.
    pub(crate) is_admitted: Cell<bool>,
    /// Whether the request in progress waits for its client: for the next piece of its body, or
    /// until the client takes more of the answer.
    pub(crate) is_stalled: Cell<bool>,
    /// Whether the next bytes to be written are a handler's answer.
    pub(crate) has_answered: Cell<bool>,
    pub(crate) awaits: Cell<Continue>,
    /// Whether the client has closed its side.
    has_ended: Cell<bool>,
    /// The answer that waits, to be told when the client has.
    waiting: RefCell<Option<Waker>>,
    /// Whether it is to be closed because its place is needed, unless a request begins first.
    pub(crate) is_unwanted: Cell<bool>,
    /// The task that waits for the next request.
    reader: RefCell<Option<Waker>>,
}

impl Connection {
    pub(crate) fn open() -> Self {
        let now = Instant::now();
        Self {
            in_flight: Cell::new(0),
            last_answer: Cell::new(now),
            last_request: Cell::new(now),
            is_admitted: Cell::default(),
            is_stalled: Cell::default(),
            has_answered: Cell::new(false),
            awaits: Cell::default(),
            has_ended: Cell::new(false),
            waiting: RefCell::default(),
            is_unwanted: Cell::default(),
            reader: RefCell::default(),
        }
    }

    /// Returns since when the connection may be closed, if it may: no request is in progress, or
    /// only a request that waits for an unknown client. The latter counts from the request's
    /// beginning, so that a byte now and then does not keep the connection.
    pub(crate) fn spare_since(&self) -> Option<Instant> {
        if self.in_flight.get() == 0 {
            return Some(self.last_answer.get());
        }
        let is_spare = self.is_stalled.get() && !self.is_admitted.get();
        is_spare.then(|| self.last_request.get())
    }

    /// Notes that the request in progress is of a client that is known. The connection keeps its
    /// place until the answer has been sent.
    pub fn admit(&self) {
        self.is_admitted.set(true);
    }

    /// Whether it ends because its place is needed.
    pub fn is_closing(&self) -> bool {
        self.is_unwanted.get()
    }

    /// Closes it, unless a request begins first.
    pub(crate) fn close(&self) {
        self.is_unwanted.set(true);
        if let Some(reader) = self.reader.take() {
            reader.wake();
        }
    }

    /// Notes the task that waits for input.
    pub(crate) fn awaits_input(&self, task: &Waker) {
        match &mut *self.reader.borrow_mut() {
            Some(reader) => reader.clone_from(task),
            none => *none = Some(task.clone()),
        }
    }

    /// The connection of a request; `None` for a request without one, as in unit tests.
    pub fn of(request: &HttpRequest) -> Option<&Rc<Self>> {
        request.conn_data()
    }

    /// Completes when the client has closed the connection, or at least its side of it. actix-http
    /// goes on with a request then, because the client may still take the answer.
    pub async fn hung_up(&self) {
        poll_fn(|context| {
            if self.has_ended.get() {
                return Poll::Ready(());
            }
            self.waiting.replace(Some(context.waker().clone()));
            Poll::Pending
        })
        .await;
    }

    /// Notes that the client sends nothing more.
    pub(crate) fn end(&self) {
        self.has_ended.set(true);
        if let Some(waiting) = self.waiting.take() {
            waiting.wake();
        }
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

    /// Whether the client still waits for `100 Continue` before it sends the body.
    pub fn is_awaiting_continue(&self) -> bool {
        matches!(self.awaits.get(), Continue::Awaited | Continue::Withheld)
    }
}

pub(crate) fn expects_continue(request: &HttpRequest) -> bool {
    request
        .headers()
        .get(header::EXPECT)
        .is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"100-continue"))
}
