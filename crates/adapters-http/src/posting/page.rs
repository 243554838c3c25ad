//! Answers with postings: a single posting, lines, and the parts of a list.

use domain::{
    posting::{AsOf, PostingView},
    store::{ListQuery, PAGE_BYTES, Position, PostingPage, Texts},
};
use views::posting::{Posting, PostingWithHistory};

use super::cursor;
use crate::{
    answer::{self, Answer, Data},
    state::Appeal,
};

pub async fn one(view: PostingView, moment: Option<AsOf>, appeal: Appeal) -> Answer {
    let bytes = size(&view);
    let write = move |view: &PostingView| {
        let data = match moment {
            Some(_) => PostingWithHistory::as_of(view, appeal.as_deref()),
            None => PostingWithHistory::new(view, appeal.as_deref()),
        };
        serde_json::to_vec(&Data { data })
    };
    answer::large_json(view, bytes, write).await
}

pub(super) fn size(view: &PostingView) -> usize {
    let texts = view.texts.as_ref();
    view.description().len()
        + texts.map_or(0, |texts| {
            texts.markdown.len() + texts.redacted_markdown.len()
        })
}

pub fn lines(
    postings: &[PostingView],
    texts: Texts,
    appeal: Option<&str>,
) -> Result<Vec<u8>, serde_json::Error> {
    let mut lines = Vec::new();
    for view in postings {
        serde_json::to_writer(&mut lines, &Posting::new(view, texts, appeal))?;
        lines.push(b'\n');
    }
    Ok(lines)
}

/// A part of a list answer. The answer has at most `most` bytes, unless its first posting alone has
/// more. It ends before the first posting that does not fit.
#[derive(Clone, Copy, Debug)]
pub struct PartOfList {
    /// The number of bytes in earlier parts.
    before: usize,
    most: usize,
}

pub struct Part {
    pub json: Vec<u8>,
    pub next: Option<(ListQuery, PartOfList)>,
}

impl Default for PartOfList {
    fn default() -> Self {
        Self {
            before: 0,
            most: PAGE_BYTES,
        }
    }
}

impl PartOfList {
    /// Writes the postings found. If the client wants more postings and there are more, another
    /// part follows. After a page with few bytes none follows, because the store has already
    /// examined many other postings.
    pub fn write(
        self,
        page: &PostingPage,
        query: &ListQuery,
        appeal: Option<&str>,
    ) -> Result<Part, serde_json::Error> {
        let is_first = self.before == 0;
        let mut json = Vec::new();
        if is_first {
            json.extend_from_slice(br#"{"data":["#);
        }
        let mut last = query.after.filter(|_| !is_first);
        let mut cut = None;
        for view in &page.postings {
            let posting = serde_json::to_vec(&Posting::new(view, query.texts, appeal))?;
            if last.is_some() {
                if self.before + json.len() + posting.len() > self.most {
                    cut = last;
                    break;
                }
                json.push(b',');
            }
            json.extend(posting);
            last = Some(Position {
                updated_at: view.posting.updated_at,
                id: view.posting.id.uuid(),
            });
        }
        let left = query.limit.saturating_sub(page.postings.len());
        let is_much = size_of(page) >= query.max_bytes / 8;
        if cut.is_none() && page.next.is_some() && left > 0 && is_much {
            let query = ListQuery {
                after: page.next,
                limit: left,
                ..query.clone()
            };
            let before = self.before + json.len();
            let next = Some((query, Self { before, ..self }));
            return Ok(Part { json, next });
        }
        json.extend_from_slice(br#"],"next_cursor":"#);
        serde_json::to_writer(&mut json, &cut.or(page.next).map(cursor::encode))?;
        json.push(b'}');
        Ok(Part { json, next: None })
    }
}

pub fn size_of(page: &PostingPage) -> usize {
    page.postings.iter().map(size).sum()
}

#[cfg(test)]
pub mod tests {
    use std::{
        future::poll_fn,
        pin::{Pin, pin},
        sync::mpsc,
        task::Poll,
    };

    use domain::{posting::EnrichedTexts, testing};
    use serde_json::{Value, json};
    use tokio::{runtime::Builder, task::spawn_blocking};
    use uuid::Uuid;

    use super::*;

    pub fn view_of(bytes: usize) -> PostingView {
        let company = testing::company("acme");
        let posting = testing::posting(1, company.id);
        PostingView {
            texts: Some(EnrichedTexts {
                markdown: "x".repeat(bytes),
                ..EnrichedTexts::default()
            }),
            ..testing::posting_view(posting, testing::company_view(&company))
        }
    }

    fn page_of(bytes: usize) -> PostingPage {
        PostingPage {
            postings: vec![view_of(bytes)],
            next: None,
        }
    }

    #[test]
    fn a_page_is_written_as_it_is_described_and_ends_early_when_it_is_large() {
        let mut page = page_of(10);
        page.postings.extend(page_of(20).postings);
        let shown = page.postings.iter();
        let shown: Vec<_> = shown.map(|it| Posting::new(it, Texts::All, None)).collect();
        let first = &page.postings[0].posting;
        let first = cursor::encode(Position {
            updated_at: first.updated_at,
            id: first.id.uuid(),
        });
        for (most, expect) in [
            (PAGE_BYTES, json!({"data": shown, "next_cursor": null})),
            (1_000, json!({"data": [shown[0]], "next_cursor": first})),
            (1, json!({"data": [shown[0]], "next_cursor": first})),
        ] {
            let part = PartOfList { before: 0, most };
            let Part { json, next } = part.write(&page, &asked(200), None).unwrap();
            assert!(next.is_none());
            let written: Value = serde_json::from_slice(&json).unwrap();
            assert_eq!(written, expect, "{most}");
        }
    }

    fn asked(limit: usize) -> ListQuery {
        ListQuery {
            limit,
            max_bytes: 800,
            ..ListQuery::default()
        }
    }

    #[test]
    fn the_parts_of_a_list_are_one_answer() {
        let position = |n| Position {
            updated_at: kernel::testing::noon(),
            id: Uuid::from_u128(n),
        };
        let page = |bytes, next| PostingPage {
            next,
            ..page_of(bytes)
        };
        // The first four columns describe the second part: text bytes, whether more follow, and the
        // limits of postings and bytes. The last two are the number of postings, and whether the
        // answer continues.
        for (bytes, more, limit, most, found, goes_on) in [
            (500, false, 3, PAGE_BYTES, 2, false),
            (500, true, 2, PAGE_BYTES, 2, false),
            (10, true, 3, PAGE_BYTES, 2, false),
            (500, true, 3, 2_000, 1, false),
            (500, true, 3, PAGE_BYTES, 2, true),
        ] {
            let part = PartOfList { before: 0, most };
            let first = page(500, Some(position(1)));
            let first = part.write(&first, &asked(limit), None).unwrap();
            let (query, part) = first.next.unwrap();
            assert_eq!((query.after, query.limit), (Some(position(1)), limit - 1));
            let second = page(bytes, more.then(|| position(2)));
            let second = part.write(&second, &query, None).unwrap();
            let mut json = [first.json, second.json].concat();
            assert_eq!(second.next.is_some(), goes_on);
            if goes_on {
                json.extend_from_slice(br#"],"next_cursor":null}"#);
            }
            let json: Value = serde_json::from_slice(&json).unwrap();
            assert_eq!(json["data"].as_array().unwrap().len(), found, "{json}");
            let next = if found == 1 {
                Some(position(1))
            } else {
                more.then(|| position(2))
            };
            let next = next.filter(|_| !goes_on).map(cursor::encode);
            assert_eq!(json["next_cursor"], json!(next));
        }
    }

    async fn is_ready(mut future: Pin<&mut impl Future>) -> bool {
        poll_fn(|context| Poll::Ready(future.as_mut().poll(context).is_ready())).await
    }

    /// A large answer must not block the only thread, which also answers health checks.
    #[test]
    fn a_large_answer_delays_no_other_while_it_is_written() {
        let runtime = Builder::new_current_thread()
            .max_blocking_threads(1)
            .build()
            .unwrap();
        runtime.block_on(async {
            let (go_on, wait) = mpsc::channel();
            let busy = spawn_blocking(move || wait.recv());
            assert!(is_ready(pin!(one(view_of(10), None, None))).await);
            let mut large = pin!(one(view_of(1 << 20), None, None));
            assert!(!is_ready(large.as_mut()).await, "it waits for its thread");
            go_on.send(()).unwrap();
            assert!(large.await.is_ok());
            busy.await.unwrap().unwrap();
        });
    }
}
