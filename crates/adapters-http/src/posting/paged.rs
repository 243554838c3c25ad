//! Answers with many postings, which are read page by page while the client reads the answer.

use std::{io, sync::Arc};

use actix_web::web::Bytes;
use domain::store::{ListQuery, PostingPage, PostingReader};
use futures_util::stream::{self, Stream};
use tokio::task::{JoinSet, spawn_blocking};
use tracing::Span;

use super::{
    json_ld::LineForm,
    page::{Part, PartOfList},
};
use crate::{error::ApiError, oauth::Caller, slots::Slot, state::Appeal};

const PIECE: usize = 64 * 1024;

#[derive(Clone)]
pub(super) struct Reading {
    pub postings: Arc<dyn PostingReader>,
    pub appeal: Appeal,
    pub query: ListQuery,
    pub form: Form,
}

#[derive(Clone)]
pub(super) enum Form {
    /// The next page is read while the client reads the current page.
    Lines(LineForm),
    List(PartOfList),
}

pub(super) struct Page {
    pub json: Bytes,
    /// The page's query. It runs again if the client's prefixes change before the page is sent.
    of: Reading,
    pub next: Option<Reading>,
}

impl Reading {
    pub async fn read(self) -> Result<Page, ApiError> {
        let page = self.postings.list(&self.query).await?;
        let page = page.seen_by(&self.query.prefixes);
        // Writing a large page would block the other requests of this thread.
        spawn_blocking(move || self.show(&page)).await?
    }

    pub fn show(self, page: &PostingPage) -> Result<Page, ApiError> {
        let (texts, appeal) = (self.query.texts, self.appeal.as_deref());
        let (json, next) = match &self.form {
            Form::Lines(form) => {
                let lines = form.lines(&page.postings, texts, appeal)?;
                let query = |after| ListQuery {
                    after: Some(after),
                    ..self.query.clone()
                };
                let next = page.next.map(query);
                (lines, next.map(|query| (query, self.form.clone())))
            }
            Form::List(part) => {
                let Part { json, next } = part.write(page, &self.query, appeal)?;
                (json, next.map(|(query, part)| (query, Form::List(part))))
            }
        };
        let next = next.map(|(query, form)| Self {
            query,
            form,
            ..self.clone()
        });
        Ok(Page {
            json: json.into(),
            of: self,
            next,
        })
    }
}

pub(super) struct Paged {
    caller: Caller,
    next: Option<Reading>,
    /// The page that is being read. Dropping the answer stops the read.
    under_way: JoinSet<Result<Page, ApiError>>,
    json: Bytes,
    span: Span,
    _slot: Option<Slot>,
}

impl Paged {
    pub fn new(first: Page, caller: Caller, slot: Option<Slot>) -> Self {
        let mut paged = Self {
            caller,
            next: None,
            under_way: JoinSet::new(),
            json: Bytes::new(),
            span: Span::current(),
            _slot: slot,
        };
        paged.turn_to(first);
        paged
    }

    fn turn_to(&mut self, page: Page) {
        (self.json, self.next) = (page.json, page.next);
        let is_read_ahead = |next: &Reading| matches!(next.form, Form::Lines(_));
        if self.next.as_ref().is_some_and(is_read_ahead) {
            self.read_on();
        }
    }

    fn read_on(&mut self) {
        if let Some(next) = self.next.take() {
            self.under_way.spawn(next.read());
        }
    }

    /// Returns a prefetched page. If the client's prefixes have changed, reads the page again.
    async fn permitted(&mut self, page: Page) -> Result<Page, ApiError> {
        let caller = self.caller.again().await?;
        if *caller.prefixes() == page.of.query.prefixes {
            return Ok(page);
        }
        let mut reading = page.of;
        reading.query.prefixes.clone_from(caller.prefixes());
        reading.read().await
    }

    async fn piece(&mut self) -> Result<Option<Bytes>, ApiError> {
        while self.json.is_empty() {
            self.read_on();
            let Some(page) = self.under_way.join_next().await else {
                return Ok(None);
            };
            let page = self.permitted(page??).await?;
            self.turn_to(page);
        }
        let length = self.json.len().min(PIECE);
        Ok(Some(self.json.split_to(length)))
    }

    /// The pieces of the answer. After an error, the last chunk is missing, so the client notices.
    pub fn pieces(self) -> impl Stream<Item = io::Result<Bytes>> {
        stream::try_unfold(self, async |mut paged| match paged.piece().await {
            Ok(piece) => Ok(piece.map(|piece| (piece, paged))),
            Err(error) => {
                let _entered = paged.span.enter();
                tracing::warn!(cause = %error, "an answer broke off");
                Err(io::Error::other("an answer broke off"))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::{pin::pin, sync::Mutex};

    use async_trait::async_trait;
    use domain::{
        posting::{AsOf, PostingVersion, PostingView},
        store::Position,
    };
    use futures_util::StreamExt as _;
    use kernel::{ClientId, Prefixes, SourceIdentifier, StoreError, Version, testing};
    use serde_json::Value;
    use tokio::{runtime::Builder, task::yield_now};
    use uuid::Uuid;

    use super::*;
    use crate::{oauth::tests::Harness, slots::Slots};

    #[derive(Default)]
    struct Pages {
        all: usize,
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

        async fn as_of(
            &self,
            _: &SourceIdentifier,
            _: AsOf,
        ) -> Result<Option<PostingView>, StoreError> {
            Ok(None)
        }

        async fn versions(
            &self,
            _: &SourceIdentifier,
            _: Option<Version>,
            _: usize,
        ) -> Result<Option<Vec<PostingVersion>>, StoreError> {
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

    fn reading(pages: &Arc<Pages>, form: Form) -> Reading {
        let query = ListQuery {
            limit: 200,
            max_bytes: 1 << 20,
            ..ListQuery::default()
        };
        Reading {
            postings: pages.clone(),
            appeal: None,
            query,
            form,
        }
    }

    async fn begin(pages: &Arc<Pages>, caller: Caller, slots: &Arc<Slots>) -> Paged {
        let slot = slots.take(ClientId::new(Uuid::nil())).unwrap();
        let reading = reading(pages, Form::Lines(LineForm::Json));
        Paged::new(reading.read().await.unwrap(), caller, Some(slot))
    }

    #[test]
    fn one_page_is_read_ahead_and_no_more_and_a_slot_is_held_until_the_end() {
        run(async {
            let (pages, slots) = (Pages::of(5), Slots::new("exports", 1, 1));
            let caller = Harness::new().reader().await;
            let export = begin(&pages, caller, &slots).await;
            let mut pieces = Box::pin(export.pieces());
            pages.settle(2).await;
            let mut lines = Vec::new();
            while !lines.ends_with(b"\n") {
                lines.extend(pieces.next().await.unwrap().unwrap());
                assert_eq!(pages.count(), 2);
            }
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

    /// Each page has only postings that the client may read when it is sent, even if prefetched.
    #[test]
    fn an_export_keeps_to_what_its_client_may_read_meanwhile() {
        run(async {
            let (pages, harness) = (Pages::of(4), Harness::new());
            let caller = harness.reader().await;
            let client = caller.id();
            let export = begin(&pages, caller, &Slots::new("exports", 1, 1)).await;
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

    #[test]
    fn a_list_reads_no_further_than_its_client_takes_it() {
        run(async {
            let pages = Pages::of(2);
            let caller = Harness::new().reader().await;
            let first = reading(&pages, Form::List(PartOfList::default())).read();
            let mut pieces = pin!(Paged::new(first.await.unwrap(), caller, None).pieces());
            let mut json = Vec::new();
            while !json.ends_with(b"}") {
                pages.settle(1).await;
                json.extend(pieces.next().await.unwrap().unwrap());
            }
            while let Some(piece) = pieces.next().await {
                json.extend(piece.unwrap());
            }
            pages.settle(2).await;
            let json: Value = serde_json::from_slice(&json).unwrap();
            assert_eq!(json["data"].as_array().unwrap().len(), 2);
            assert_eq!(json["next_cursor"], Value::Null);
        });
    }
}
