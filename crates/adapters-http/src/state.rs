//! The state that handlers share: the ports, the authorizer, and the limits of a request.

use std::sync::Arc;

use actix_web::web;
use domain::{
    client::Clients,
    store::{Health, PostingReader},
    usecase::Ingest,
};
use newsletter::usecase::Newsletter;

use crate::{body::BodyLimit, connection::Timeouts, oauth::Authorizer};

/// The ports that the handlers call.
#[derive(Clone)]
pub struct Ports {
    /// Accepts pushes.
    pub ingest: Arc<dyn Ingest>,
    /// Reads postings.
    pub postings: Arc<dyn PostingReader>,
    /// The newsletter's use cases.
    pub newsletter: Arc<dyn Newsletter>,
    /// Reads OAuth clients.
    pub clients: Arc<dyn Clients>,
    /// Checks the store.
    pub health: Arc<dyn Health>,
}

/// The state that handlers share.
pub struct State {
    pub ports: Ports,
    pub authorizer: web::Data<Authorizer>,
    pub body_limit: usize,
    pub timeouts: Timeouts,
    pub board_name: String,
}

impl State {
    /// The limits for the body of an authorised client.
    pub const fn body_limit(&self) -> BodyLimit {
        BodyLimit {
            bytes: self.body_limit,
            time: self.timeouts.body,
        }
    }

    /// The limits for the body of a client that is not authorised.
    pub fn anonymous_limit(&self, bytes: usize) -> BodyLimit {
        BodyLimit {
            bytes: bytes.min(self.body_limit),
            time: self.timeouts.anonymous_body,
        }
    }
}
