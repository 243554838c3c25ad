//! The event log over HTTP.

mod feed;
mod view;

use actix_web::web;

pub use self::{
    feed::{DEFAULT_LIMIT, LATEST, MAX_LIMIT, MAX_WAIT},
    view::{DeliveredEvent, EventId, EventPageAnswer, EventType, event_body},
};
use crate::{api, posting::READERS, routing::READ_METHODS};

/// The path of the feed.
pub const PATH: &str = "/api/job-board/events";

/// `GET` of the feed.
pub fn routes(config: &mut web::ServiceConfig) {
    config.service(api::bodiless(PATH, READERS, READ_METHODS, feed::handle));
}
