//! `PUT` of a posting: create, update, expire.

use actix_web::{HttpRequest, HttpResponse, dev::Payload};
use domain::posting::{PostingId, PutOutcome, PutPosting};
use serde::Serialize;
use uuid::Uuid;

use super::WRITERS;
use crate::{api, application::State, body, error::ApiError};

#[derive(Serialize)]
struct Envelope {
    data: Data,
}

#[derive(Serialize)]
struct Data {
    uuid: Uuid,
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
    // The command owns what it needs; the body need not wait with it.
    drop(body);
    let answer = state.ports.ingest.put(put).await?;
    let mut response = match answer.outcome {
        PutOutcome::Created => HttpResponse::Created(),
        _ => HttpResponse::Ok(),
    };
    Ok(response.json(Envelope {
        data: Data {
            uuid: answer.id.uuid(),
        },
    }))
}
