//! `PUT` of a subscriber: a report of the membership system about a person.

use actix_web::{HttpRequest, HttpResponse, dev::Payload, http::StatusCode};
use newsletter::subscriber::{MigrationToken, PutSubscriber, SubscriberId};
use uuid::Uuid;

use super::{REPORTERS, view};
use crate::{api, body, error::ApiError, state::State};

pub(super) async fn handle(
    request: &HttpRequest,
    payload: &mut Payload,
    state: &State,
) -> Result<HttpResponse, ApiError> {
    api::authorize(request, state, REPORTERS).await?;
    let body = body::read_json(request, payload, state.body_limit()).await?;
    let put = PutSubscriber::parse(api::last_segment(request)?, &body, new_id(), new_token())?;
    // The command owns its values, so the body need not stay in memory while it waits.
    drop(body);
    let reported = state.ports.newsletter.put(put).await?;
    let status = if reported.is_new {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    };
    view::one(status, &reported.subscriber)
}

/// The id for a new subscriber.
pub fn new_id() -> SubscriberId {
    SubscriberId::new(Uuid::now_v7())
}

/// The token for a new subscriber, from a cryptographic generator.
pub fn new_token() -> MigrationToken {
    MigrationToken::new(rand::random())
}
