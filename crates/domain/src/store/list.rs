//! Lists of postings: queries, and the selection of a page.

use kernel::{Actor, ClientId, Prefixes, SourceIdentifier, Status};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::posting::{Posting, PostingView};

/// A position in the list: the last posting that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Its `updated_at`.
    pub updated_at: OffsetDateTime,
    /// Its id.
    pub id: Uuid,
}

/// The order of a list of postings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ListOrder {
    /// By (`updated_at`, `id`). A posting that changes moves to the end.
    #[default]
    Changed,
    /// By `id`. Every posting has a permanent place.
    Id,
}

/// The large texts to read: the description, and the two by enrichment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Texts {
    /// All three texts.
    #[default]
    All,
    /// Only the redacted text. The other text is empty, and the description is not read.
    Redacted,
    /// No text.
    None,
}

impl Texts {
    fn of(self, mut view: PostingView) -> PostingView {
        view.history.clear();
        if self != Self::All {
            let description = &mut view.posting.details.raw_description;
            *description = description.unread();
            if let Some(pending) = &mut view.pending {
                pending.description = None;
            }
            if let Some(texts) = &mut view.texts {
                texts.markdown.clear();
                if self == Self::None {
                    texts.redacted_markdown.clear();
                }
            }
        }
        view
    }
}

/// A page of a list of postings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListQuery {
    /// The order.
    pub order: ListOrder,
    /// The texts to read.
    pub texts: Texts,
    /// The status, if any.
    pub status: Option<Status>,
    /// The time that the last change must follow, if any.
    pub updated_after: Option<OffsetDateTime>,
    /// The creator of wanted postings; `None` for any.
    pub created_by: Option<ClientId>,
    /// Whether only duplicates are wanted whose original has a permitted identifier.
    pub duplicates: bool,
    /// The postings that the reader may see.
    pub prefixes: Prefixes,
    /// The position that the page follows; `None` for the first page.
    pub after: Option<Position>,
    /// The largest number of postings.
    pub limit: usize,
    /// The largest total size of texts in bytes. The first posting is always included.
    pub max_bytes: usize,
}

impl Default for ListQuery {
    fn default() -> Self {
        Self {
            order: ListOrder::default(),
            texts: Texts::default(),
            status: None,
            updated_after: None,
            created_by: None,
            duplicates: false,
            prefixes: Prefixes::ALL,
            after: None,
            limit: 0,
            max_bytes: PAGE_BYTES,
        }
    }
}

/// The largest total size of a page's texts in bytes.
pub const PAGE_BYTES: usize = 8 << 20;

/// A candidate for a page, before it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListEntry {
    /// The position.
    pub position: Position,
    /// The size in bytes of description, metadata and enriched texts.
    pub bytes: usize,
    /// Whether the query [wants](ListQuery::wants) it.
    pub is_wanted: bool,
}

/// The number of postings that are examined for a page, if the query may want only few of them.
const LOOKED_AT: usize = 1_000;

impl ListQuery {
    /// Whether a posting is wanted, apart from status and time, which the store checks.
    pub fn wants(
        &self,
        identifier: &SourceIdentifier,
        created_by: Option<&Actor>,
        original: Option<&SourceIdentifier>,
    ) -> bool {
        let is_creator = |client| created_by == Some(&Actor::Client(client));
        let is_copy = original.is_some_and(|it| self.prefixes.permit(it));
        self.created_by.is_none_or(is_creator)
            && self.prefixes.permit(identifier)
            && (is_copy || !self.duplicates)
    }

    fn entry(&self, view: &PostingView) -> ListEntry {
        let posting = &view.posting;
        let metadata = posting.details.metadata.as_ref();
        let texts = view.texts.as_ref();
        ListEntry {
            position: Position {
                updated_at: posting.updated_at,
                id: posting.id.uuid(),
            },
            bytes: view.description().len()
                + metadata.map_or(0, |metadata| metadata.as_str().len())
                + texts.map_or(0, |it| it.markdown.len() + it.redacted_markdown.len()),
            is_wanted: self.wants(
                &posting.source_identifier,
                posting.created_by.as_ref(),
                posting
                    .duplicate_of
                    .as_ref()
                    .map(|it| &it.source_identifier),
            ),
        }
    }

    /// The number of entries to examine for a page. One more entry shows whether others follow.
    pub fn looks_at(&self) -> usize {
        if self.created_by.is_none() && self.prefixes.are_all() && !self.duplicates {
            self.limit
        } else {
            self.limit.max(LOOKED_AT)
        }
    }

    /// The entries of the page among the found ones, and the next page's position.
    pub fn page(&self, found: &[ListEntry]) -> (Vec<ListEntry>, Option<Position>) {
        let (mut page, mut bytes) = (Vec::new(), 0_usize);
        let mut looked_at = 0;
        for entry in found.iter().take(self.looks_at()) {
            if entry.is_wanted {
                bytes = bytes.saturating_add(entry.bytes.max(1));
                let fits = page.is_empty() || bytes <= self.max_bytes;
                if page.len() == self.limit || !fits {
                    break;
                }
                page.push(*entry);
            }
            looked_at += 1;
        }
        let (seen, rest) = found.split_at(looked_at);
        let last = seen.last().filter(|_| !rest.is_empty());
        (page, last.map(|entry| entry.position))
    }
}

/// A page of the list.
#[derive(Clone, Debug, PartialEq)]
pub struct PostingPage {
    /// The postings without their history. A posting that moved during the read is left out. A page
    /// before the last may be short, even empty: with [`ListOrder::Id`], a creator, prefixes or
    /// `duplicates`, a store examines only a limited number of postings.
    pub postings: Vec<PostingView>,
    /// The position of the next page; `None` on the last one.
    pub next: Option<Position>,
}

impl PostingPage {
    /// The page of a query over all postings, for stores in memory.
    pub fn of(query: &ListQuery, postings: impl IntoIterator<Item = PostingView>) -> Self {
        let key = |position: Position| match query.order {
            ListOrder::Changed => (Some(position.updated_at), position.id),
            ListOrder::Id => (None, position.id),
        };
        let is_wanted = |posting: &Posting| {
            query.status.is_none_or(|it| posting.status() == it)
                && query.updated_after.is_none_or(|it| posting.updated_at > it)
        };
        let postings = postings.into_iter();
        let mut found: Vec<_> = postings
            .filter(|view| is_wanted(&view.posting))
            .map(|view| (query.entry(&view), view))
            .filter(|(entry, _)| query.after.is_none_or(|it| key(entry.position) > key(it)))
            .collect();
        found.sort_by_key(|(entry, _)| key(entry.position));
        let entries: Vec<_> = found.iter().map(|(entry, _)| *entry).collect();
        let (page, next) = query.page(&entries);
        let postings = found.into_iter().filter(|(entry, _)| page.contains(entry));
        let postings = postings.map(|(_, view)| query.texts.of(view)).collect();
        Self { postings, next }
    }

    /// The page for a reader with these prefixes, see [`PostingView::seen_by`].
    #[must_use]
    pub fn seen_by(self, prefixes: &Prefixes) -> Self {
        let postings = self.postings.into_iter();
        Self {
            postings: postings.map(|view| view.seen_by(prefixes)).collect(),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use kernel::testing::noon;

    use super::*;

    #[test]
    fn a_page_ends_at_its_limit_or_its_size_but_not_before_its_first_posting() {
        let found: Vec<_> = (1..=4)
            .map(|n| ListEntry {
                position: Position {
                    updated_at: noon(),
                    id: Uuid::from_u128(n),
                },
                bytes: 10,
                is_wanted: true,
            })
            .collect();
        for (limit, max_bytes, length, goes_on) in [
            (4, 40, 4, false),
            (9, 99, 4, false),
            (3, 99, 3, true),
            (9, 39, 3, true),
            (9, 20, 2, true),
            (9, 0, 1, true),
            (9, 9, 1, true),
        ] {
            let query = ListQuery {
                limit,
                max_bytes,
                ..ListQuery::default()
            };
            let (page, next) = query.page(&found);
            assert_eq!(page.len(), length, "{limit} {max_bytes}");
            let last = found.get(length - 1).map(|entry| entry.position);
            assert_eq!(next, last.filter(|_| goes_on), "{limit} {max_bytes}");
        }
    }
}
