//! `GET` of all postings as lines of JSON. The next page is read while the client reads one.

use std::{io, sync::Arc};

use actix_web::{
    HttpRequest, HttpResponse,
    http::{
        Method, Version,
        header::{CACHE_CONTROL, HeaderName},
    },
    web::{self, Bytes},
};
use domain::store::{ListOrder, ListQuery, Texts};
use futures_util::stream;
use kernel::Status;

use super::{
    json_ld::LineForm,
    list::parse_texts,
    paged::{Form, Paged, Reading},
};
use crate::{
    answer::Answer,
    coding::encode,
    context::RequestContext,
    error::{ApiError, refusals},
    oauth::Caller,
    query::{Options, Parameters, Query},
    state::State,
};

/// The header with the cursor after which the events since the export come.
const EVENTS_CURSOR: HeaderName = HeaderName::from_static("posthaste-events-cursor");
pub const NDJSON: &str = "application/x-ndjson";

const PAGE_POSTINGS: usize = 500;
/// How many bytes of texts are read at a time.
const PAGE_BYTES: usize = 1 << 20;
/// The same if descriptions are omitted. They are not read, but they still count.
const PAGE_BYTES_WITHOUT_TEXTS: usize = 8 << 20;
/// How many bytes of memory an export holds: the page being sent, and the next page.
const HELD: usize = 2 * PAGE_BYTES;

pub(super) async fn export(
    caller: Caller,
    Query(Choice { mut query, form }): Query<Choice>,
    request: HttpRequest,
    state: web::Data<State>,
) -> Answer {
    query.prefixes.clone_from(caller.prefixes());
    if request.version() < Version::HTTP_11 {
        return Err(ApiError::needs_http_1_1());
    }
    let slot = state.exports.take(caller.id())?;
    RequestContext::expect(&request, HELD)?;
    // The cursor is read first: later changes are among the events, and perhaps also in the export.
    let source = state.ports.reads.choose();
    let cursor = source.events.end().await?;
    let mut response = HttpResponse::Ok();
    response
        .content_type(NDJSON)
        .insert_header((CACHE_CONTROL, "no-store"))
        .insert_header((EVENTS_CURSOR, cursor.to_string()));
    if *request.method() == Method::HEAD {
        let nothing = stream::empty::<io::Result<Bytes>>();
        let answer = source.label(response.streaming(nothing));
        return encode(&request, answer);
    }
    let reading = Reading {
        postings: Arc::clone(&source.postings),
        appeal: state.appeal.clone(),
        query,
        form: Form::Lines(form),
    };
    let first = reading.read().await?;
    let export = Paged::new(first, caller, Some(slot));
    let answer = source.label(response.streaming(export.pieces()));
    encode(&request, answer)
}

pub(super) struct Choice {
    query: ListQuery,
    form: LineForm,
}

impl Options for Choice {
    fn take(parameters: &mut Parameters<'_>) -> Self {
        let form = LineForm::take(parameters);
        let asked = ListQuery {
            order: ListOrder::Id,
            texts: parameters.take("texts", parse_texts).unwrap_or_default(),
            status: parameters.take("status", Status::of_filter),
            limit: PAGE_POSTINGS,
            ..ListQuery::default()
        };
        let mut query = form.narrow(asked);
        query.max_bytes = match query.texts {
            Texts::All => PAGE_BYTES,
            Texts::Redacted | Texts::None => PAGE_BYTES_WITHOUT_TEXTS,
        };
        Self { query, form }
    }
}

refusals! {
    /// 505 for HTTP/1.0, in which a broken connection looks like the end of the answer.
    needs_http_1_1: HTTP_VERSION_NOT_SUPPORTED,
        "This answer is only given by HTTP/1.1, so that a broken one is noticed. With nginx in \
         front, set proxy_http_version 1.1.";
}
