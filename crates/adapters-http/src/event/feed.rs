//! `GET` of the events after a cursor, for clients that follow the board.

use std::{pin::pin, time::Duration};

use access::Scope;
use actix_web::{HttpRequest, web};
use domain::posting::event::{PUBLIC, REPORT_DECIDED};
use futures_util::future::{Either, select};
use http_server::Connection;
use kernel::event::{Cursor, EventFeed, EventName, InvalidCursor, LogError, LogPage, LogQuery};
use views::{attention::Pages, event::EventPageAnswer};

use crate::{
    answer::{self, Answer, no_store},
    coding::encode,
    context::RequestContext,
    error::ApiError,
    oauth::Caller,
    pages,
    query::{Options, Parameters, Query, integer},
    state::State,
};

const DEFAULT_LIMIT: usize = 100;
const MAX_LIMIT: usize = 1000;
/// The longest wait for an event, in seconds.
const MAX_WAIT: u64 = 30;
const LATEST: &str = "latest";

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Request {
    after: After,
    names: Vec<EventName>,
    limit: usize,
    wait: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum After {
    Nothing,
    Latest,
    Cursor(Cursor),
}

pub(super) async fn follow(
    caller: Caller,
    Query(query): Query<Request>,
    request: HttpRequest,
    state: web::Data<State>,
) -> Answer {
    let source = state.ports.reads.choose();
    let feed = &*source.events;
    let after = match query.after {
        After::Nothing => None,
        After::Cursor(cursor) => Some(cursor),
        After::Latest => Some(feed.end().await?),
    };
    let log = LogQuery {
        after,
        names: permitted(query.names, &caller),
        prefixes: caller.prefixes().clone(),
        reader: Some(caller.id()),
        limit: query.limit,
    };
    if query.wait.is_zero() {
        let page = read(feed, log, Duration::ZERO).await?;
        return encode(&request, source.label(shown(page, &state).await?));
    }
    RequestContext::move_to(&request, state.waits.take(caller.id())?);
    let interrupted = interrupted(&request, &state);
    let page = wait(feed, log, query.wait, &caller, interrupted).await?;
    encode(&request, source.label(shown(page, &state).await?))
}

fn permitted(mut names: Vec<EventName>, caller: &Caller) -> Vec<EventName> {
    if !caller.narrowed().may(Scope::REPORTERS) {
        names.retain(|name| *name != REPORT_DECIDED);
    }
    names
}

async fn shown(page: LogPage, state: &State) -> Answer {
    const BYTES: usize = 300;
    let bytes = page.events.len() * BYTES;
    let (url, appeal) = (state.public_url.clone(), state.appeal.clone());
    let write = move |page: &LogPage| {
        let pages = Pages::Integration(&url);
        serde_json::to_vec(&EventPageAnswer::new(page, pages, appeal.as_deref()))
    };
    answer::large_json(page, bytes, write).await.map(no_store)
}

/// Waits for a page. Reads another one if the client may meanwhile see other events.
async fn wait(
    feed: &dyn EventFeed,
    mut log: LogQuery,
    wait: Duration,
    caller: &Caller,
    interrupted: impl Future<Output = ()>,
) -> Result<LogPage, ApiError> {
    let reading = pin!(read(feed, log.clone(), wait));
    let page = match select(reading, pin!(interrupted)).await {
        Either::Left((page, _)) => page?,
        Either::Right(((), _)) => feed.follow(&log, Duration::ZERO).await?,
    };
    let caller = caller.again().await?;
    let names = permitted(log.names.clone(), &caller);
    if *caller.prefixes() == log.prefixes && names == log.names {
        return Ok(page);
    }
    log.names = names;
    log.prefixes.clone_from(caller.prefixes());
    Ok(read(feed, log, Duration::ZERO).await?)
}

/// Reads pages until one has wanted events, the log ends, or the time limit is reached.
async fn read(
    feed: &dyn EventFeed,
    mut query: LogQuery,
    wait: Duration,
) -> Result<LogPage, LogError> {
    pages::first(wait, async |left| {
        let page = feed.follow(&query, left).await?;
        query.after = Some(page.next);
        let is_barren = page.events.is_empty() && page.has_more;
        Ok((page, is_barren))
    })
    .await
}

/// Completes when the client closes the connection or the server stops.
async fn interrupted(request: &HttpRequest, state: &State) {
    let hung_up = pin!(async {
        match Connection::of(request) {
            Some(connection) => connection.hung_up().await,
            None => std::future::pending().await,
        }
    });
    select(hung_up, pin!(state.stopping.cancelled())).await;
}

impl Options for Request {
    fn take(parameters: &mut Parameters<'_>) -> Self {
        Self {
            after: parameters
                .take("after", parse_after)
                .unwrap_or(After::Nothing),
            names: parameters
                .take("types", parse_types)
                .unwrap_or_else(|| PUBLIC.to_vec()),
            limit: parameters
                .take("limit", |text| integer(text, 1, MAX_LIMIT))
                .unwrap_or(DEFAULT_LIMIT),
            wait: parameters
                .take("wait", |text| integer(text, 0, MAX_WAIT))
                .map_or(Duration::ZERO, Duration::from_secs),
        }
    }
}

fn parse_after(text: &str) -> Result<After, String> {
    if text == LATEST {
        return Ok(After::Latest);
    }
    text.parse()
        .map(After::Cursor)
        .map_err(|error: InvalidCursor| {
            format!(
                "{error}; give a next_cursor of an earlier answer or {LATEST}, or leave it out to \
             start with the oldest event"
            )
        })
}

fn parse_types(text: &str) -> Result<Vec<EventName>, String> {
    let public = PUBLIC;
    let mut names = Vec::new();
    for name in text.split(',') {
        let Some(known) = public.iter().find(|known| known.as_str() == name) else {
            let all: Vec<_> = public.iter().map(EventName::as_str).collect();
            return Err(format!(
                "must be a list, separated by commas, of {}",
                all.join(", ")
            ));
        };
        if !names.contains(known) {
            names.push(known.clone());
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use std::{future::pending, sync::Mutex};

    use actix_web::ResponseError as _;
    use async_trait::async_trait;
    use domain::posting::event::{COMPANY_UPDATED, JOB_POSTING_CREATED};
    use kernel::{Prefixes, StoreError};

    use super::*;
    use crate::oauth::tests::Harness;

    #[test]
    fn every_parameter_is_read_and_none_is_required() {
        let after = Cursor {
            transaction: 7,
            sequence: 9,
        };
        let all = format!("after={after}&types=CompanyUpdated,JobPostingCreated%2CCompanyUpdated");
        let names = vec![COMPANY_UPDATED, JOB_POSTING_CREATED];
        for (query, after, names, limit, wait) in [
            ("", After::Nothing, PUBLIC.to_vec(), DEFAULT_LIMIT, 0),
            (
                &*(all + "&limit=1000&wait=30"),
                After::Cursor(after),
                names,
                1000,
                30,
            ),
            (
                "after=latest&wait=0",
                After::Latest,
                PUBLIC.to_vec(),
                DEFAULT_LIMIT,
                0,
            ),
        ] {
            let wait = Duration::from_secs(wait);
            let expect = Request {
                after,
                names,
                limit,
                wait,
            };
            assert_eq!(Request::read(query), Ok(expect), "{query}");
        }
        let errors = Request::read("after=x&types=A,B&limit=1001&wait=31&page=1").unwrap_err();
        let found: Vec<_> = errors.iter().map(|(name, _)| name).collect();
        assert_eq!(found, ["after", "types", "limit", "wait", "page"]);
        for (query, part) in [
            ("after=Latest", "is not a cursor of the events"),
            (
                "types=JobPostingCreated,",
                "must be a list, separated by commas, of JobPosting",
            ),
            ("types=IndividualMembershipUpdated", "must be a list"),
        ] {
            let message = Request::read(query).unwrap_err().to_string();
            assert!(message.contains(part), "{query}: {message}");
        }
    }

    /// A log with this many pages and no wanted events. Reading a page takes half a second.
    #[derive(Default)]
    struct Barren {
        pages: u64,
        /// For each read: the reader's prefixes, the start, and the wait.
        asked: Mutex<Vec<(Prefixes, u64, Duration)>>,
    }

    const fn empty(next: u64) -> LogPage {
        LogPage {
            events: Vec::new(),
            next: Cursor {
                transaction: 0,
                sequence: next,
            },
            has_more: false,
        }
    }

    #[async_trait]
    impl EventFeed for Barren {
        async fn follow(&self, query: &LogQuery, wait: Duration) -> Result<LogPage, LogError> {
            tokio::time::sleep(Duration::from_millis(500)).await;
            let from = query.after.unwrap_or_default().sequence;
            let asked = (query.prefixes.clone(), from, wait);
            self.asked.lock().unwrap().push(asked);
            Ok(LogPage {
                has_more: from + 1 < self.pages,
                ..empty(from + 1)
            })
        }

        async fn end(&self) -> Result<Cursor, StoreError> {
            Ok(Cursor::START)
        }
    }

    fn everything() -> LogQuery {
        LogQuery {
            after: None,
            names: vec![PUBLIC[0].clone()],
            prefixes: Prefixes::ALL,
            reader: None,
            limit: 1,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_end_of_a_wait_is_for_what_the_client_may_read_by_then() {
        const LONG: Duration = Duration::from_secs(30);
        let harness = Harness::new();
        let caller = harness.reader().await;
        let client = caller.id();
        let feed = Barren::default();
        let ends = || wait(&feed, everything(), LONG, &caller, pending());
        assert_eq!(ends().await.unwrap(), empty(1));

        let prefixes = Prefixes::new(&["acme-"]).unwrap();
        harness
            .clients
            .change(client, |client| client.prefixes = prefixes.clone());
        harness.set_clock(6);
        assert_eq!(ends().await.unwrap(), empty(1));
        let asked = feed.asked.lock().unwrap().split_off(1);
        let again = (prefixes, 0, Duration::ZERO);
        assert_eq!(asked, [(Prefixes::ALL, 0, LONG), again]);

        harness
            .clients
            .change(client, |client| client.scopes.clear());
        harness.set_clock(12);
        assert_eq!(ends().await.unwrap_err().status_code(), 403);
        harness.clients.revoke(client);
        harness.set_clock(18);
        assert_eq!(ends().await.unwrap_err().status_code(), 401);
    }

    #[tokio::test(start_paused = true)]
    async fn pages_without_wanted_events_are_passed_by_for_a_limited_time() {
        for (pages, wait, reads) in [(3, 1, 3), (u64::MAX, 0, 4), (u64::MAX, 3, 6)] {
            let asked = Mutex::default();
            let feed = Barren { pages, asked };
            let page = read(&feed, everything(), Duration::from_secs(wait)).await;
            let has_more = reads < pages;
            let expect = LogPage {
                has_more,
                ..empty(reads)
            };
            assert_eq!(page, Ok(expect));
            let waits = feed.asked.lock().unwrap().clone().into_iter();
            let left =
                (0..reads).map(|n| Duration::from_millis((1000 * wait).saturating_sub(500 * n)));
            assert!(waits.map(|(_, _, wait)| wait).eq(left));
        }
    }
}
