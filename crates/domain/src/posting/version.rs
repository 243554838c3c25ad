//! Versions of a posting: the values that changes replaced.
//!
//! The commit that changes a posting records the values that it replaced.
//! [`PostingView::step_back`] applies the records backwards, and so gives the former posting.

use std::sync::Arc;

use kernel::{Actor, PostingId, Prefixes, Version};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{
    Coordinates, EnrichedTexts, Findings, Original, Posting, PostingView, Values,
    values::{DESCRIPTION, TEXTS},
};
use crate::company::CompanyView;

const DUPLICATE: &str = "duplicate_of";

/// The values that a change of a posting replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replaced {
    /// The time of the change.
    pub at: OffsetDateTime,
    /// The actor of the change.
    pub by: Actor,
    /// The import whose line made the change.
    pub import: Option<Uuid>,
    /// The values.
    pub values: Values,
}

impl Replaced {
    /// The replaced values; `None` if no visible value changed.
    pub(crate) fn between(
        before: &Posting,
        after: &Posting,
        import: Option<Uuid>,
        at: OffsetDateTime,
    ) -> Option<Self> {
        let values = before.differences(after);
        // A push that changes only `expire_at` renews the lifetime, which counts as the actor.
        let is_renewal = values.iter().all(|(name, _)| name == "expire_at");
        let by = after.updated_by.clone().filter(|_| !is_renewal);
        (!values.is_empty()).then(|| Self {
            at,
            by: by.unwrap_or(Actor::Lifetime),
            import,
            values,
        })
    }

    /// Whether the stored description is recorded.
    pub fn has_description(&self) -> bool {
        self.values.has(DESCRIPTION)
    }

    /// Whether the stored texts are recorded.
    pub fn has_texts(&self) -> bool {
        self.values.has(TEXTS)
    }
}

/// A change of a posting, with the replaced values.
#[derive(Clone, Debug, PartialEq)]
pub struct PostingVersion {
    /// The posting.
    pub posting: PostingId,
    /// The version that the change made.
    pub version: Version,
    /// The time of the change.
    pub at: OffsetDateTime,
    /// The actor.
    pub by: Actor,
    /// The import whose line made the change.
    pub import: Option<Uuid>,
    /// The replaced values, with only the digests of description and texts.
    pub before: Values,
    /// The replaced description.
    pub description: Option<Arc<str>>,
    /// The replaced texts.
    pub texts: Option<EnrichedTexts>,
    /// The replaced coordinates, with the texts.
    pub coordinates: Option<Coordinates>,
    /// The replaced findings of enrichment.
    pub findings: Findings,
    /// The replaced company, in its present state.
    pub company: Option<CompanyView>,
}

/// A moment in the history of a posting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AsOf {
    /// When the posting had this version.
    Version(Version),
    /// This time.
    At(OffsetDateTime),
}

impl PostingVersion {
    /// The record of a change of a stored posting.
    pub fn of(stored: &PostingView, version: Version, replaced: Replaced) -> Self {
        let description = &stored.posting.details.raw_description;
        let texts = stored.texts.clone().filter(|_| replaced.has_texts());
        Self {
            posting: stored.posting.id,
            version,
            at: replaced.at,
            by: replaced.by.clone(),
            import: replaced.import,
            description: description
                .text()
                .filter(|_| replaced.has_description())
                .cloned(),
            coordinates: stored.coordinates.filter(|_| texts.is_some()),
            findings: match &texts {
                Some(_) => stored.findings.clone(),
                None => Findings::default(),
            },
            texts,
            company: None,
            before: replaced.values,
        }
    }

    /// The record for a reader with these prefixes. An original that the reader may not see is
    /// removed.
    #[must_use]
    pub fn seen_by(mut self, prefixes: &Prefixes) -> Self {
        let original = self.before.get::<Option<Original>>(DUPLICATE).flatten();
        if original.is_some_and(|it| !prefixes.permit(&it.source_identifier)) {
            self.before.retain(|name| name != DUPLICATE);
        }
        self
    }

    /// Whether the change came after a moment.
    pub fn is_after(&self, moment: AsOf) -> bool {
        match moment {
            AsOf::Version(version) => self.version > version,
            AsOf::At(at) => self.at > at,
        }
    }

    /// Whether the change is neither the enricher's nor only a renewed lifetime.
    pub(crate) fn is_of_its_own(&self) -> bool {
        let is_renewal = self.before.iter().all(|(name, _)| name == "expire_at");
        self.by != Actor::Enricher && !is_renewal
    }
}

impl Posting {
    pub(crate) fn step_back(&mut self, last: &PostingVersion) {
        self.set(&last.before);
        if last.before.has(DESCRIPTION) {
            let text = last.description.clone();
            self.details.raw_description.read(text);
        }
        self.version = last.version - 1;
    }
}

impl PostingView {
    /// Undoes the last change of a stored posting.
    pub fn step_back(&mut self, last: PostingVersion) {
        self.posting.step_back(&last);
        if last.before.has(TEXTS) {
            self.texts = last.texts;
            self.coordinates = last.coordinates;
            self.findings = last.findings;
        }
        if let Some(company) = last.company {
            self.company = company;
        }
        self.history.retain(|entry| entry.at < last.at);
        self.decision = self.decision.take().filter(|it| it.at < last.at);
    }
}

/// The search for the posting at a moment, from the newest record to older ones.
#[derive(Debug)]
pub struct Rewind {
    view: PostingView,
    moment: AsOf,
    newest: Version,
    is_there: bool,
}

impl Rewind {
    /// Begins at a stored posting.
    pub fn new(view: PostingView, moment: AsOf) -> Self {
        Self {
            newest: view.posting.version,
            view,
            moment,
            is_there: false,
        }
    }

    /// Takes the next older record. Returns whether still older records are needed.
    pub fn take(&mut self, version: PostingVersion) -> bool {
        self.is_there = !version.is_after(self.moment);
        if !self.is_there {
            self.view.step_back(version);
        }
        !self.is_there
    }

    /// The posting at the moment, if the records reach it.
    pub fn end(self) -> Option<PostingView> {
        let posting = &self.view.posting;
        let is_known = match self.moment {
            AsOf::Version(version) if version > self.newest => false,
            AsOf::Version(version) => self.is_there || posting.version == version,
            AsOf::At(at) => posting.created_at <= at && (self.is_there || posting.version == 1),
        };
        is_known.then_some(self.view)
    }
}

#[cfg(test)]
mod tests {
    use kernel::{
        CompanyId, Status,
        testing::{hours, identifier, noon, uuid},
    };

    use super::*;
    use crate::{
        posting::{Decision, HistoryEntry},
        testing,
    };

    fn view() -> PostingView {
        let posting = testing::posting(1, CompanyId::new(uuid(2)));
        PostingView {
            texts: Some(EnrichedTexts::default()),
            findings: Findings {
                places: vec![None],
                ..Findings::default()
            },
            ..testing::posting_view(posting, testing::company_view(&testing::company("acme")))
        }
    }

    fn version(stored: &PostingView, values: &str) -> PostingVersion {
        let replaced = Replaced {
            at: noon() + hours(1),
            by: Actor::Enricher,
            import: None,
            values: Values::from_store(values).unwrap(),
        };
        PostingVersion::of(stored, 2, replaced)
    }

    #[test]
    fn a_step_back_ends_before_its_change() {
        let stored = view();
        let other = version(&stored, "{}");
        assert_eq!((other.texts, other.description), (None, None));
        let version = version(&stored, r#"{"texts_digest":null}"#);
        let entry = |at| HistoryEntry {
            status: Status::PendingEnrichment,
            at,
            reason: None,
            by: Actor::Enricher,
        };
        for (at, stays) in
            [(0, true), (1, false), (2, false)].map(|it| (noon() + hours(it.0), it.1))
        {
            let mut view = PostingView {
                texts: None,
                findings: Findings::default(),
                history: vec![entry(at)],
                decision: Some(Decision::approval(None, at)),
                ..stored.clone()
            };
            view.step_back(version.clone());
            assert_eq!(view.texts, stored.texts);
            assert_eq!(view.findings, stored.findings);
            assert_eq!(view.history.len(), usize::from(stays), "{at}");
            assert_eq!(view.decision.is_some(), stays, "{at}");
        }
        assert!(version.is_after(AsOf::At(noon())));
        assert!(!version.is_after(AsOf::At(version.at)));
        let created_at = stored.posting.created_at;
        let rewind = Rewind::new(stored, AsOf::At(created_at));
        assert!(rewind.end().is_some());
    }

    #[test]
    fn a_reader_sees_originals_with_its_prefixes_only() {
        let mut stored = view();
        let original = Original {
            id: PostingId::new(uuid(3)),
            source_identifier: identifier("b-1"),
        };
        let values = serde_json::json!({ "duplicate_of": original, "title": "Cook" });
        let version = version(&stored, &values.to_string());
        stored.posting.duplicate_of = Some(original);
        for (prefix, sees) in [("b", true), ("a", false)] {
            let prefixes = Prefixes::new(&[prefix]).unwrap();
            let before = version.clone().seen_by(&prefixes).before;
            assert_eq!((before.has(DUPLICATE), before.has("title")), (sees, true));
            let original = stored.clone().seen_by(&prefixes).posting.duplicate_of;
            assert_eq!(original.is_some(), sees);
        }
    }
}
