//! The context of a request: its client, the state of the client's limit, and the place and bytes
//! that the request holds.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use actix_web::{HttpMessage as _, HttpRequest, http::header::HeaderMap};
use http_server::Connection;
use kernel::ClientId;

use crate::{
    error::ApiError,
    limit::Usage,
    slots::{Share, Shares, Slot},
};

/// A request's context. The middleware keeps another handle, because a panic drops the request.
#[derive(Clone, Default)]
pub struct RequestContext(Rc<Context>);

#[derive(Default)]
struct Context {
    usage: Cell<Option<Usage>>,
    client: Cell<Option<ClientId>>,
    /// `None` if bytes are not limited.
    share: RefCell<Option<Share>>,
    held: RefCell<Held>,
}

#[derive(Default)]
pub struct Held {
    place: Option<Slot>,
    bytes: Option<Slot>,
}

impl RequestContext {
    pub fn of_stranger(share: Option<Share>) -> Self {
        let share = RefCell::new(share);
        Self(Rc::new(Context {
            share,
            ..Context::default()
        }))
    }

    pub fn set(request: &HttpRequest, client: ClientId, usage: Option<Usage>) {
        if let Some(context) = request.extensions().get::<Self>() {
            context.note(client, usage);
        }
    }

    pub fn note(&self, client: ClientId, usage: Option<Usage>) {
        self.0.client.set(Some(client));
        self.0.usage.set(usage);
    }

    /// Takes a place for a client's request, and counts the request's bytes in the client's share.
    pub fn admit(request: &HttpRequest, shares: &Shares) -> Result<(), ApiError> {
        if let Some(Self(context)) = request.extensions().get() {
            context.held.borrow_mut().place = Some(shares.requests.take(1)?);
            context.share.replace(Some(shares.bytes.clone()));
        }
        if let Some(connection) = Connection::of(request) {
            connection.admit();
        }
        Ok(())
    }

    pub fn move_to(request: &HttpRequest, place: Slot) {
        if let Some(Self(context)) = request.extensions().get() {
            context.held.borrow_mut().place = Some(place);
        }
    }

    pub fn hold(request: &HttpRequest, bytes: usize) -> Result<(), ApiError> {
        match request.extensions().get::<Self>() {
            Some(context) => context.hold_bytes(bytes),
            None => Ok(()),
        }
    }

    /// Reserves up to this many bytes in advance, so that a request without room is refused early.
    pub fn expect(request: &HttpRequest, bytes: usize) -> Result<(), ApiError> {
        let extensions = request.extensions();
        let Some(context) = extensions.get::<Self>() else {
            return Ok(());
        };
        let share = context.0.share.borrow();
        let estimate = share.as_ref().map(|share| share.estimate(bytes));
        drop(share);
        estimate.map_or(Ok(()), |bytes| context.hold_bytes(bytes))
    }

    pub fn hold_bytes(&self, bytes: usize) -> Result<(), ApiError> {
        let Self(context) = self;
        let held = &mut context.held.borrow_mut().bytes;
        match (held.as_mut(), &*context.share.borrow()) {
            (Some(held), _) => held.set(bytes)?,
            (None, Some(share)) => *held = Some(share.take(bytes)?),
            (None, None) => {}
        }
        Ok(())
    }

    /// Takes the place and the bytes. The caller keeps them until the client has read the answer.
    pub fn take_held(&self) -> Held {
        self.0.held.take()
    }

    pub fn client(&self) -> Option<ClientId> {
        self.0.client.get()
    }

    pub fn tell_usage(&self, headers: &mut HeaderMap) {
        if let Some(usage) = self.0.usage.get() {
            usage.tell(headers);
        }
    }
}
