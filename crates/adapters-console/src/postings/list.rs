//! `/postings`: the list, and the search.

use std::{sync::Arc, time::Instant};

use actix_web::{HttpRequest, web};
use askama::Template;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use domain::{
    client::ClientId,
    console::search::{self, Place, PostingSearch, PostingSummary, Words},
    posting::{Actor, SourceIdentifier, Status},
    store::Position,
};
use time::OffsetDateTime;
use uuid::Uuid;

use super::act::MOST_AT_ONCE;
use crate::{
    error::{Answer, Failure},
    page,
    query::Query,
    state::State,
    text,
};

const PATH: &str = "/postings";
/// Postings of a page; as many can be decided on at once.
const PAGE: usize = MOST_AT_ONCE;
/// How long a search goes on for one page, and how many postings it looks at.
const SEARCH_TIME: std::time::Duration = std::time::Duration::from_millis(1_500);
const SEARCH_POSTINGS: usize = 500_000;
/// Clients to choose from.
const CLIENTS: usize = 200;

#[derive(Template)]
#[template(path = "postings/list.html")]
struct Page<'a> {
    head: page::Head,
    frame: page::Frame,
    statuses: &'static [Status],
    fields: Fields<'a>,
    clients: Vec<(String, String)>,
    rows: Vec<Row>,
    looked_at: usize,
    next: Option<String>,
    /// Whether the search ended before the list did.
    is_partial: bool,
    is_search: bool,
    here: String,
}

/// What the form holds.
struct Fields<'a> {
    id: &'a str,
    title: &'a str,
    company: &'a str,
    status: &'a str,
    client: &'a str,
}

/// A row of the list.
struct Row {
    posting: PostingSummary,
    updated: String,
    by: String,
}

/// A list, or what a search finds.
pub async fn list(request: HttpRequest, state: web::Data<State>) -> Answer {
    let frame = page::Frame::of(&request, PATH)?;
    let query = Query::of(&request);
    let known = state.ports.clients.list(CLIENTS).await?;
    let names: Vec<_> = known
        .iter()
        .map(|client| (client.id.to_string(), client.name.clone()))
        .collect();
    let wanted = search_of(&query)?;
    let after = query.get("after").map(place).transpose()?;
    let start = Instant::now();
    let goes_on = |looked_at| looked_at < SEARCH_POSTINGS && start.elapsed() < SEARCH_TIME;
    let found = search::search(&*state.ports.browser, &wanted, after, PAGE, goes_on).await?;
    let is_full = found.postings.len() == PAGE;
    let field = |name| query.get(name).unwrap_or_default();
    let rows = found.postings.into_iter().map(|posting| Row {
        updated: text::minute(posting.updated_at),
        by: creator(posting.created_by.as_ref(), &names),
        posting,
    });
    let next = found.next.as_ref();
    let page = Page {
        head: page::Head::new("Postings"),
        frame,
        statuses: Status::ALL,
        fields: Fields {
            id: field("id"),
            title: field("title"),
            company: field("company"),
            status: field("status"),
            client: field("client"),
        },
        rows: rows.collect(),
        looked_at: found.looked_at,
        is_partial: next.is_some() && !is_full,
        next: next.map(|next| query.with(PATH, "after", &cursor(next))),
        is_search: wanted != PostingSearch::default(),
        here: if request.query_string().is_empty() {
            PATH.to_owned()
        } else {
            format!("{PATH}?{}", request.query_string())
        },
        clients: names,
    };
    page::answer(&page, 200)
}

/// The creator in words: the name of a client, if it is known.
fn creator(by: Option<&Actor>, names: &[(String, String)]) -> String {
    let Some(by) = by else {
        return String::new();
    };
    if let Actor::Client(id) = by {
        let id = id.to_string();
        let name = names.iter().find(|(known, _)| *known == id);
        return name.map_or(id, |(_, name)| name.clone());
    }
    by.to_string()
}

fn search_of(query: &Query) -> Result<PostingSearch, Failure> {
    let words = |name| Words::of(query.get(name).unwrap_or_default());
    let status = query.get("status").map(|text| {
        Status::parse(text).ok_or_else(|| Failure::field(format!("status: {text:?} is no status")))
    });
    let client = query.get("client").map(|text| {
        let id = text.parse::<ClientId>();
        id.map_err(|_| Failure::field(format!("client: {text:?} is no client id")))
    });
    Ok(PostingSearch {
        identifier: query.get("id").map(Arc::from),
        words: words("title"),
        company: words("company"),
        status: status.transpose()?,
        client: client.transpose()?,
    })
}

/// A place as the address of the next page has it.
fn cursor(place: &Place) -> String {
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

fn place(cursor: &str) -> Result<Place, Failure> {
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
    parse().ok_or_else(|| Failure::field("after: this is no place in the list"))
}

#[cfg(test)]
mod tests {
    use domain::testing::{identifier, noon, uuid};

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
