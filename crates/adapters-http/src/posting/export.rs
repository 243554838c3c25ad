//! `GET` of all postings as lines of JSON, page by page while the client takes them.

use std::{io, sync::Arc};

use actix_web::{
    HttpRequest, HttpResponse,
    http::{
        Method, Version,
        header::{CACHE_CONTROL, HeaderName},
    },
    web::{self, Bytes},
};
use domain::store::{ListOrder, ListQuery, Position, PostingReader, Texts};
use futures_util::stream::{self, Stream};
use kernel::Status;
use tokio::task::{JoinSet, spawn_blocking};
use tracing::Span;

use super::{json_ld::Form, list::parse_texts};
use crate::{
    answer::Answer,
    coding::encode,
    error::{ApiError, refusals},
    oauth::Caller,
    query::{Options, Parameters, Query},
    slots::Slot,
    state::{Appeal, State},
};

/// The cursor of the events that the export does not contain.
const EVENTS_CURSOR: HeaderName = HeaderName::from_static("posthaste-events-cursor");
/// The content type of lines of JSON.
pub const NDJSON: &str = "application/x-ndjson";

/// The largest number of postings that are read at a time.
const PAGE_POSTINGS: usize = 500;
/// The largest total size of the texts that are read at a time.
const PAGE_BYTES: usize = 1 << 20;
/// The same if they are left out: they count all the same.
const PAGE_BYTES_WITHOUT_TEXTS: usize = 8 << 20;
/// The size of a piece of the answer.
const PIECE: usize = 64 * 1024;

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
    // Read first: changes from here on are among the events, and may be in the export too.
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
        return Ok(encode(&request, answer));
    }
    let reading = Reading {
        postings: Arc::clone(&source.postings),
        form,
        appeal: state.appeal.clone(),
    };
    let export = Export::begin(reading, query, caller, slot).await?;
    let answer = source.label(response.streaming(export.pieces()));
    Ok(encode(&request, answer))
}

/// The postings that a client chooses.
pub(super) struct Choice {
    query: ListQuery,
    form: Form,
}

impl Options for Choice {
    fn take(parameters: &mut Parameters<'_>) -> Self {
        let form = Form::take(parameters);
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

/// An export under way. While the client takes a page, the next one is read, and no more.
struct Export {
    reading: Reading,
    /// The page that is being read or was read last.
    query: ListQuery,
    caller: Caller,
    /// The page that is being read, if any. Reading ends with the export.
    next: JoinSet<Result<Page, ApiError>>,
    /// The lines that the client has not taken yet.
    lines: Bytes,
    /// The request.
    span: Span,
    /// Held until the answer has ended.
    _slot: Slot,
}

/// What is read from, and what it is shown with.
#[derive(Clone)]
struct Reading {
    postings: Arc<dyn PostingReader>,
    form: Form,
    appeal: Appeal,
}

/// A page of an export.
struct Page {
    lines: Bytes,
    /// The position of the next one.
    next: Option<Position>,
}

impl Export {
    /// Reads the first page.
    async fn begin(
        reading: Reading,
        query: ListQuery,
        caller: Caller,
        slot: Slot,
    ) -> Result<Self, ApiError> {
        let first = read(reading.clone(), query.clone()).await?;
        let mut export = Self {
            reading,
            query,
            caller,
            next: JoinSet::new(),
            lines: Bytes::new(),
            span: Span::current(),
            _slot: slot,
        };
        export.turn_to(first);
        Ok(export)
    }

    /// Makes a page the present one, and begins to read the next.
    fn turn_to(&mut self, page: Page) {
        self.lines = page.lines;
        if page.next.is_some() {
            self.query.after = page.next;
            self.next
                .spawn(read(self.reading.clone(), self.query.clone()));
        }
    }

    /// A page that was read ahead, if the client may still read it. With other prefixes it is read
    /// again.
    async fn permitted(&mut self, page: Page) -> Result<Page, ApiError> {
        let caller = self.caller.again().await?;
        if *caller.prefixes() == self.query.prefixes {
            return Ok(page);
        }
        self.query.prefixes.clone_from(caller.prefixes());
        read(self.reading.clone(), self.query.clone()).await
    }

    /// The next piece of the answer; `None` at its end.
    async fn piece(&mut self) -> Result<Option<Bytes>, ApiError> {
        while self.lines.is_empty() {
            let Some(page) = self.next.join_next().await else {
                return Ok(None);
            };
            let page = page??;
            let page = self.permitted(page).await?;
            self.turn_to(page);
        }
        let length = self.lines.len().min(PIECE);
        Ok(Some(self.lines.split_to(length)))
    }

    /// The answer. An error ends it without the last chunk, which the client notices.
    fn pieces(self) -> impl Stream<Item = io::Result<Bytes>> {
        stream::try_unfold(self, async |mut export| match export.piece().await {
            Ok(piece) => Ok(piece.map(|piece| (piece, export))),
            Err(error) => {
                let _entered = export.span.enter();
                tracing::warn!(cause = %error, "an export broke off");
                Err(io::Error::other("an export broke off"))
            }
        })
    }
}

async fn read(reading: Reading, query: ListQuery) -> Result<Page, ApiError> {
    let page = reading
        .postings
        .list(&query)
        .await?
        .seen_by(&query.prefixes);
    // A thread that answers others, too, would be held up by a large page.
    let write = move || {
        let Reading { form, appeal, .. } = reading;
        let lines = form.lines(&page.postings, query.texts, appeal.as_deref());
        lines.map(|lines| (lines, page.next))
    };
    let (lines, next) = spawn_blocking(write).await??;
    let lines = lines.into();
    Ok(Page { lines, next })
}

refusals! {
    /// 505 of an answer whose end HTTP/1.0 cannot tell from a break.
    needs_http_1_1: HTTP_VERSION_NOT_SUPPORTED,
        "This answer is only given by HTTP/1.1, so that a broken one is noticed. With nginx in \
         front, set proxy_http_version 1.1.";
}

#[cfg(test)]
mod tests {
    use std::{pin::pin, sync::Mutex};

    use async_trait::async_trait;
    use domain::{posting::PostingView, store::PostingPage};
    use futures_util::StreamExt as _;
    use kernel::{ClientId, Prefixes, SourceIdentifier, StoreError, testing};
    use tokio::{runtime::Builder, task::yield_now};
    use uuid::Uuid;

    use super::*;
    use crate::{oauth::tests::Harness, slots::Slots};

    /// A board of pages that are larger than a piece, but for one in the middle that is empty.
    #[derive(Default)]
    struct Pages {
        all: usize,
        /// The page, and the prefixes, of each read.
        asked: Mutex<Vec<(usize, Prefixes)>>,
    }

    impl Pages {
        fn of(all: usize) -> Arc<Self> {
            let asked = Mutex::default();
            Arc::new(Self { all, asked })
        }

        fn count(&self) -> usize {
            self.asked.lock().unwrap().len()
        }

        /// Lets everything go on; then this many pages have been read.
        async fn settle(&self, pages: usize) {
            for _ in 0..1_000 {
                yield_now().await;
            }
            assert_eq!(self.count(), pages);
        }
    }

    #[async_trait]
    impl PostingReader for Pages {
        async fn find(&self, _: &SourceIdentifier) -> Result<Option<PostingView>, StoreError> {
            Ok(None)
        }

        async fn list(&self, query: &ListQuery) -> Result<PostingPage, StoreError> {
            let page = query.after.map_or(0, |after| after.id.as_u128());
            let page = usize::try_from(page).unwrap();
            let asked = (page, query.prefixes.clone());
            self.asked.lock().unwrap().push(asked);
            let view = crate::posting::tests::view_of(2 * PIECE);
            let next = page + 1;
            Ok(PostingPage {
                postings: (page != 2).then_some(view).into_iter().collect(),
                next: (next < self.all).then(|| Position {
                    updated_at: testing::noon(),
                    id: Uuid::from_u128(next as u128),
                }),
            })
        }
    }

    fn run(test: impl Future<Output = ()>) {
        let runtime = Builder::new_current_thread().enable_time().build();
        runtime.unwrap().block_on(test);
    }

    async fn begin(pages: &Arc<Pages>, caller: Caller, slots: &Arc<Slots>) -> Export {
        let reading = Reading {
            postings: pages.clone(),
            form: Form::Json,
            appeal: None,
        };
        let slot = slots.take(ClientId::new(Uuid::nil())).unwrap();
        let export = Export::begin(reading, ListQuery::default(), caller, slot);
        export.await.unwrap()
    }

    #[test]
    fn one_page_is_read_ahead_and_no_more_and_a_slot_is_held_until_the_end() {
        run(async {
            let (pages, slots) = (Pages::of(5), Slots::new(1, 1));
            let caller = Harness::new().reader().await;
            let export = begin(&pages, caller, &slots).await;
            let mut pieces = Box::pin(export.pieces());
            pages.settle(2).await;
            let mut lines = Vec::new();
            while !lines.ends_with(b"\n") {
                lines.extend(pieces.next().await.unwrap().unwrap());
                assert_eq!(pages.count(), 2);
            }
            // The first piece of the second page.
            lines.extend(pieces.next().await.unwrap().unwrap());
            pages.settle(3).await;
            while let Some(piece) = pieces.next().await {
                lines.extend(piece.unwrap());
                assert!(slots.take(ClientId::new(Uuid::nil())).is_err());
            }
            let lines = String::from_utf8(lines).unwrap();
            assert_eq!(lines.lines().count(), 4, "one page is empty");
            assert_eq!(pages.count(), 5);
            drop(pieces);
            assert!(slots.take(ClientId::new(Uuid::nil())).is_ok());
        });
    }

    /// Each page is for what the client may read when it is its turn, the page that was read ahead
    /// too.
    #[test]
    fn an_export_keeps_to_what_its_client_may_read_meanwhile() {
        run(async {
            let (pages, harness) = (Pages::of(4), Harness::new());
            let caller = harness.reader().await;
            let client = caller.id();
            let export = begin(&pages, caller, &Slots::new(1, 1)).await;
            let mut pieces = pin!(export.pieces());
            pages.settle(2).await;
            let prefixes = Prefixes::new(&["acme-"]).unwrap();
            harness
                .clients
                .change(client, |client| client.prefixes = prefixes.clone());
            harness.set_clock(6);
            let mut take_page = async || {
                while !pieces.next().await.unwrap()?.ends_with(b"\n") {}
                io::Result::Ok(())
            };
            take_page().await.unwrap();
            take_page().await.unwrap();
            pages.settle(4).await;
            let asked = pages.asked.lock().unwrap().clone();
            let narrow = |page| (page, prefixes.clone());
            let expect = [(0, Prefixes::ALL), (1, Prefixes::ALL), narrow(1), narrow(2)];
            assert_eq!(asked, expect);
            harness.clients.revoke(client);
            harness.set_clock(12);
            assert!(take_page().await.is_err());
        });
    }
}
