use std::{
    convert::Infallible,
    future::{Ready, ready},
};

use actix_web::{
    FromRequest, HttpMessage as _, HttpRequest, HttpResponse, ResponseError as _,
    dev::Payload,
    http::{StatusCode, header::HeaderName},
    web,
};
use domain::store::Texts;
use domain::{
    authority::Principal,
    posting::{self, PutPosting},
};
use fields::{body::BodyError, validation::FieldErrors};
use http_server::RequestId;
use kernel::{PostingId, PutOutcome, SourceIdentifier, trace::TraceParent};
use percent_encoding::percent_decode_str;
use serde::Serialize;
use uuid::Uuid;
use views::{json::Nullable, posting::Preview};

use super::{
    activity::Pushes,
    notice::{self, NOTICE},
    prefer::Preferences,
    preview::{Previewed, previewed},
};
use crate::{
    answer::{Answer, Data},
    body::Body,
    error::ApiError,
    oauth::Caller,
    query::{Parameters, boolean},
    resource::Segment,
    state::State,
};

const OUTCOME: HeaderName = HeaderName::from_static("posthaste-outcome");
const STATUS: HeaderName = HeaderName::from_static("posthaste-status");
pub const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");

#[derive(Serialize)]
struct Pushed<'a> {
    /// `None` if a dry run would create the posting.
    uuid: Option<Uuid>,
    #[serde(skip_serializing_if = "Option::is_none")]
    preview: Option<Nullable<Preview<'a>>>,
}

pub(super) struct PushOptions {
    dry_run: bool,
    prefer: Preferences,
    trace: Option<TraceParent>,
    errors: FieldErrors,
}

impl FromRequest for PushOptions {
    type Error = Infallible;
    type Future = Ready<Result<Self, Infallible>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let mut parameters = Parameters::of(request.query_string());
        let dry_run = parameters.take("dry_run", boolean).unwrap_or(false);
        ready(Ok(Self {
            dry_run,
            prefer: Preferences::of(request.headers()).of_push(dry_run),
            trace: request.extensions().get().copied(),
            errors: parameters.errors(),
        }))
    }
}

pub(super) async fn put(
    caller: Caller,
    segment: Segment,
    options: PushOptions,
    request_id: RequestId,
    body: Body,
    state: web::Data<State>,
) -> Answer {
    let (dry_run, prefer) = (options.dry_run, options.prefer);
    let applied = prefer.applied();
    let answer = push(&caller, &segment, options, body, &state).await;
    let answer = answer.map_err(|error| match &applied {
        Some(applied) if error.status_code() == StatusCode::UNPROCESSABLE_ENTITY => {
            error.with_header(PREFERENCE_APPLIED, applied.clone())
        }
        _ => error,
    });
    let identifier = percent_decode_str(segment.sent()).decode_utf8_lossy();
    let mut pushes = Pushes::new(&state.ports, caller.id(), &request_id, dry_run);
    pushes.record(&identifier, answer.as_ref().map(|(answer, _)| answer));
    drop(pushes);
    let (answer, preview) = answer?;
    let is_new = answer.outcome == PutOutcome::Created;
    let mut response = HttpResponse::build(if is_new {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    });
    response
        .insert_header((OUTCOME, answer.outcome.as_str()))
        .insert_header((STATUS, answer.status.as_str()));
    if let Some(applied) = applied {
        response.insert_header((PREFERENCE_APPLIED, applied));
    }
    if let Some(notices) = notice::header(&answer.notices) {
        response.insert_header((NOTICE, notices));
    }
    let is_there = !(is_new && dry_run);
    let uuid = is_there.then(|| answer.id.uuid());
    let preview = prefer.representation.then(|| {
        let made = preview.as_ref();
        Nullable(made.map(|(view, job)| Preview::new(view, Texts::All, job.as_deref())))
    });
    let data = Pushed { uuid, preview };
    Ok(response.json(Data { data }))
}

async fn push(
    caller: &Caller,
    segment: &Segment,
    options: PushOptions,
    body: Body,
    state: &State,
) -> Result<(posting::Answer, Option<Previewed>), ApiError> {
    let segment = segment.read();
    let prefixes = caller.prefixes();
    // An invalid identifier is skipped here, and later reported as a field error.
    if !prefixes.are_all()
        && let Ok(segment) = &segment
        && let Ok(identifier) = SourceIdentifier::from_path_segment(segment)
    {
        prefixes.check(&identifier)?;
    }
    let body = body.json(state.body_limit()).await?;
    let new_id = PostingId::new(Uuid::now_v7());
    let by = Principal::new(caller.id(), prefixes);
    let mut put = PutPosting::parse_as(segment?, &body, options.prefer.handling, by, new_id);
    if let Ok(PutPosting { errors, .. }) | Err(BodyError::Invalid(errors)) = &mut put {
        errors.merge(options.errors);
    }
    if let Ok(put) = &mut put {
        put.new_id = new_id.in_bucket_of(&put.identifier);
        put.trace = options.trace;
    }
    // The command has its own copy of the values, so the body is freed before the wait.
    drop(body);
    let (ingest, put) = (&state.ports.ingest, put?);
    Ok(match (options.dry_run, options.prefer.representation) {
        (false, _) => (ingest.put(put).await?, None),
        (true, false) => (ingest.dry_run(put).await?, None),
        (true, true) => previewed(state, &put).await?,
    })
}
