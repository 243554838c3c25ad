//! What the handlers share: the ports, the authorizer, and the limits of a request.

use std::sync::Arc;

use actix_web::web;
use domain::{
    client::Clients,
    store::{Health, PostingReader},
    usecase::Ingest,
};
use newsletter::usecase::Newsletter;

use crate::{body::BodyLimit, connection::Timeouts, oauth::Authorizer};

/// What the handlers talk to.
#[derive(Clone)]
pub struct Ports {
    /// Takes pushes.
    pub ingest: Arc<dyn Ingest>,
    /// Answers questions about postings.
    pub postings: Arc<dyn PostingReader>,
    /// Takes and answers whatever is about newsletter subscribers.
    pub newsletter: Arc<dyn Newsletter>,
    /// Knows the OAuth clients.
    pub clients: Arc<dyn Clients>,
    /// Tells whether the store can do its work.
    pub health: Arc<dyn Health>,
}

/// What handlers share.
pub struct State {
    pub ports: Ports,
    pub authorizer: web::Data<Authorizer>,
    pub body_limit: usize,
    pub timeouts: Timeouts,
    pub board_name: String,
}

impl State {
    /// What is read of the body of an authorised client.
    pub const fn body_limit(&self) -> BodyLimit {
        BodyLimit {
            bytes: self.body_limit,
            time: self.timeouts.body,
        }
    }

    /// What is read of the body of a client that is not authorised.
    pub fn anonymous_limit(&self, bytes: usize) -> BodyLimit {
        BodyLimit {
            bytes: bytes.min(self.body_limit),
            time: self.timeouts.anonymous_body,
        }
    }
}
