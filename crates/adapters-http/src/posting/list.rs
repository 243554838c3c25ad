//! `GET` of the list of postings, for comparison with a client's own data.

use std::{sync::Arc, time::Duration};

use actix_web::{HttpRequest, HttpResponse, http::header::ContentType, web};
use domain::store::{ListQuery, PostingPage, PostingReader, Texts};
use fields::validation::FieldErrors;
use kernel::{ClientId, Status, StoreError};
use time::{OffsetDateTime, UtcOffset, format_description::well_known::Rfc3339};

use super::{
    cursor,
    page::{self, PartOfList},
    paged::{Form, Paged, Reading},
};
use crate::{
    answer::{Answer, large},
    coding::encode,
    context::RequestContext,
    error::ApiError,
    oauth::Caller,
    pages,
    query::{Parameters, boolean, integer, one_of},
    state::State,
};

pub const LIST_PATH: &str = "/api/job-board/job-postings";
const DEFAULT_LIMIT: usize = 50;
const MAX_LIMIT: usize = 200;
/// How many bytes of texts are read for a part of the answer.
const PART_BYTES: usize = 1 << 20;
/// The memory that an answer of several parts holds: one part, with its postings while written.
const HELD: usize = 2 * PART_BYTES;
/// The same for an answer without texts.
const HELD_WITHOUT_TEXTS: usize = 256 * 1024;
const ME: &str = "me";

pub(super) async fn list(caller: Caller, request: HttpRequest, state: web::Data<State>) -> Answer {
    let mut query = parse(request.query_string(), caller.id()).map_err(ApiError::invalid)?;
    query.prefixes.clone_from(caller.prefixes());
    if query.texts == Texts::None {
        RequestContext::expect(&request, HELD_WITHOUT_TEXTS)?;
    } else {
        query.max_bytes = PART_BYTES;
        RequestContext::expect(&request, HELD)?;
    }
    let source = state.ports.reads.choose();
    let page = read(&*source.postings, query.clone()).await?;
    let page = page.seen_by(caller.prefixes());
    let reading = Reading {
        postings: Arc::clone(&source.postings),
        appeal: state.appeal.clone(),
        query,
        form: Form::List(PartOfList::default()),
    };
    let mut response = HttpResponse::Ok();
    response.content_type(ContentType::json());
    let first = large(page::size_of(&page), move || reading.show(&page)).await??;
    let answer = if first.next.is_none() {
        RequestContext::hold(&request, first.json.len())?;
        response.body(first.json)
    } else {
        response.streaming(Paged::new(first, caller, None).pieces())
    };
    encode(&request, source.label(answer))
}

async fn read(
    postings: &dyn PostingReader,
    mut query: ListQuery,
) -> Result<PostingPage, StoreError> {
    pages::first(Duration::ZERO, async |_| {
        let page = postings.list(&query).await?;
        query.after = page.next;
        let is_barren = page.postings.is_empty() && page.next.is_some();
        Ok((page, is_barren))
    })
    .await
}

fn parse(query: &str, me: ClientId) -> Result<ListQuery, FieldErrors> {
    let mut parameters = Parameters::of(query);
    let query = ListQuery {
        status: parameters.take("status", Status::of_filter),
        texts: parameters.take("texts", parse_texts).unwrap_or_default(),
        updated_after: parameters.take("updated_after", parse_time),
        created_by: parameters.take("client", |text| parse_client(text, me)),
        duplicates: parameters.take("duplicates", boolean).unwrap_or_default(),
        after: parameters.take("cursor", |text| {
            cursor::decode(text).ok_or_else(|| {
                "must be a next_cursor of an earlier answer; leave it out to start over".to_owned()
            })
        }),
        limit: parameters
            .take("limit", |text| integer(text, 1, MAX_LIMIT))
            .unwrap_or(DEFAULT_LIMIT),
        ..ListQuery::default()
    };
    parameters.finish(query)
}

fn parse_client(text: &str, me: ClientId) -> Result<ClientId, String> {
    if text == ME {
        return Ok(me);
    }
    text.parse()
        .map_err(|_| format!("must be {ME} or the id of a client"))
}

pub(super) fn parse_texts(text: &str) -> Result<Texts, String> {
    let texts = match text {
        "all" => Some(Texts::All),
        "redacted" => Some(Texts::Redacted),
        "none" => Some(Texts::None),
        _ => None,
    };
    one_of(&["all", "redacted", "none"], texts)
}

pub(super) fn parse_time(text: &str) -> Result<OffsetDateTime, String> {
    let time = OffsetDateTime::parse(text, &Rfc3339).ok();
    // Near the first and the last year, the time in UTC may be outside the supported range.
    let time = time.and_then(|time| time.checked_to_offset(UtcOffset::UTC));
    time.map(fields::microseconds).ok_or_else(|| {
        let hint = if text.contains(' ') {
            "; in a query a plus sign has to be written as %2B"
        } else {
            ""
        };
        format!("must be a time of RFC 3339, such as 2026-01-31T12:00:00Z{hint}")
    })
}

#[cfg(test)]
mod tests {
    use domain::store::Position;
    use time::macros::datetime;
    use uuid::Uuid;

    use super::*;

    const ME_TOO: ClientId = ClientId::new(Uuid::from_u128(1));

    fn parse(query: &str) -> Result<ListQuery, FieldErrors> {
        super::parse(query, ME_TOO)
    }

    #[test]
    fn every_parameter_is_read_and_none_is_required() {
        let defaults = ListQuery {
            limit: DEFAULT_LIMIT,
            ..ListQuery::default()
        };
        assert_eq!(parse(""), Ok(defaults));
        let after = Position {
            updated_at: datetime!(2026-01-02 03:04:05 UTC),
            id: Uuid::max(),
        };
        let query = format!(
            "status=approved&updated_after=2026-01-31T12:00:00.1234567%2B02:00&client=me&duplicates=true\
             &texts=redacted&limit=200&cursor={}",
            cursor::encode(after)
        );
        let expect = ListQuery {
            status: Some(Status::Approved),
            texts: Texts::Redacted,
            updated_after: Some(datetime!(2026-01-31 10:00:00.123456 UTC)),
            created_by: Some(ME_TOO),
            duplicates: true,
            after: Some(after),
            limit: 200,
            ..ListQuery::default()
        };
        assert_eq!(parse(&query), Ok(expect));
        let pending = parse("status=pending").unwrap();
        assert_eq!(pending.status, Some(Status::PendingEnrichment));
        let of_other = parse(&format!("client={}", Uuid::max())).unwrap();
        assert_eq!(of_other.created_by, Some(ClientId::new(Uuid::max())));
    }

    #[test]
    fn everything_wrong_is_named_at_once() {
        let wrong = "status=Approved&client=Me&texts=some&updated_after=x&limit=0&cursor=x&page=2";
        let errors = parse(wrong).unwrap_err();
        assert_eq!(errors.iter().count(), 7);
        for (query, part) in [
            (
                wrong,
                "status must be one of PendingEnrichment, approved, rejected, expired; is \"approved\" meant?",
            ),
            ("texts=some", "must be one of all, redacted, none"),
            ("client=Me", "must be me or the id"),
            ("cursor=", "must be a next_cursor"),
            ("limit=201", "between 1 and 200"),
            ("updated_after=2026-01-31", "RFC 3339"),
            ("updated_after=2026-01-31T12:00:00+02:00", "%2B"),
            ("updated_after=9999-12-31T23:59:59-23:59", "RFC 3339"),
        ] {
            let message = parse(query).unwrap_err().to_string();
            assert!(message.contains(part), "{query}: {message}");
        }
    }
}
