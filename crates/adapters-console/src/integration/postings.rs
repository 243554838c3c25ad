//! `/integration/postings`: the postings that the client may see, and one of them.

use std::{sync::Arc, time::Instant};

use access::{Client, Scope};
use actix_web::{HttpRequest, web};
use askama::Template;
use domain::{
    browse::{self, FoundPage, PostingSearch, Words},
    posting::PostingView,
};
use kernel::{SourceIdentifier, Status};

use super::state::{INTEGRATION, State, client_with};
use crate::{
    by::By,
    error::{Answer, Failure},
    form::Fields,
    page::{self, Frame},
    postings::{
        decided::Decided,
        list::{MOST_AT_ONCE, SEARCH_POSTINGS, SEARCH_TIME, cursor, place},
        show::{Step, details, links, steps},
    },
    query::Query,
    text,
};

const PATH: &str = "/postings";
/// The parameter with the identifier of one posting.
const ONE: &str = "posting";

#[derive(Template)]
#[template(path = "integration/postings.html")]
struct List {
    head: page::Head,
    frame: Frame,
    search: Fields,
    found: FoundPage,
    next: Option<String>,
}

#[derive(Template)]
#[template(path = "integration/posting.html")]
struct One<'a> {
    head: page::Head,
    frame: Frame,
    view: &'a PostingView,
    details: Vec<(&'static str, String)>,
    links: Vec<(&'static str, &'a str)>,
    history: Vec<Step>,
    decision: Option<Decided<'a>>,
    redacted: Option<(&'a str, bool)>,
}

/// The list, what a search finds, or one posting.
pub async fn show(request: HttpRequest, state: web::Data<State>) -> Answer {
    let client = client_with(&request, Scope::READERS)?;
    // Not trimmed, as other fields are: an identifier is compared byte for byte.
    let mut fields = url::form_urlencoded::parse(request.query_string().as_bytes());
    match fields.find(|(name, _)| name == ONE) {
        Some((_, identifier)) => one(&request, &state, &client, &identifier).await,
        None => list(&request, &state, client).await,
    }
}

async fn list(request: &HttpRequest, state: &State, client: Client) -> Answer {
    let query = Query::of(request);
    let status = query.get("status").map(Status::parse);
    let wanted = PostingSearch {
        identifier: query.get("id").map(Arc::from),
        words: Words::of(query.get("title").unwrap_or_default()),
        status: status
            .map(|status| status.ok_or(Failure::Address))
            .transpose()?,
        fence: client.prefixes,
        ..PostingSearch::default()
    };
    let after = query.get("after").map(place).transpose()?;
    let start = Instant::now();
    let goes_on = |looked_at| looked_at < SEARCH_POSTINGS && start.elapsed() < SEARCH_TIME;
    let browser = &*state.ports.browser;
    let found = browse::search(browser, &wanted, after, MOST_AT_ONCE, goes_on).await?;
    let next = found.next.as_ref();
    let page = List {
        head: page::Head::at(&INTEGRATION, "Postings"),
        frame: Frame::of(request, PATH)?,
        next: next.map(|next| query.with("", "after", &cursor(next))),
        search: Fields::showing(query),
        found,
    };
    page::answer(&page, 200)
}

/// The query of the page of one posting.
fn query_of(identifier: &SourceIdentifier) -> String {
    Query::default().with("", ONE, identifier.as_str())
}

/// One posting, as the API shows it to the client; one that it may not see is not there.
async fn one(request: &HttpRequest, state: &State, client: &Client, identifier: &str) -> Answer {
    let identifier = SourceIdentifier::new(identifier).map_err(|_| Failure::NotFound)?;
    if !client.prefixes.permit(&identifier) {
        return Err(Failure::NotFound);
    }
    let found = state.ports.postings.find(&identifier).await?;
    let view = found.ok_or(Failure::NotFound)?.seen_by(&client.prefixes);
    let texts = view.texts.as_ref();
    let page = One {
        head: page::Head::at(&INTEGRATION, &*view.posting.details.title),
        frame: Frame::of(request, PATH)?,
        details: details(&view),
        links: links(&view),
        history: steps(&view, By::unlinked),
        decision: (view.decision.as_ref())
            .map(|decision| Decided::new(decision, state.ports.appeal.as_deref())),
        redacted: texts.map(|texts| text::cut(&texts.redacted_markdown)),
        view: &view,
    };
    page::answer(&page, 200)
}
