use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use access::Client;
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
    page::Frame,
    query::Query,
    session::Holder,
    text,
    visit::{OperatorVisit, Visit},
};

pub const PATH: &str = "/postings";
/// The limit of postings on a page, and in one decision about many.
pub const MOST_AT_ONCE: usize = 50;
pub const VERSION: char = '@';
/// The parameter for one posting's identifier, on clients' pages.
pub const ONE: &str = "posting";
/// The limits of a search: the time for the first page, the time for each further page, and the
/// number of postings examined.
const FIRST_TIME: Duration = Duration::from_millis(50);
const FURTHER_TIME: Duration = Duration::from_millis(1_500);
const SEARCH_POSTINGS: usize = 500_000;
pub const CLIENTS: usize = 200;

#[derive(Template)]
#[template(path = "postings/list.html")]
struct Page<'a> {
    frame: Frame,
    search: Fields,
    fields: Fields,
    clients: Vec<Client>,
    found: FoundPage,
    next: Option<String>,
    /// Whether the search reached a limit before the page was full.
    is_partial: bool,
    is_search: bool,
    has_filters: bool,
    here: &'a str,
}

impl Page<'_> {
    fn address(&self, posting: &PostingSummary) -> String {
        if self.frame.is_console() {
            return format!("{PATH}/{}", posting.id);
        }
        let path = self.frame.link(PATH);
        Query::default().with(&path, ONE, posting.source_identifier.as_str())
    }

    fn client(&self, posting: &PostingSummary) -> By {
        By::actor(posting.created_by.as_ref(), &self.clients)
    }

    fn looked_at(&self) -> String {
        text::grouped(self.found.looked_at.try_into().unwrap_or(u64::MAX))
    }
}

fn choice(posting: &PostingSummary) -> String {
    format!("{}{VERSION}{}", posting.id, posting.version)
}

pub async fn list(visit: OperatorVisit) -> Answer {
    let here = visit.query().address(PATH);
    page(&visit, &here, Fields::default()).await
}

/// Renders the list for the query of `here`, and the form that decides on its postings. A client's
/// people find only postings that the client may see.
pub async fn page(visit: &Visit, here: &str, fields: Fields) -> Answer {
    let query = Query::parse(here.split_once('?').map_or("", |(_, query)| query));
    let (wanted, search) = Form::search(query.clone(), wanted);
    let only_words = PostingSearch {
        words: wanted
            .iter()
            .map(|wanted| wanted.words.clone())
            .next()
            .unwrap_or_default(),
        ..PostingSearch::default()
    };
    let is_search = wanted != Some(PostingSearch::default());
    let has_filters = wanted.as_ref() != Some(&only_words);
    let after = query.get("after").map(place).transpose()?;
    let start = Instant::now();
    let time = if after.is_none() {
        FIRST_TIME
    } else {
        FURTHER_TIME
    };
    let goes_on = |looked_at| looked_at < SEARCH_POSTINGS && start.elapsed() < time;
    let ports = visit.ports();
    let (mut found, mut clients) = (FoundPage::default(), Vec::new());
    let mut refused = &search;
    if let Some(mut wanted) = wanted {
        match &visit.session.holder {
            Holder::Client(client) => wanted.fence = client.prefixes.clone(),
            Holder::Operator(_) => clients = ports.stores.clients.list(CLIENTS).await?,
        }
        found = browse::search(
            &*ports.stores.browser,
            &wanted,
            after,
            MOST_AT_ONCE,
            goes_on,
        )
        .await?;
        refused = &fields;
    }
    let done = visit
        .done()
        .map(|count| format!("Done: {count} of {count}."));
    let next = found.next.as_ref();
    let page = Page {
        frame: visit.frame_of_form(PATH, "Postings", refused).saying(done),
        is_partial: next.is_some() && found.postings.len() < MOST_AT_ONCE,
        next: next.map(|next| query.with(&visit.at(PATH), "after", &cursor(next))),
        is_search,
        has_filters,
        here,
        clients,
        found,
        search,
        fields,
    };
    page.frame.answer(&page)
}

fn wanted(fields: &mut Reader<'_>) -> Option<PostingSearch> {
    let status = optional(fields.text("status"), Status::of_filter);
    let status = fields.take("status", status);
    let client = optional(fields.text("client"), |text| {
        let id = text.parse::<ClientId>();
        id.map_err(|_| format!("{text:?} is not a client id"))
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
