//! `/postings`: the list, and the search.

use std::{sync::Arc, time::Instant};

use actix_web::{HttpRequest, web};
use askama::Template;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use domain::{
    browse::{self, FoundPage, Place, PostingSearch, PostingSummary, Words},
    store::Position,
};
use kernel::{ClientId, SourceIdentifier, Status};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    by::By,
    error::{Answer, Failure},
    form::{Fields, Form, Reader, optional},
    notice, page,
    query::Query,
    state::State,
    text,
};

pub const PATH: &str = "/postings";
/// The most postings of a page, and of one decision about many.
pub const MOST_AT_ONCE: usize = 50;
/// What separates the id of a chosen posting from its version.
pub const VERSION: char = '@';
/// How long a search goes on for one page, and how many postings it looks at.
pub const SEARCH_TIME: std::time::Duration = std::time::Duration::from_millis(1_500);
pub const SEARCH_POSTINGS: usize = 500_000;
/// Clients to choose from, and whose names are known.
pub const CLIENTS: usize = 200;

#[derive(Template)]
#[template(path = "postings/list.html")]
struct Page<'a> {
    head: page::Head,
    frame: page::Frame,
    statuses: &'static [Status],
    search: Fields,
    fields: Fields,
    clients: Vec<(String, String)>,
    rows: Vec<Row>,
    looked_at: String,
    next: Option<String>,
    /// Whether the search ended before the list did.
    is_partial: bool,
    is_search: bool,
    /// Whether more is asked than words of the title.
    has_filters: bool,
    here: &'a str,
}

/// A row of the list.
struct Row {
    posting: PostingSummary,
    /// What its checkbox sends.
    choice: String,
    updated: String,
    by: By,
}

/// A list, or what a search finds.
pub async fn list(request: HttpRequest, state: web::Data<State>) -> Answer {
    let here = Query::of(&request).address(PATH);
    page(&request, &state, &here, Fields::default()).await
}

/// The list at an address, and the form about its postings.
pub async fn page(request: &HttpRequest, state: &State, here: &str, fields: Fields) -> Answer {
    let query = Query::parse(here.split_once('?').map_or("", |(_, query)| query));
    let known = state.ports.clients.list(CLIENTS).await?;
    let (wanted, search) = match Form::of(query.clone()).read(wanted) {
        Ok(wanted) => (Some(wanted), Fields::showing(query.clone())),
        Err(refusal) => (None, Fields::refused(query.clone(), refusal)),
    };
    let after = query.get("after").map(place).transpose()?;
    let start = Instant::now();
    let goes_on = |looked_at| looked_at < SEARCH_POSTINGS && start.elapsed() < SEARCH_TIME;
    let found = match &wanted {
        Some(wanted) => {
            browse::search(&*state.ports.browser, wanted, after, MOST_AT_ONCE, goes_on).await?
        }
        None => FoundPage {
            postings: Vec::new(),
            next: None,
            looked_at: 0,
        },
    };
    let is_full = found.postings.len() == MOST_AT_ONCE;
    let rows = found.postings.into_iter().map(|posting| Row {
        choice: format!("{}{VERSION}{}", posting.id, posting.version),
        updated: text::minute(posting.updated_at),
        by: By::of(posting.created_by.as_ref(), &known),
        posting,
    });
    let next = found.next.as_ref();
    let refused = if wanted.is_some() { &fields } else { &search };
    let status = refused.status();
    let mut frame = page::Frame::of_form(request, PATH, refused)?;
    frame.notice = notice::done(request)?.map(|count| format!("Done: {count} of {count}."));
    let only_words = PostingSearch {
        words: wanted
            .as_ref()
            .map(|wanted| wanted.words.clone())
            .unwrap_or_default(),
        ..PostingSearch::default()
    };
    let page = Page {
        head: page::Head::new("Postings"),
        frame,
        statuses: Status::ALL,
        rows: rows.collect(),
        looked_at: text::grouped(found.looked_at.try_into().unwrap_or(u64::MAX)),
        is_partial: next.is_some() && !is_full,
        next: next.map(|next| query.with(PATH, "after", &cursor(next))),
        is_search: wanted != Some(PostingSearch::default()),
        has_filters: wanted != Some(only_words),
        here,
        clients: known
            .into_iter()
            .map(|client| (client.id.to_string(), client.name))
            .collect(),
        search,
        fields,
    };
    page::answer(&page, status)
}

/// The search of an address.
fn wanted(fields: &mut Reader<'_>) -> Option<PostingSearch> {
    let status = optional(fields.text("status"), |text| {
        let is_it = |status: &Status| [status.as_str(), text::status(*status)].contains(&text);
        let status = Status::ALL.iter().copied().find(is_it);
        status.ok_or_else(|| format!("{text:?} is no status"))
    });
    let status = fields.take("status", status);
    let client = optional(fields.text("client"), |text| {
        let id = text.parse::<ClientId>();
        id.map_err(|_| format!("{text:?} is no client id"))
    });
    let client = fields.take("client", client);
    let id = fields.text("id");
    Some(PostingSearch {
        identifier: (!id.is_empty()).then(|| Arc::from(id)),
        words: Words::of(fields.text("title")),
        company: Words::of(fields.text("company")),
        status: status?,
        client: client?,
        ..PostingSearch::default()
    })
}

/// A place as the address of the next page has it.
pub fn cursor(place: &Place) -> String {
    let text = match place {
        Place::Newest(Position { updated_at, id }) => {
            format!(
                "n{}:{}",
                updated_at.unix_timestamp_nanos() / 1_000,
                id.simple()
            )
        }
        Place::Identifier(identifier) => format!("i{}", identifier.as_str()),
    };
    URL_SAFE_NO_PAD.encode(text)
}

pub fn place(cursor: &str) -> Result<Place, Failure> {
    let parse = || {
        let text = String::from_utf8(URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()?;
        if let Some(identifier) = text.strip_prefix('i') {
            return SourceIdentifier::new(identifier)
                .ok()
                .map(Place::Identifier);
        }
        let (at, id) = text.strip_prefix('n')?.split_once(':')?;
        let at = i128::from(at.parse::<i64>().ok()?);
        Some(Place::Newest(Position {
            updated_at: OffsetDateTime::from_unix_timestamp_nanos(at * 1_000).ok()?,
            id: Uuid::try_parse(id).ok()?,
        }))
    };
    parse().ok_or(Failure::Address)
}

#[cfg(test)]
mod tests {
    use kernel::testing::identifier;
    use kernel::testing::{noon, uuid};

    use super::*;

    #[test]
    fn a_place_comes_back_from_an_address() {
        for known in [
            Place::Newest(Position {
                updated_at: noon(),
                id: uuid(7),
            }),
            Place::Identifier(identifier("n é/ü")),
        ] {
            assert_eq!(place(&cursor(&known)).unwrap(), known);
        }
        for bad in ["", "a", "bm8", "bjE6", "!", "aQ"] {
            assert!(place(bad).is_err(), "{bad}");
        }
    }
}
