//! A posting: its state for the rules, and its view for readers.

use kernel::{
    Actor, CatalogueId, CompanyId, PostingId, Prefixes, SourceIdentifier, Status, Version,
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::{
    ContentHash, Coordinates, Decision, Details, EnrichedTexts, Findings, Pending, Review, Shown,
    State, TextsDigest, Values,
};
use crate::company::CompanyView;

pub(crate) const CLOSED: &str = "The closing date has passed.";

/// A posting for the rules, without texts and history. See [`PostingView`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Posting {
    /// The id in this service.
    pub id: PostingId,
    /// The integration's identifier.
    pub source_identifier: SourceIdentifier,
    /// The number of commits that wrote it. A decision on an older version conflicts.
    pub version: Version,
    /// Only [`fire`](Self::fire) changes the state and its reason.
    pub(super) state: State,
    pub(super) status_reason: Option<String>,
    /// The pushed details.
    pub details: Details,
    /// The company.
    pub company_id: CompanyId,
    /// The alias by which the posting came to the company. If the alias ends, the posting moves
    /// back.
    pub came_by: Option<CompanyId>,
    /// The judged values that readers see while pushed ones wait for a verdict.
    #[serde(default)]
    pub shown: Option<Shown>,
    /// The catalogue that listed it last, possibly deleted.
    pub catalogue: Option<CatalogueId>,
    /// The content of the last outcome; `None` before the first outcome, after reopening, and once
    /// the texts were [dropped](Self::forget_texts).
    pub enriched_hash: Option<ContentHash>,
    /// The content that an operator approved, overriding enrichers.
    pub approved_hash: Option<ContentHash>,
    /// The digest of the last texts and coordinates by enrichment, if they are kept.
    pub texts_digest: Option<TextsDigest>,
    /// The posting that it duplicates, see [`duplicate`](super::duplicate); only while open.
    pub duplicate_of: Option<Original>,
    /// When its [duplicate](super::duplicate)-relevant content last changed after the first push.
    #[serde(with = "time::serde::rfc3339::option")]
    pub content_at: Option<OffsetDateTime>,
    /// Whether an operator features it.
    pub is_featured: bool,
    /// When it was first approved.
    #[serde(with = "time::serde::rfc3339::option")]
    pub published_at: Option<OffsetDateTime>,
    /// When its lifetime ends.
    #[serde(with = "time::serde::rfc3339::option")]
    pub expire_at: Option<OffsetDateTime>,
    /// When it was first pushed.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// The creator; `None` if no longer known.
    pub created_by: Option<Actor>,
    /// When it last changed.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
    /// The actor of the last change; `None` if unrecorded.
    pub updated_by: Option<Actor>,
}

impl Posting {
    /// A posting that is pushed for the first time.
    pub fn new(
        id: PostingId,
        source_identifier: SourceIdentifier,
        company_id: CompanyId,
        details: Details,
        by: Actor,
        at: OffsetDateTime,
    ) -> Self {
        let state = State::Pending { review: None };
        Self {
            created_by: Some(by.clone()),
            updated_by: Some(by),
            ..Self::stored(
                (state, None),
                id,
                source_identifier,
                company_id,
                details,
                at,
            )
        }
    }

    /// A stored posting. The other fields are still empty.
    pub fn stored(
        (state, status_reason): (State, Option<String>),
        id: PostingId,
        source_identifier: SourceIdentifier,
        company_id: CompanyId,
        details: Details,
        created_at: OffsetDateTime,
    ) -> Self {
        Self {
            id,
            source_identifier,
            version: 1,
            state,
            status_reason,
            details,
            company_id,
            came_by: None,
            shown: None,
            catalogue: None,
            enriched_hash: None,
            approved_hash: None,
            texts_digest: None,
            duplicate_of: None,
            content_at: None,
            is_featured: false,
            published_at: None,
            expire_at: None,
            created_at,
            created_by: None,
            updated_at: created_at,
            updated_by: None,
        }
    }

    /// Sets a state without the rules.
    #[cfg(any(test, feature = "testing"))]
    pub fn put_in(&mut self, state: State, reason: Option<&str>) {
        self.state = state;
        self.status_reason = reason.map(str::to_owned);
    }

    /// The state.
    pub const fn state(&self) -> State {
        self.state
    }

    /// The status: the state as integrations know it.
    pub const fn status(&self) -> Status {
        self.state.status()
    }

    /// Whether it is neither rejected nor expired.
    pub const fn is_open(&self) -> bool {
        self.state.is_open()
    }

    /// Whether an operator decided its state.
    pub const fn is_moderated(&self) -> bool {
        self.state.is_moderated()
    }

    /// Why its newest content waits for an operator's verdict.
    pub const fn review(&self) -> Option<Review> {
        self.state.review()
    }

    /// When it was expired.
    pub const fn expired_at(&self) -> Option<OffsetDateTime> {
        self.state.expired_at()
    }

    /// The reason of the last change of its state.
    pub fn status_reason(&self) -> Option<&str> {
        self.status_reason.as_deref()
    }

    /// Sets actor and time of the last change. The time never goes back, although clocks may
    /// disagree.
    pub(crate) fn touch(&mut self, by: Actor, at: OffsetDateTime) {
        self.updated_by = Some(by);
        self.updated_at = self.updated_at.max(at);
    }

    /// Whether any enrichment result is kept.
    pub const fn has_texts(&self) -> bool {
        self.enriched_hash.is_some() || self.texts_digest.is_some()
    }

    /// When its [duplicate](super::duplicate)-relevant content was pushed.
    pub fn content_since(&self) -> OffsetDateTime {
        self.content_at.unwrap_or(self.created_at)
    }

    pub(crate) fn is_closed_by_date(&self) -> bool {
        let expired = matches!(
            self.state,
            State::Expired {
                moderated: false,
                ..
            }
        );
        expired && self.status_reason() == Some(CLOSED)
    }

    /// Whether its lifetime has ended, but the posting has not expired yet.
    pub fn is_overdue(&self, now: OffsetDateTime) -> bool {
        self.is_open() && self.expire_at.is_some_and(|end| end <= now)
    }

    /// Whether it expired, and last changed, before this time. A purge deletes them, unless an
    /// operator took them down.
    pub fn is_long_expired(&self, before: OffsetDateTime) -> bool {
        self.expired_at().is_some_and(|at| at < before) && self.updated_at < before
    }

    /// Forgets the last outcome with its texts, in the next version.
    pub const fn forget_texts(&mut self) {
        self.enriched_hash = None;
        self.texts_digest = None;
        self.version += 1;
    }
}

/// Declares the parts of a posting that change, besides its details.
macro_rules! parts {
    ($($part:ident),+ $(,)?) => {
        impl Posting {
            pub(crate) fn differences(&self, other: &Self) -> Values {
                let mut values = self.details.differences(&other.details);
                $(values.note(stringify!($part), &self.$part, &other.$part);)+
                values
            }

            pub(crate) fn set(&mut self, values: &Values) {
                self.details.set(values);
                $(values.put(stringify!($part), &mut self.$part);)+
            }
        }
    };
}

parts! {
    state,
    status_reason,
    company_id,
    came_by,
    enriched_hash,
    approved_hash,
    texts_digest,
    duplicate_of,
    content_at,
    is_featured,
    published_at,
    expire_at,
    updated_at,
    updated_by,
    shown,
}

/// The original of a duplicate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Original {
    /// Its id.
    pub id: PostingId,
    /// Its identifier. Only clients that may use the identifier may see it.
    pub source_identifier: SourceIdentifier,
}

/// One step of a posting's history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryEntry {
    /// The new status.
    pub status: Status,
    /// The time.
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
    /// The reason, if there is one.
    pub reason: Option<String>,
    /// The actor.
    pub by: Actor,
}

/// A posting with everything that a reader may see.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PostingView {
    /// The posting itself.
    pub posting: Posting,
    /// Its company.
    pub company: CompanyView,
    /// Its texts, once enriched.
    pub texts: Option<EnrichedTexts>,
    /// The coordinates, once enriched and if known.
    pub coordinates: Option<Coordinates>,
    /// Other findings of enrichment; empty before the first outcome.
    pub findings: Findings,
    /// The newest decision whether it may be shown; `None` before the first.
    pub decision: Option<Decision>,
    /// Pushed values that wait for a verdict.
    #[serde(default)]
    pub pending: Option<Pending>,
    /// The history, oldest first; empty in lists.
    pub history: Vec<HistoryEntry>,
}

impl PostingView {
    /// The posting for a reader with these prefixes. An original that the reader may not see is
    /// removed.
    #[must_use]
    pub fn seen_by(mut self, prefixes: &Prefixes) -> Self {
        let is_seen = |original: &Original| prefixes.permit(&original.source_identifier);
        self.posting.duplicate_of = self.posting.duplicate_of.filter(is_seen);
        self
    }

    /// The description as pushed; empty in a list without it.
    pub fn description(&self) -> &str {
        let description = self.posting.details.raw_description.text();
        description.map_or("", AsRef::as_ref)
    }
}

#[cfg(test)]
mod tests {
    use kernel::testing::{hours, identifier, noon, uuid};

    use super::*;

    fn posting() -> Posting {
        let (id, company) = (PostingId::new(uuid(1)), CompanyId::new(uuid(2)));
        let by = Actor::Enricher;
        Posting::new(id, identifier("a"), company, Details::default(), by, noon())
    }

    #[test]
    fn a_posting_is_purged_if_it_expired_and_changed_before_the_limit() {
        let (old, limit) = (noon() - hours(1), noon());
        let expired = |at| State::Expired {
            at,
            moderated: false,
        };
        for (state, updated_at, expect) in [
            (expired(old), old, true),
            (expired(limit), old, false),
            (expired(old), limit, false),
            (State::Pending { review: None }, old, false),
        ] {
            let mut posting = posting();
            posting.put_in(state, None);
            posting.updated_at = updated_at;
            assert_eq!(posting.is_long_expired(limit), expect, "{state:?}");
        }
    }

    #[test]
    fn forgetting_a_result_of_enrichment_makes_a_version() {
        let hash = Some(ContentHash::from_bytes([7; 32]));
        let digest = Some(TextsDigest::from_bytes([7; 32]));
        for (enriched_hash, texts_digest) in [(hash, None), (None, digest)] {
            let created = posting();
            let mut posting = created.clone();
            (posting.enriched_hash, posting.texts_digest) = (enriched_hash, texts_digest);
            assert!(posting.has_texts());
            posting.forget_texts();
            assert_eq!(
                posting,
                Posting {
                    version: 2,
                    ..created
                }
            );
        }
    }

    #[test]
    fn the_creator_is_the_first_actor() {
        assert_eq!(posting().created_by, Some(Actor::Enricher));
        assert_eq!(posting().updated_by, Some(Actor::Enricher));
    }
}
