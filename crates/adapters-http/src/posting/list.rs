//! `GET` of the list of postings, for reconciling.

use std::borrow::Cow;

use actix_web::{HttpRequest, HttpResponse};
use domain::{posting::Status, store::ListQuery, validation::FieldErrors};
use time::{OffsetDateTime, UtcOffset, format_description::well_known::Rfc3339};
use url::form_urlencoded;

use super::{READERS, cursor, view};
use crate::{api, error::ApiError, state::State};

/// The default number of postings in a page.
pub const DEFAULT_LIMIT: usize = 50;
/// The largest number of postings in a page.
pub const MAX_LIMIT: usize = 200;

pub(super) async fn handle(request: &HttpRequest, state: &State) -> Result<HttpResponse, ApiError> {
    api::authorize(request, state, READERS).await?;
    let query = parse(request.query_string()).map_err(ApiError::invalid)?;
    view::many(state.ports.postings.list(&query).await?).await
}

/// Parses the parameters, and collects all errors for one answer.
fn parse(query: &str) -> Result<ListQuery, FieldErrors> {
    let mut errors = FieldErrors::new();
    let mut once = |name: &str| {
        let mut values = form_urlencoded::parse(query.as_bytes()).filter(|(key, _)| key == name);
        let value = values.next().map(|(_, value)| value);
        if values.next().is_some() {
            errors.add(name, "must be given at most once");
            return None;
        }
        value
    };
    let (status, updated_after) = (once("status"), once("updated_after"));
    let (limit, cursor) = (once("limit"), once("cursor"));

    let query = ListQuery {
        status: read(&mut errors, "status", status, parse_status),
        updated_after: read(&mut errors, "updated_after", updated_after, parse_time),
        after: read(&mut errors, "cursor", cursor, |text| {
            cursor::decode(text).ok_or_else(|| {
                "must be a next_cursor of an earlier answer; leave it out to start over".to_owned()
            })
        }),
        limit: read(&mut errors, "limit", limit, parse_limit).unwrap_or(DEFAULT_LIMIT),
        ..ListQuery::default()
    };
    if errors.is_empty() {
        Ok(query)
    } else {
        Err(errors)
    }
}

fn read<T>(
    errors: &mut FieldErrors,
    name: &str,
    value: Option<Cow<'_, str>>,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Option<T> {
    parse(&value?)
        .map_err(|message| errors.add(name, message))
        .ok()
}

fn parse_status(text: &str) -> Result<Status, String> {
    Status::parse(text).ok_or_else(|| format!("must be one of {}", Status::NAMES.join(", ")))
}

fn parse_limit(text: &str) -> Result<usize, String> {
    let limit = text
        .parse()
        .ok()
        .filter(|limit| (1..=MAX_LIMIT).contains(limit));
    limit.ok_or_else(|| format!("must be an integer between 1 and {MAX_LIMIT}"))
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
        for query in ["", "&&", "page=2&page=3&%FF=x"] {
            assert_eq!(parse(query), Ok(defaults), "{query}");
        }
    }

    #[test]
    fn every_parameter_is_read() {
        let after = Position {
            updated_at: datetime!(2026-01-02 03:04:05 UTC),
            id: Uuid::max(),
        };
        let query = format!(
            "status=approved&updated_after=2026-01-31T12:00:00.1234567%2B02:00&limit=200&cursor={}",
            cursor::encode(after)
        );
        let expect = ListQuery {
            status: Some(Status::Approved),
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
            "status=Approved&updated_after=yesterday&limit=0&cursor=x",
            &[
                ("cursor", "must be a next_cursor"),
                ("limit", "between 1 and 200"),
                ("status", "PendingEnrichment, approved, rejected, expired"),
                ("updated_after", "RFC 3339"),
            ],
        );
        check("limit=1&limit=1", &[("limit", "at most once")]);
        check("status=&status=", &[("status", "at most once")]);
        for limit in ["201", "-1", "1.0", "", "1e1", "99999999999999999999", "١"] {
            check(&format!("limit={limit}"), &[("limit", "between 1 and 200")]);
        }
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
