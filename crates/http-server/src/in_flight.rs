//! A request in progress, and the unread rest of its body when the answer is ready.
//!
//! A client that sends its whole body first could lose the answer if the rest stayed unread. So a
//! refusal reads and discards the rest, up to a limit. If more is left, the answer keeps the body
//! until the answer has been sent. actix-http then closes the connection when the client has read
//! the answer.

use std::{
    cell::RefCell,
    convert::Infallible,
    future::poll_fn,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll, ready},
    time::Duration,
};

use actix_web::{
    HttpMessage as _,
    body::{BodySize, BoxBody, MessageBody},
    dev::{Payload, ServiceRequest},
    error::PayloadError,
    http::header::{CONTENT_LENGTH, HeaderMap},
    web::Bytes,
};
use futures_util::stream::{Stream, StreamExt as _, poll_fn as poll_stream};
use tokio::time::{Instant, timeout};

use crate::connection::{Connection, Continue, READ_AHEAD, UNASKED, expects_continue};

/// The size of a piece of a long answer, in bytes.
pub const PIECE: usize = 32 * 1024;
/// How much of a refused request's body is discarded, in bytes.
const DRAIN_BYTES: u64 = 256 * 1024;
const DRAIN_PATIENCE: Duration = Duration::from_secs(1);

pub struct InFlight {
    guard: Option<InFlightGuard>,
    body: Option<SharedBody>,
}

impl InFlight {
    pub fn begin(request: &mut ServiceRequest) -> Self {
        let connection = Connection::of(request.request()).cloned();
        Self {
            body: SharedBody::of(request, connection.as_ref()),
            guard: connection.map(|connection| InFlightGuard::new(connection, request)),
        }
    }

    /// Discards the rest of the body, up to a limit. A client that waits for `100 Continue` rarely
    /// sends a body after a refusal, so for it nothing is read.
    pub async fn refuse(&self) {
        let is_kept_back = |guard: &InFlightGuard| guard.0.is_awaiting_continue();
        if let Some(body) = &self.body
            && !self.guard.as_ref().is_some_and(is_kept_back)
        {
            body.drain().await;
        }
    }

    /// A streamed or long body keeps the request and `held` until the body has been sent.
    pub fn answer<T: Unpin + 'static>(self, body: BoxBody, held: T) -> BoxBody {
        if let Some(guard) = &self.guard {
            guard.0.has_answered.set(true);
        }
        let body = match body.try_into_bytes() {
            Ok(bytes) if bytes.len() <= PIECE => BoxBody::new(bytes),
            Ok(bytes) => holding(BoxBody::new(Pieces(bytes)), (self.guard, held)),
            Err(body) => holding(body, (self.guard, held)),
        };
        match self.body {
            Some(rest) if !rest.has_ended() => holding(body, rest),
            _ => body,
        }
    }
}

struct InFlightGuard(Rc<Connection>);

impl InFlightGuard {
    fn new(connection: Rc<Connection>, request: &ServiceRequest) -> Self {
        connection.in_flight.set(connection.in_flight.get() + 1);
        connection.is_unwanted.set(false);
        connection.is_admitted.set(false);
        connection.is_stalled.set(false);
        connection.last_request.set(Instant::now());
        if expects_continue(request.request()) {
            connection.awaits.set(Continue::Awaited);
        }
        Self(connection)
    }
}

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        let Self(connection) = self;
        connection.has_answered.set(true);
        connection.has_taken(UNASKED);
        if matches!(connection.awaits.get(), Continue::Withheld | Continue::Due) {
            connection.awaits.set(Continue::Passes);
        }
        connection.last_answer.set(Instant::now());
        connection.in_flight.set(connection.in_flight.get() - 1);
    }
}

#[derive(Clone)]
struct SharedBody {
    connection: Option<Rc<Connection>>,
    source: Rc<RefCell<Source>>,
    length: Option<u64>,
}

struct Source {
    payload: Payload,
    has_ended: bool,
}

impl SharedBody {
    fn of(request: &mut ServiceRequest, connection: Option<&Rc<Connection>>) -> Option<Self> {
        let payload = request.take_payload();
        if matches!(payload, Payload::None) {
            return None;
        }
        let source = Source {
            payload,
            has_ended: false,
        };
        let shared = Self {
            connection: connection.cloned(),
            source: Rc::new(RefCell::new(source)),
            length: content_length(request.headers()),
        };
        let handlers = shared.clone();
        let stream = poll_stream(move |context| handlers.poll(context));
        request.set_payload(Payload::Stream {
            payload: stream.boxed_local(),
        });
        Some(shared)
    }

    fn poll(&self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, PayloadError>>> {
        let Source { payload, has_ended } = &mut *self.source.borrow_mut();
        if *has_ended {
            return Poll::Ready(None);
        }
        let piece = Pin::new(payload).poll_next(context);
        if let Some(connection) = &self.connection {
            connection.is_stalled.set(piece.is_pending());
            if piece.is_pending() {
                connection.has_taken(READ_AHEAD);
            }
        }
        let piece = ready!(piece);
        *has_ended = !matches!(piece, Some(Ok(_)));
        Poll::Ready(piece)
    }

    fn has_ended(&self) -> bool {
        self.source.borrow().has_ended
    }

    async fn drain(&self) {
        if self.length.is_some_and(|length| length > DRAIN_BYTES) {
            return;
        }
        let rest = async {
            let mut taken = 0;
            while let Some(Ok(piece)) = poll_fn(|context| self.poll(context)).await {
                taken += piece.len() as u64;
                if taken > DRAIN_BYTES {
                    break;
                }
            }
        };
        timeout(DRAIN_PATIENCE, rest).await.ok();
    }
}

struct Holding<T> {
    body: BoxBody,
    _held: T,
}

fn holding<T: Unpin + 'static>(body: BoxBody, held: T) -> BoxBody {
    BoxBody::new(Holding { body, _held: held })
}

impl<T: Unpin> MessageBody for Holding<T> {
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

/// actix-http copies each piece, and keeps the copy until the client has read it.
struct Pieces(Bytes);

impl MessageBody for Pieces {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        BodySize::Sized(self.0.len() as u64)
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let length = self.0.len().min(PIECE);
        let piece = self.0.split_to(length);
        Poll::Ready((length > 0).then_some(Ok(piece)))
    }
}

pub fn content_length(headers: &HeaderMap) -> Option<u64> {
    let length = headers.get(CONTENT_LENGTH)?.to_str().ok()?;
    length.trim().parse().ok()
}
