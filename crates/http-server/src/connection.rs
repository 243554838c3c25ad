use std::{
    cell::{Cell, RefCell},
    future::poll_fn,
    rc::Rc,
    task::{Poll, Waker},
    time::Duration,
};

use actix_web::{HttpRequest, http::header};
use tokio::time::Instant;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// The time until the head of a request is complete.
    pub head: Duration,
    /// The longest time between two requests.
    pub keep_alive: Duration,
    /// The time for the body of a request from an authorised client.
    pub body: Duration,
    /// The time for the body of a request from an unauthorised client.
    pub anonymous_body: Duration,
    /// How long the connection stays open after an answer that came before the end of the body, so
    /// that the client can read the answer.
    pub linger: Duration,
    /// The longest time in which a client reads nothing of an answer.
    pub stalled_answer: Duration,
}

impl Timeouts {
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

/// How `100 Continue` is handled. actix-http buffers it before a handler gets the request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Continue {
    #[default]
    Passes,
    /// The client waits for `100 Continue`, which actix-http has not written yet.
    Awaited,
    /// actix-http has written `100 Continue`. It is withheld until a handler asks for the body.
    Withheld,
    /// A handler has asked for the body, so `100 Continue` is sent next.
    Due,
}

#[derive(Debug)]
pub struct Connection {
    pub(crate) in_flight: Cell<u32>,
    /// When the last part of an answer was written; at first, when the connection was opened.
    pub(crate) last_answer: Cell<Instant>,
    pub(crate) last_request: Cell<Instant>,
    pub(crate) is_admitted: Cell<bool>,
    /// Whether the request waits for its client to send a piece of the body, or to read the answer.
    pub(crate) is_stalled: Cell<bool>,
    /// Whether the next bytes to be written are a handler's answer.
    pub(crate) has_answered: Cell<bool>,
    pub(crate) awaits: Cell<Continue>,
    has_ended: Cell<bool>,
    /// Woken when the client closes the connection or its sending side.
    waiting: RefCell<Option<Waker>>,
    /// Whether the connection closes, unless a request begins first.
    pub(crate) is_unwanted: Cell<bool>,
    /// Woken when the connection must close, or more may be read.
    reader: RefCell<Option<Waker>>,
    /// The number of bytes read since the handler last waited for more.
    read_ahead: Cell<usize>,
    /// How many bytes may be read ahead.
    most_ahead: Cell<usize>,
    /// Whether reading waits until the handler takes more.
    is_withheld: Cell<bool>,
}

/// How many bytes are read ahead of a handler that takes the body. actix-http would read up to 128
/// KiB, even of a body that is refused.
pub(crate) const READ_AHEAD: usize = 32 * 1024;
/// The same number before a handler has taken a piece of the body, and for the rest of a refused
/// body. With it, actix-http's buffer stays at 16 KiB for each of thousands of connections.
pub(crate) const UNASKED: usize = 8 * 1024;

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
            read_ahead: Cell::default(),
            most_ahead: Cell::new(UNASKED),
            is_withheld: Cell::default(),
        }
    }

    /// The time since which the connection may be closed, because it has no request or waits for an
    /// unknown client. The wait counts from the beginning of the request, so a client cannot extend
    /// it by sending single bytes.
    pub(crate) fn spare_since(&self) -> Option<Instant> {
        if self.in_flight.get() == 0 {
            return Some(self.last_answer.get());
        }
        let is_spare = self.is_stalled.get() && !self.is_admitted.get();
        is_spare.then(|| self.last_request.get())
    }

    /// Marks the client as known. Its connection keeps its place until the answer has been sent.
    pub fn admit(&self) {
        self.is_admitted.set(true);
    }

    pub fn is_closing(&self) -> bool {
        self.is_unwanted.get()
    }

    pub(crate) fn close(&self) {
        self.is_unwanted.set(true);
        if let Some(reader) = self.reader.take() {
            reader.wake();
        }
    }

    /// Whether more may be read now. If not, the task is woken later.
    pub(crate) fn may_be_read(&self, task: &Waker) -> bool {
        if self.read_ahead.get() < self.most_ahead.get() {
            return true;
        }
        if self.in_flight.get() > 0 {
            self.is_withheld.set(true);
            self.awaits_input(task);
        } else {
            // The bytes that were read may begin a request.
            self.read_ahead.set(0);
            task.wake_by_ref();
        }
        false
    }

    pub(crate) fn has_read(&self, bytes: usize) {
        self.read_ahead.set(self.read_ahead.get() + bytes);
    }

    pub(crate) fn has_taken(&self, most_ahead: usize) {
        self.read_ahead.set(0);
        self.most_ahead.set(most_ahead);
        if self.is_withheld.take()
            && let Some(reader) = self.reader.take()
        {
            reader.wake();
        }
    }

    pub(crate) fn awaits_input(&self, task: &Waker) {
        match &mut *self.reader.borrow_mut() {
            Some(reader) => reader.clone_from(task),
            none => *none = Some(task.clone()),
        }
    }

    /// Returns `None` for a request without a connection, as in unit tests.
    pub fn of(request: &HttpRequest) -> Option<&Rc<Self>> {
        request.conn_data()
    }

    /// Completes when the client has closed the connection or its sending side. actix-http
    /// continues with the request even then.
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

    pub(crate) fn end(&self) {
        self.has_ended.set(true);
        if let Some(waiting) = self.waiting.take() {
            waiting.wake();
        }
    }

    /// Sends `100 Continue` if the client waits for it. It is written after the handler was polled.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The unread rest stays in the kernel, which slows the client down.
    #[test]
    fn a_request_is_read_no_further_ahead_than_its_handler_takes() {
        let (connection, task) = (Connection::open(), Waker::noop());
        connection.has_read(UNASKED);
        assert!(!connection.may_be_read(task), "what was read comes first");
        assert!(connection.may_be_read(task), "it was no request");
        connection.in_flight.set(1);
        for most in [UNASKED, READ_AHEAD, READ_AHEAD, UNASKED] {
            connection.has_taken(most);
            connection.has_read(most - 1);
            assert!(connection.may_be_read(task));
            connection.has_read(1);
            assert!(!connection.may_be_read(task));
            assert!(!connection.may_be_read(task), "until the handler waits");
        }
    }
}
