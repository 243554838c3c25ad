//! `PUT` of a subscriber: what the membership system reports of a person.

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
    // The command owns what it needs; the body need not wait with it.
    drop(body);
    let reported = state.ports.newsletter.put(put).await?;
    let status = if reported.is_new {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    };
    view::one(status, &reported.subscriber)
}

/// A new subscriber's id.
pub fn new_id() -> SubscriberId {
    SubscriberId::new(Uuid::now_v7())
}

/// A new subscriber's token. The generator is a cryptographic one.
pub fn new_token() -> MigrationToken {
    MigrationToken::new(rand::random())
}
