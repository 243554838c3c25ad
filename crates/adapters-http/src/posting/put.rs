//! `PUT` of a posting: create, update, expire.

use actix_web::{
    HttpMessage as _, HttpRequest, HttpResponse, ResponseError as _,
    dev::Payload,
    http::{
        StatusCode,
        header::{HeaderName, HeaderValue},
    },
};
use domain::{
    authority::Principal,
    posting::{self, Notice, PutPosting},
};
use kernel::{PostingId, PutOutcome, SourceIdentifier, body::BodyError, validation::FieldErrors};
use percent_encoding::percent_decode_str;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{
    WRITERS, activity,
    prefer::{STRICT, is_strict},
};
use crate::{
    api, body,
    error::ApiError,
    oauth::Caller,
    query::{Parameters, boolean},
    schema::Answer,
    state::State,
};

/// The header with the outcome of a push.
const OUTCOME: HeaderName = HeaderName::from_static("posthaste-outcome");
/// The header with the posting's status afterwards.
const STATUS: HeaderName = HeaderName::from_static("posthaste-status");
/// The header with what a push that succeeded left undone: a list of tokens (RFC 9651).
const NOTICE: HeaderName = HeaderName::from_static("posthaste-notice");
/// The header that says which preferences were honoured (RFC 7240 §3).
pub const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");

/// The answer to a push.
#[derive(Serialize, ToSchema)]
pub struct PutAnswer {
    #[schema(inline)]
    data: Pushed,
}

/// The posting.
#[derive(Serialize, ToSchema)]
struct Pushed {
    /// The posting's id; `null` if a dry run found that one would be created.
    uuid: Option<Uuid>,
}

impl PutAnswer {
    const fn of(uuid: Option<Uuid>) -> Self {
        Self {
            data: Pushed { uuid },
        }
    }
}

impl Answer for PutAnswer {
    fn example() -> Self {
        Self::of(Some(Uuid::from_u128(
            0x0190_a1b2_0000_7000_8000_0000_0000_0001,
        )))
    }
}

/// The wishes of a client beside the body.
struct Wishes {
    /// To be answered without anything written.
    dry_run: bool,
    /// To have unknown fields refused.
    strict: bool,
    /// The errors of the parameters.
    errors: FieldErrors,
}

impl Wishes {
    fn of(request: &HttpRequest) -> Self {
        let mut parameters = Parameters::of(request.query_string());
        Self {
            dry_run: parameters.take("dry_run", boolean).unwrap_or(false),
            strict: is_strict(request.headers()),
            errors: parameters.errors(),
        }
    }
}

pub(super) async fn handle(
    request: &HttpRequest,
    payload: &mut Payload,
    state: &State,
) -> Result<HttpResponse, ApiError> {
    let caller = api::authorize(request, state, WRITERS).await?;
    let wishes = Wishes::of(request);
    let (dry_run, strict) = (wishes.dry_run, wishes.strict);
    let answer = push(request, payload, state, &caller, wishes).await;
    let answer = answer.map_err(|error| match error.status_code() {
        StatusCode::UNPROCESSABLE_ENTITY if strict => {
            error.with_header(PREFERENCE_APPLIED, HeaderValue::from_static(STRICT))
        }
        _ => error,
    });
    if !dry_run {
        // It is still percent-encoded, so it cannot contain a line break.
        let segment = request.uri().path().rsplit('/').next().unwrap_or_default();
        let identifier = percent_decode_str(segment).decode_utf8_lossy();
        let result = answer.as_ref();
        activity::record(&state.ports, caller.id(), &identifier, segment, result);
    }
    let answer = answer?;
    let is_new = answer.outcome == PutOutcome::Created;
    let mut response = HttpResponse::build(if is_new {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    });
    response
        .insert_header((OUTCOME, answer.outcome.as_str()))
        .insert_header((STATUS, answer.status.as_str()));
    if strict {
        response.insert_header((PREFERENCE_APPLIED, STRICT));
    }
    if !answer.notices.is_empty() {
        response.insert_header((NOTICE, notices(&answer.notices)));
    }
    let is_there = !(is_new && dry_run);
    Ok(response.json(PutAnswer::of(is_there.then(|| answer.id.uuid()))))
}

/// The notices as a list of RFC 9651.
fn notices(notices: &[Notice]) -> String {
    let codes: Vec<_> = notices
        .iter()
        .map(|notice| notice.code().as_str())
        .collect();
    codes.join(", ")
}

async fn push(
    request: &HttpRequest,
    payload: &mut Payload,
    state: &State,
    caller: &Caller,
    wishes: Wishes,
) -> Result<posting::Answer, ApiError> {
    let segment = api::last_segment(request);
    let prefixes = caller.prefixes();
    // A segment that is no identifier is a field error, told with the others.
    if !prefixes.are_all()
        && let Ok(segment) = &segment
        && let Ok(identifier) = SourceIdentifier::from_path_segment(segment)
    {
        prefixes.check(&identifier)?;
    }
    let body = body::read_json(request, payload, state.body_limit()).await?;
    let parse = if wishes.strict {
        PutPosting::parse_strictly
    } else {
        PutPosting::parse
    };
    let new_id = PostingId::new(Uuid::now_v7());
    let by = Principal::new(caller.id(), prefixes);
    let mut put = parse(segment?, &body, by, new_id);
    if let Ok(PutPosting { errors, .. }) | Err(BodyError::Invalid(errors)) = &mut put {
        errors.merge(wishes.errors);
    }
    if let Ok(put) = &mut put {
        put.trace = request.extensions().get().copied();
    }
    // The command owns its values, so the body need not stay in memory while it waits.
    drop(body);
    let ingest = &state.ports.ingest;
    Ok(if wishes.dry_run {
        ingest.dry_run(put?).await?
    } else {
        ingest.put(put?).await?
    })
}
