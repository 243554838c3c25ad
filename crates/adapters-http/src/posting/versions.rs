use actix_web::{HttpRequest, http::StatusCode, web};
use domain::posting::{AsOf, PostingVersion, PutPosting, Rejection};
use kernel::{SourceIdentifier, Version};
use views::version::VersionPageAnswer;

use super::list::parse_time;
use crate::{
    answer::{self, Answer, no_store},
    context::RequestContext,
    error::ApiError,
    oauth::Caller,
    query::{Parameters, integer},
    resource::Segment,
    state::State,
};

/// Both the default and the maximum are small, because each version may have three texts.
const DEFAULT_LIMIT: usize = 20;
const MAX_LIMIT: usize = 100;

pub(super) fn take_moment(parameters: &mut Parameters<'_>) -> Option<AsOf> {
    let version = parameters.take("version", |text| integer(text, 1, Version::MAX));
    let moment = |text: &str| match version {
        None => parse_time(text),
        Some(_) => Err("must not be given together with version".to_owned()),
    };
    let at = parameters.take("at", moment);
    version.map(AsOf::Version).or(at.map(AsOf::At))
}

pub(super) async fn versions(
    caller: Caller,
    request: HttpRequest,
    segment: Segment<1>,
    state: web::Data<State>,
) -> Answer {
    let mut parameters = Parameters::of(request.query_string());
    let before = parameters.take("cursor", |text| {
        let cursor = text.parse::<Version>();
        cursor.map_err(|_| "must be a next_cursor of an earlier answer".to_owned())
    });
    let limit = parameters.take("limit", |text| integer(text, 1, MAX_LIMIT));
    let limit = limit.unwrap_or(DEFAULT_LIMIT);
    let mut errors = parameters.errors();
    let identifier = SourceIdentifier::from_path_segment(segment.read()?)
        .map_err(|error| errors.add(PutPosting::IDENTIFIER, error.to_string()));
    let (Ok(identifier), true) = (identifier, errors.is_empty()) else {
        return Err(ApiError::invalid(errors));
    };
    if !caller.prefixes().permit(&identifier) {
        return Err(Rejection::NotFound.into());
    }
    let postings = &state.ports.stores.postings;
    let found = postings.versions(&identifier, before, limit + 1).await?;
    let mut found = found.ok_or(Rejection::NotFound)?;
    let has_more = found.len() > limit;
    found.truncate(limit);
    let found: Vec<_> = found
        .into_iter()
        .map(|version| version.seen_by(caller.prefixes()))
        .collect();
    // Room for the versions and their answer.
    RequestContext::hold(&request, 2 * found.iter().map(size).sum::<usize>())?;
    let page = VersionPageAnswer::new(&found, has_more);
    answer::json(StatusCode::OK, &page).map(no_store)
}

fn size(version: &PostingVersion) -> usize {
    let texts = version.texts.as_ref();
    version.description.as_ref().map_or(0, |text| text.len())
        + texts.map_or(0, |it| it.markdown.len() + it.redacted_markdown.len())
}
