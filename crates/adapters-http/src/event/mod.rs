//! The event log over HTTP.

mod feed;
mod view;

use actix_web::web;

pub use self::{
    feed::{DEFAULT_LIMIT, LATEST, MAX_LIMIT, MAX_WAIT},
    view::{DeliveredEvent, EventId, EventPageAnswer, EventType, event_body},
};
use crate::{guard::protected, posting::READERS};

/// The path of the feed.
pub const PATH: &str = "/api/job-board/events";

/// `GET` of the feed.
pub fn routes(config: &mut web::ServiceConfig) {
    config.service(protected(PATH, READERS).get(feed::follow).build());
}
