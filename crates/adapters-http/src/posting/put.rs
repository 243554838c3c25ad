//! `PUT` of a posting: create, update, expire.

use actix_web::{HttpRequest, HttpResponse, dev::Payload};
use domain::{
    client::ClientId,
    posting::{self, PostingId, PutOutcome, PutPosting},
};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::WRITERS;
use crate::{api, body, error::ApiError, schema::Answer, state::State};

/// The answer to a push.
#[derive(Serialize, ToSchema)]
pub struct PutAnswer {
    #[schema(inline)]
    data: Pushed,
}

/// The posting.
#[derive(Serialize, ToSchema)]
struct Pushed {
    /// The posting's id.
    uuid: Uuid,
}

impl PutAnswer {
    const fn of(uuid: Uuid) -> Self {
        Self {
            data: Pushed { uuid },
        }
    }
}

impl Answer for PutAnswer {
    fn example() -> Self {
        Self::of(Uuid::from_u128(0x0190_a1b2_0000_7000_8000_0000_0000_0001))
    }
}

pub(super) async fn handle(
    request: &HttpRequest,
    payload: &mut Payload,
    state: &State,
) -> Result<HttpResponse, ApiError> {
    let by = api::authorize(request, state, WRITERS).await?;
    let body = body::read_json(request, payload, state.body_limit()).await?;
    let new_id = PostingId::new(Uuid::now_v7());
    let put = PutPosting::parse(api::last_segment(request)?, &body, by, new_id)?;
    // The command owns its values, so the body need not stay in memory while it waits.
    drop(body);
    let answer = state.ports.ingest.put(put).await?;
    trace(request, by, &answer);
    let mut response = match answer.outcome {
        PutOutcome::Created => HttpResponse::Created(),
        _ => HttpResponse::Ok(),
    };
    Ok(response.json(PutAnswer::of(answer.id.uuid())))
}

/// Logs the client and its change, in the request's span with the request id. Unchanged pushes,
/// which are the majority, are not logged.
fn trace(request: &HttpRequest, client_id: ClientId, answer: &posting::Answer) {
    let outcome = answer.outcome;
    if outcome == PutOutcome::Unchanged {
        return;
    }
    // It is still percent-encoded, so it cannot contain a line break.
    let identifier = api::last_segment(request).unwrap_or_default();
    tracing::info!(target: "posthaste::push", %client_id, identifier, outcome = outcome.as_str(), "pushed");
}
