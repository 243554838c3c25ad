use actix_web::{
    HttpRequest,
    http::{
        StatusCode,
        header::{HeaderValue, VARY},
    },
    web,
};
use domain::posting::{PutPosting, Rejection};
use http_server::PIECE;
use kernel::SourceIdentifier;

use super::{json_ld, list::LIST_PATH, page, versions::take_moment};
use crate::{
    accept, answer::Answer, coding::encode, context::RequestContext, error::ApiError,
    etag::conditional, oauth::Caller, query::Parameters, resource::Segment, state::State,
};

pub(super) async fn show(
    caller: Caller,
    segment: Segment,
    request: HttpRequest,
    state: web::Data<State>,
) -> Answer {
    let segment = segment.read()?;
    if segment.is_empty() {
        return Err(ApiError::new(
            StatusCode::NOT_FOUND,
            format!(
                "There is nothing at this path. The list is {LIST_PATH}, without a slash at its \
                 end."
            ),
        ));
    }
    let mut parameters = Parameters::of(request.query_string());
    let identity = json_ld::take_identity(&mut parameters);
    let moment = take_moment(&mut parameters);
    let mut errors = parameters.errors();
    let identifier = SourceIdentifier::from_path_segment(segment)
        .map_err(|error| errors.add(PutPosting::IDENTIFIER, error.to_string()));
    let (Ok(identifier), true) = (identifier, errors.is_empty()) else {
        return Err(ApiError::invalid(errors));
    };
    if !caller.prefixes().permit(&identifier) {
        return Err(Rejection::NotFound.into());
    }
    let postings = &state.ports.stores.postings;
    let found = match moment {
        Some(moment) => postings.as_of(&identifier, moment).await?,
        None => postings.find(&identifier).await?,
    };
    let posting = found.ok_or(Rejection::NotFound)?;
    let posting = posting.seen_by(caller.prefixes());
    let bytes = page::size(&posting);
    if bytes > PIECE {
        // Room for the posting and its answer.
        RequestContext::hold(&request, 2 * bytes)?;
    }
    let appeal = state.appeal.clone();
    let answer = if accept::prefers(&request, json_ld::MEDIA_TYPE) {
        json_ld::one(
            posting,
            moment,
            appeal,
            identity,
            accept::takes_json(&request),
        )
        .await?
    } else {
        page::one(posting, moment, appeal).await?
    };
    let mut answer = encode(&request, conditional(&request, answer)?)?;
    let vary = HeaderValue::from_static("Accept, Accept-Encoding");
    answer.headers_mut().insert(VARY, vary);
    Ok(answer)
}
