//! `GET` of the list of postings, for reconciling.

use actix_web::{HttpRequest, HttpResponse};
use domain::{
    posting::Status,
    store::{ListQuery, Texts},
    validation::FieldErrors,
};
use time::{OffsetDateTime, UtcOffset, format_description::well_known::Rfc3339};

use super::{READERS, cursor, view};
use crate::{
    api,
    error::ApiError,
    query::{Parameters, integer},
    state::State,
};

/// The default number of postings in a page.
pub const DEFAULT_LIMIT: usize = 50;
/// The largest number of postings in a page.
pub const MAX_LIMIT: usize = 200;

pub(super) async fn handle(request: &HttpRequest, state: &State) -> Result<HttpResponse, ApiError> {
    api::authorize(request, state, READERS).await?;
    let query = parse(request.query_string()).map_err(ApiError::invalid)?;
    view::many(state.ports.postings.list(&query).await?, query.texts).await
}

/// Parses the parameters, and collects all errors for one answer.
fn parse(query: &str) -> Result<ListQuery, FieldErrors> {
    let mut parameters = Parameters::of(query);
    let query = ListQuery {
        status: parameters.take("status", parse_status),
        texts: parameters.take("texts", parse_texts).unwrap_or_default(),
        updated_after: parameters.take("updated_after", parse_time),
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

/// Reads a status.
pub(super) fn parse_status(text: &str) -> Result<Status, String> {
    Status::parse(text).ok_or_else(|| format!("must be one of {}", Status::NAMES.join(", ")))
}

/// The names of the choices of texts.
pub const TEXTS: [&str; 3] = ["all", "redacted", "none"];

/// Reads a choice of texts.
pub(super) fn parse_texts(text: &str) -> Result<Texts, String> {
    match text {
        "all" => Ok(Texts::All),
        "redacted" => Ok(Texts::Redacted),
        "none" => Ok(Texts::None),
        _ => Err(format!("must be one of {}", TEXTS.join(", "))),
    }
}

fn parse_time(text: &str) -> Result<OffsetDateTime, String> {
    let time = OffsetDateTime::parse(text, &Rfc3339).ok();
    // Near the first and the last year, the conversion to UTC may leave the supported range.
    let time = time.and_then(|time| time.checked_to_offset(UtcOffset::UTC));
    time.map(domain::microseconds).ok_or_else(|| {
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

    #[test]
    fn nothing_is_required() {
        let defaults = ListQuery {
            limit: DEFAULT_LIMIT,
            ..ListQuery::default()
        };
        assert_eq!(parse(""), Ok(defaults));
    }

    #[test]
    fn every_parameter_is_read() {
        let after = Position {
            updated_at: datetime!(2026-01-02 03:04:05 UTC),
            id: Uuid::max(),
        };
        let query = format!(
            "status=approved&updated_after=2026-01-31T12:00:00.1234567%2B02:00&texts=redacted&limit=200&cursor={}",
            cursor::encode(after)
        );
        let expect = ListQuery {
            status: Some(Status::Approved),
            texts: Texts::Redacted,
            updated_after: Some(datetime!(2026-01-31 10:00:00.123456 UTC)),
            after: Some(after),
            limit: 200,
            ..ListQuery::default()
        };
        assert_eq!(parse(&query), Ok(expect));
    }

    #[test]
    fn everything_wrong_is_named_at_once() {
        let check = |query: &str, expect: &[(&str, &str)]| {
            let errors = parse(query).unwrap_err();
            let found: Vec<_> = errors
                .iter()
                .map(|(name, all)| (name, all.join("|")))
                .collect();
            assert_eq!(found.len(), expect.len(), "{query}: {found:?}");
            for ((name, message), (expected, part)) in found.iter().zip(expect) {
                assert_eq!(name, expected, "{query}");
                assert!(message.contains(part), "{query}: {message}");
            }
        };
        check(
            "status=Approved&texts=some&updated_after=yesterday&limit=0&cursor=x&page=2",
            &[
                ("cursor", "must be a next_cursor"),
                ("limit", "between 1 and 200"),
                ("page", "not a known parameter"),
                ("status", "PendingEnrichment, approved, rejected, expired"),
                ("texts", "all, redacted, none"),
                ("updated_after", "RFC 3339"),
            ],
        );
        check("limit=201", &[("limit", "between 1 and 200")]);
        check(
            "updated_after=2026-01-31T12:00:00+02:00",
            &[("updated_after", "%2B")],
        );
        check("updated_after=2026-01-31", &[("updated_after", "RFC 3339")]);
        check(
            "updated_after=9999-12-31T23:59:59-23:59",
            &[("updated_after", "RFC 3339")],
        );
        check("cursor=", &[("cursor", "next_cursor")]);
    }
}
