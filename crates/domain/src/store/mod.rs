//! The ports of the state: load what a batch names, commit decisions, read postings.

mod locks;
mod retention;
mod search;

use std::collections::{BTreeMap, HashMap};

use async_trait::async_trait;
pub use kernel::StoreError;
use kernel::{
    Actor, ClientId, CompanyId, PostingId, Prefixes, SourceIdentifier, Status, Version,
    outbox::TaskWrites,
};
use time::OffsetDateTime;
use uuid::Uuid;

pub use self::{
    locks::RowLocks,
    retention::{Erasure, Purge, Retention},
    search::{Search, Step},
};
use crate::{
    catalogue::CatalogueLease,
    company::{Company, CompanyWrite},
    posting::{
        Coordinates, EnrichedTexts, HistoryEntry, Posting, PostingView,
        duplicate::{Candidate, DatedFingerprint, Fingerprint},
    },
};

/// The state that a batch of commands is decided on.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// The postings that exist, by identifier.
    pub postings: HashMap<SourceIdentifier, Posting>,
    /// The existing companies: the requested ones, and those of the postings.
    pub companies: HashMap<CompanyId, Company>,
    /// The former names of these companies, newest first, of those that have any; only for
    /// enrichment, see [`Store::load_by_id`].
    pub former_names: HashMap<CompanyId, Vec<String>>,
}

impl Known {
    /// The identifiers of the postings, by the postings' own ids.
    pub fn identifiers(&self) -> HashMap<PostingId, SourceIdentifier> {
        self.postings
            .values()
            .map(|posting| (posting.id, posting.source_identifier.clone()))
            .collect()
    }

    /// The company of a posting that is known.
    pub fn company_of(&self, posting: &Posting) -> Result<&Company, StoreError> {
        self.companies.get(&posting.company_id).ok_or_else(|| {
            StoreError::Broken(format!(
                "posting {} was loaded without its company",
                posting.id
            ))
        })
    }
}

/// A posting to write.
#[derive(Clone, Debug, PartialEq)]
pub struct PostingWrite {
    /// The version it must have in the store; `None` when it must not exist.
    pub expected: Option<Version>,
    /// The posting as it is afterwards, with its next version.
    pub posting: Posting,
    /// Whether its description is not the stored one. Most changes leave it, and it is large.
    pub sets_description: bool,
    /// The enricher's result, if new.
    pub enriched: Option<(EnrichedTexts, Option<Coordinates>)>,
    /// New entries of the history, in order.
    pub history: Vec<HistoryEntry>,
}

impl PostingWrite {
    /// The description to store; `None` leaves the stored one.
    pub fn description(&self) -> Option<&str> {
        let is_new = self.expected.is_none();
        let description = &self.posting.details.raw_description;
        let text = (is_new || self.sets_description).then(|| description.text());
        text.flatten().map(AsRef::as_ref)
    }
}

/// The writes of one commit.
#[derive(Clone, Debug, PartialEq)]
pub struct WriteSet {
    /// Companies, by id: the order in which every commit locks them.
    pub companies: BTreeMap<CompanyId, CompanyWrite>,
    /// Postings, by id.
    pub postings: BTreeMap<PostingId, PostingWrite>,
    /// Companies that have to be stored as they are here before the commit, which was decided on
    /// them without a read. It is refused if one is not.
    pub assumed: BTreeMap<CompanyId, Company>,
    /// The lease of the catalogue whose import the commit ends. The commit is refused if it is not
    /// held any more.
    pub import: Option<CatalogueLease>,
    /// Postings that have to be of these versions still, though the commit does not change them.
    /// It is refused if one is not.
    pub standing: BTreeMap<PostingId, Version>,
    /// Fingerprints, by which duplicates of these postings are found. `None` takes one away; a
    /// posting that is open keeps its own.
    pub fingerprints: BTreeMap<PostingId, Option<DatedFingerprint>>,
    /// The outbox and audit writes of the same commit.
    pub tasks: TaskWrites,
}

impl WriteSet {
    /// A commit that does nothing yet.
    pub const fn new(at: OffsetDateTime) -> Self {
        Self {
            companies: BTreeMap::new(),
            postings: BTreeMap::new(),
            assumed: BTreeMap::new(),
            import: None,
            standing: BTreeMap::new(),
            fingerprints: BTreeMap::new(),
            tasks: TaskWrites::new(at),
        }
    }

    /// Whether a commit would do nothing.
    pub fn is_empty(&self) -> bool {
        self.companies.is_empty()
            && self.postings.is_empty()
            && self.fingerprints.is_empty()
            && self.tasks.is_empty()
    }
}

/// The port to the state.
#[async_trait]
pub trait Store: Send + Sync {
    /// The named postings with their companies, and the named companies. Descriptions come
    /// without their texts, which no rule reads.
    async fn load(
        &self,
        identifiers: &[SourceIdentifier],
        companies: &[CompanyId],
    ) -> Result<Known, StoreError>;

    /// The same by the postings' own ids, with the texts of their descriptions and the former names
    /// of their companies.
    async fn load_by_id(&self, ids: &[PostingId]) -> Result<Known, StoreError>;

    /// Writes everything or nothing.
    ///
    /// Companies have no version, so another commit may have changed one in the same way. Then it
    /// stays as it is, and the events of `writes` about it are left out. A company keeps the names
    /// that the commit replaces, the stored one too: [`CompanyWrite::former_names`] is the rule.
    ///
    /// [`StoreError::Conflict`] if a posting's version is not the expected one, its identifier was
    /// taken meanwhile, a company has another owner than its write requires, a company or posting is
    /// not as assumed, or the lease of a finished task or of the import was lost.
    /// [`StoreError::Locked`] if another transaction holds a row's lock for longer than a short
    /// time; a store with a single writer never returns it.
    async fn commit(&self, writes: WriteSet) -> Result<(), StoreError>;

    /// The postings, open or not, that share a band with one of these fingerprints: of each band
    /// the oldest [`CANDIDATES`](crate::posting::duplicate::CANDIDATES) by [age]. And the named
    /// postings, if they have a fingerprint. Each comes once, by id. None by default: a store that
    /// finds no duplicates marks none.
    ///
    /// [age]: crate::posting::duplicate::Candidate::age
    async fn near(
        &self,
        _fingerprints: &[Fingerprint],
        _named: &[PostingId],
    ) -> Result<Vec<Candidate>, StoreError> {
        Ok(Vec::new())
    }

    /// Up to `limit` postings that are marked as duplicates of one of these and have a fingerprint,
    /// by id, after this one. None by default.
    async fn copies(
        &self,
        _of: &[PostingId],
        _after: Option<PostingId>,
        _limit: usize,
    ) -> Result<Vec<Candidate>, StoreError> {
        Ok(Vec::new())
    }

    /// The rows among these that other transactions hold locked, without waiting for them.
    async fn held(&self, _locks: &RowLocks) -> Result<RowLocks, StoreError> {
        Ok(RowLocks::default())
    }

    /// Up to `limit` postings that are `approved` or `PendingEnrichment` and whose `expire_at` is
    /// not after `now`, the longest overdue first.
    async fn overdue(
        &self,
        now: OffsetDateTime,
        limit: usize,
    ) -> Result<Vec<SourceIdentifier>, StoreError>;
}

/// The number of newest history entries that are read.
pub const HISTORY_SHOWN: usize = 100;

/// A position in the list of postings: the last one that was seen.
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
    /// By (`updated_at`, `id`): a posting that changes moves to the end.
    #[default]
    Changed,
    /// By `id` alone: every posting has one place for good.
    Id,
}

/// The large texts of a posting to read: its description, and the two that enrichment makes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Texts {
    /// All three.
    #[default]
    All,
    /// The redacted one alone. The others come back empty, the description unread.
    Redacted,
    /// None, likewise.
    None,
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
    /// The client that created the postings, if only those are wanted.
    pub created_by: Option<ClientId>,
    /// The postings that the reader may see.
    pub prefixes: Prefixes,
    /// The position that the page follows; `None` for the first page.
    pub after: Option<Position>,
    /// The largest number of postings.
    pub limit: usize,
    /// The largest total size of the texts, whether they are read or not. The first posting is
    /// always included.
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
            prefixes: Prefixes::ALL,
            after: None,
            limit: 0,
            max_bytes: PAGE_BYTES,
        }
    }
}

/// The largest total size of a page's texts.
pub const PAGE_BYTES: usize = 8 << 20;

/// A posting that a page may have, before it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListEntry {
    /// The position.
    pub position: Position,
    /// The size of the texts: description, metadata and enriched texts.
    pub bytes: usize,
    /// Whether the query [wants](ListQuery::wants) it.
    pub is_wanted: bool,
}

/// The number of postings that a page looks at if it may want few of them.
const LOOKED_AT: usize = 1_000;

impl ListQuery {
    /// Whether a posting is wanted by its identifier and its creator, for which a store needs no
    /// index. A store checks status and time itself.
    pub fn wants(&self, identifier: &SourceIdentifier, created_by: Option<&Actor>) -> bool {
        let is_creator = |client| created_by == Some(&Actor::Client(client));
        self.created_by.is_none_or(is_creator) && self.prefixes.permit(identifier)
    }

    /// The largest number of entries that a store looks at for a page, in a [`Search`]. It looks for
    /// one more, to know whether there are further ones.
    pub fn looks_at(&self) -> usize {
        if self.created_by.is_none() && self.prefixes.are_all() {
            self.limit
        } else {
            self.limit.max(LOOKED_AT)
        }
    }

    /// The page's part of the found entries, and the position of the next page.
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
    /// The postings, without their history. One that changed while the page was read is left out
    /// where it comes later in the list now. A page may be short, and even empty, before the last
    /// one: by [`ListOrder::Id`], and if only some clients' postings or prefixes are wanted, a
    /// store looks at a limited number of others.
    pub postings: Vec<PostingView>,
    /// The position of the next page; `None` on the last one.
    pub next: Option<Position>,
}

impl PostingPage {
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

/// The port for answers about postings.
#[async_trait]
pub trait PostingReader: Send + Sync {
    /// A posting with the newest [`HISTORY_SHOWN`] entries of its history.
    async fn find(&self, identifier: &SourceIdentifier) -> Result<Option<PostingView>, StoreError>;

    /// Postings without their history, ascending by the query's order. Texts that are not asked
    /// for or do not belong to the page are not read.
    async fn list(&self, query: &ListQuery) -> Result<PostingPage, StoreError>;
}

/// The port for the question whether the store can do its work.
#[async_trait]
pub trait Health: Send + Sync {
    /// Succeeds if the store can be reached, has the expected schema, and accepts commits.
    async fn ready(&self) -> Result<(), StoreError>;

    /// The time of the store's own clock; `None` if it uses this machine's.
    async fn clock(&self) -> Result<Option<OffsetDateTime>, StoreError> {
        Ok(None)
    }

    /// How far the store has come: a number that grows with every write, and that a replica reaches
    /// once it has all of them. `None` if the store has no replicas.
    async fn position(&self) -> Result<Option<u64>, StoreError> {
        Ok(None)
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

    #[test]
    fn a_page_passes_a_limited_number_of_unwanted_postings() {
        let found = |count: usize, wanted: &[usize]| -> Vec<_> {
            let entry = |n: usize| ListEntry {
                position: Position {
                    updated_at: noon(),
                    id: Uuid::from_u128(n as u128),
                },
                bytes: 10,
                is_wanted: wanted.contains(&n),
            };
            (0..count).map(entry).collect()
        };
        let query = ListQuery {
            created_by: Some(ClientId::new(Uuid::nil())),
            limit: 2,
            ..ListQuery::default()
        };
        for (count, wanted, page, next) in [
            (5, &[1, 3][..], &[1, 3][..], None),
            (6, &[1, 3, 5], &[1, 3], Some(4)),
            (LOOKED_AT, &[7], &[7], None),
            (LOOKED_AT + 1, &[7], &[7], Some(LOOKED_AT - 1)),
            (LOOKED_AT + 1, &[LOOKED_AT], &[], Some(LOOKED_AT - 1)),
        ] {
            let found = found(count, wanted);
            let (entries, position) = query.page(&found);
            let at = |n: &usize| found[*n].position;
            let positions: Vec<_> = entries.iter().map(|entry| entry.position).collect();
            assert_eq!(positions, page.iter().map(at).collect::<Vec<_>>());
            assert_eq!(position, next.as_ref().map(at), "{count} {wanted:?}");
        }
        assert_eq!(
            ListQuery {
                created_by: None,
                ..query
            }
            .looks_at(),
            2
        );
    }
}
