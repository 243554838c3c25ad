//! What is found out about a request while it is authorised.

use std::{cell::Cell, rc::Rc};

use actix_web::{HttpMessage as _, HttpRequest, http::header::HeaderMap};
use kernel::ClientId;

use super::limit::Usage;

/// The client of a request, for the access log, and the use of its limit, for the headers of the
/// answer. It is shared, because not every answer has its request: a handler that panics drops it.
#[derive(Clone, Default)]
pub struct RequestContext {
    usage: Rc<Cell<Option<Usage>>>,
    client: Rc<Cell<Option<ClientId>>>,
}

impl RequestContext {
    /// Sets the client, once it is known, and the use of its limit, if it has one.
    pub fn set(request: &HttpRequest, client: ClientId, usage: Option<Usage>) {
        if let Some(context) = request.extensions().get::<Self>() {
            context.note(client, usage);
        }
    }

    /// The same for a request that is not at hand.
    pub fn note(&self, client: ClientId, usage: Option<Usage>) {
        self.client.set(Some(client));
        self.usage.set(usage);
    }

    /// The client, if its token was accepted.
    pub fn client(&self) -> Option<ClientId> {
        self.client.get()
    }

    /// Adds the headers about the limit, if the client has one.
    pub fn tell_usage(&self, headers: &mut HeaderMap) {
        if let Some(usage) = self.usage.get() {
            usage.tell(headers);
        }
    }
}
