use std::{
    io,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll, ready},
};

use actix_web::web::Bytes;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep, sleep_until},
};

use crate::{
    connection::{Connection, Continue, Timeouts},
    early,
    places::{Place, Places},
};

const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

/// A connection's stream, which ends at its deadlines.
///
/// If no request is in progress, the next head must be complete within the keep-alive time plus the
/// time for a head, counted from the last byte of the last answer. The skipped rest of a refused
/// body has the same deadline. At the deadline, or when the stream's [place](Places) is needed, the
/// stream reports the end of its input, so that pending output is still written. If a client reads
/// nothing for too long, its connection is closed.
///
/// The stream also completes actix-http's own answers (see [`early`]), and withholds `100 Continue`
/// until a handler reads the body.
pub struct GuardedStream<S> {
    io: S,
    connection: Rc<Connection>,
    timeouts: Timeouts,
    timer: Pin<Box<Sleep>>,
    /// The time since which the client has accepted no output.
    blocked_since: Option<Instant>,
    is_over: bool,
    rest: usize,
    /// Written before all other output.
    own: Bytes,
    _place: Place,
}

impl<S> GuardedStream<S> {
    pub fn new(io: S, timeouts: Timeouts, places: &Rc<Places>) -> Self {
        let first = Instant::now() + timeouts.between_requests();
        let connection = Rc::new(Connection::open());
        Self {
            io,
            _place: places.take(Rc::clone(&connection)),
            connection,
            timeouts,
            timer: Box::pin(sleep_until(first)),
            blocked_since: None,
            is_over: false,
            rest: 0,
            own: Bytes::new(),
        }
    }

    pub fn connection(&self) -> Rc<Connection> {
        Rc::clone(&self.connection)
    }

    fn deadline(&self) -> Option<Instant> {
        let stalled = self
            .blocked_since
            .map(|since| since + self.timeouts.stalled_answer);
        let is_idle = self.connection.in_flight.get() == 0 && self.blocked_since.is_none();
        let idle =
            is_idle.then(|| self.connection.last_answer.get() + self.timeouts.between_requests());
        stalled.or(idle)
    }

    /// When the timer has expired, ends the stream or sets the timer for the current deadline. No
    /// earlier change is needed, because deadlines only become later.
    fn check_time(&mut self, context: &mut Context<'_>) {
        while !self.is_over && self.timer.as_mut().poll(context).is_ready() {
            let now = Instant::now();
            let latest = now
                + self
                    .timeouts
                    .between_requests()
                    .min(self.timeouts.stalled_answer);
            match self.deadline() {
                Some(deadline) if deadline <= now => self.is_over = true,
                deadline => {
                    let next = deadline.map_or(latest, |deadline| deadline.min(latest));
                    self.timer.as_mut().reset(next);
                }
            }
        }
    }

    /// Queues bytes that replace an answer of actix-http. Returns how many bytes they replace.
    fn replace(&mut self, buffer: &[u8]) -> Option<usize> {
        let connection = &self.connection;
        if connection.awaits.get() == Continue::Awaited {
            if buffer.starts_with(CONTINUE) {
                connection.awaits.set(Continue::Withheld);
                return Some(CONTINUE.len());
            }
            connection.awaits.set(Continue::Passes);
        }
        let is_actix_own = connection.in_flight.get() == 0 && !connection.has_answered.take();
        let answer = is_actix_own.then(|| early::with_body(buffer)).flatten()?;
        self.own = answer;
        Some(buffer.len())
    }
}

impl<S: AsyncWrite + Unpin> GuardedStream<S> {
    fn write(&mut self, context: &mut Context<'_>, buffer: &[u8]) -> Poll<io::Result<usize>> {
        self.check_time(context);
        match Pin::new(&mut self.io).poll_write(context, buffer) {
            // The client has read nothing for too long, or the connection's place is needed.
            Poll::Pending if self.is_over || self.connection.is_unwanted.get() => {
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
            Poll::Pending => {
                self.blocked_since.get_or_insert_with(Instant::now);
                self.connection.is_stalled.set(true);
                Poll::Pending
            }
            Poll::Ready(written) => {
                self.blocked_since = None;
                self.connection.is_stalled.set(false);
                self.connection.last_answer.set(Instant::now());
                Poll::Ready(written)
            }
        }
    }

    fn write_own(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.own.is_empty() && self.connection.awaits.get() == Continue::Due {
            self.connection.awaits.set(Continue::Passes);
            self.own = Bytes::from_static(CONTINUE);
        }
        while !self.own.is_empty() {
            let own = self.own.clone();
            let written = ready!(self.write(context, &own))?;
            self.own = own.slice(written..);
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for GuardedStream<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.check_time(context);
        if this.connection.is_unwanted.get() {
            this.is_over = true;
        }
        if this.is_over {
            return Poll::Ready(Ok(()));
        }
        // While a client reads no answers, none of its requests are read, or answers would pile up.
        if this.blocked_since.is_some() {
            this.connection.awaits_input(context.waker());
            return Poll::Pending;
        }
        if !this.connection.may_be_read(context.waker()) {
            return Poll::Pending;
        }
        let before = buffer.filled().len();
        let Poll::Ready(read) = Pin::new(&mut this.io).poll_read(context, buffer) else {
            this.connection.awaits_input(context.waker());
            return Poll::Pending;
        };
        read?;
        this.connection.has_read(buffer.filled().len() - before);
        if buffer.filled().len() == before && buffer.remaining() > 0 {
            this.connection.end();
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for GuardedStream<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        ready!(this.write_own(context))?;
        if this.rest == 0
            && let Some(replaced) = this.replace(buffer)
        {
            return Poll::Ready(Ok(replaced));
        }
        let written = ready!(this.write(context, buffer))?;
        this.rest = buffer.len() - written;
        Poll::Ready(Ok(written))
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.write_own(context))?;
        Pin::new(&mut this.io).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().io).poll_shutdown(context)
    }
}
