//! The writes of a commit: the sum of decided changes.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use kernel::{CompanyId, PostingId, Version, event::Subject, outbox::TaskWrites};
use time::OffsetDateTime;
use uuid::Uuid;

use super::Snapshot;
use crate::{
    catalogue::{CatalogueLease, Missed},
    company::{CompanyPair, CompanyView, CompanyWrite},
    posting::{
        Coordinates, Decision, Description, ENRICH, EnrichedTexts, Findings, HistoryEntry, Posting,
        PostingView, Replaced,
        duplicate::{Apart, DatedFingerprint},
    },
    report::ReportWrite,
};

/// The number of newest history entries that are read.
pub const HISTORY_SHOWN: usize = 100;

const TRIMMED_EVERY: Version = 64;

/// A posting to write.
#[derive(Clone, Debug, PartialEq)]
pub struct PostingWrite {
    /// The expected stored version; `None` if the posting must not exist.
    pub expected: Option<Version>,
    /// The posting after the write, with its next version.
    pub posting: Posting,
    /// Whether its description changed. A description is large, and most changes keep it.
    pub sets_description: bool,
    /// The enricher's result, if new.
    pub enriched: Option<(EnrichedTexts, Option<Coordinates>)>,
    /// Other findings of the enricher; written with `enriched`.
    pub findings: Findings,
    /// A new decision whether the posting may be shown.
    pub decision: Option<Decision>,
    /// New entries of the history, in order.
    pub history: Vec<HistoryEntry>,
    /// The replaced values, for the commit to record; `None` without any.
    pub replaced: Option<Replaced>,
}

impl PostingWrite {
    /// A write of only the posting, and of its description if that is new.
    pub fn new(expected: Option<Version>, posting: Posting) -> Self {
        Self {
            expected,
            posting,
            sets_description: expected.is_none(),
            enriched: None,
            findings: Findings::default(),
            decision: None,
            history: Vec::new(),
            replaced: None,
        }
    }

    pub(super) fn note_replaced(
        &mut self,
        snapshot: &Snapshot,
        import: Option<Uuid>,
        at: OffsetDateTime,
    ) {
        let before = snapshot.postings.get(&self.posting.source_identifier);
        let before = before.filter(|_| self.expected.is_some());
        self.replaced =
            before.and_then(|before| Replaced::between(before, &self.posting, import, at));
    }

    /// Whether the commit trims the history to the newest [`HISTORY_SHOWN`] entries. Few commits
    /// trim it.
    pub const fn trims_history(&self) -> bool {
        self.posting.version % TRIMMED_EVERY == 0 || self.history.len() > HISTORY_SHOWN
    }

    /// The description to store; `None` keeps the stored one.
    pub fn description(&self) -> Option<&str> {
        let is_new = self.expected.is_none();
        let description = &self.posting.details.raw_description;
        let text = (is_new || self.sets_description).then(|| description.text());
        text.flatten().map(AsRef::as_ref)
    }

    /// The posting's view after this write, for a store in memory.
    pub fn view(mut self, stored: Option<&PostingView>, company: CompanyView) -> PostingView {
        let is_trimmed = self.trims_history();
        let written = self.description().map(Arc::from);
        let description = &mut self.posting.details.raw_description;
        let text = written.or_else(|| stored?.posting.details.raw_description.text().cloned());
        let (digest, essence) = (*description.digest(), *description.essence());
        *description = Description::stored(digest, essence, text);
        let before = stored.map(|view| {
            let findings = view.findings.clone();
            (view.texts.clone(), view.coordinates, findings)
        });
        let (texts, coordinates, findings) = match self.enriched {
            Some((texts, coordinates)) => (Some(texts), coordinates, self.findings),
            None => before.unwrap_or_default(),
        };
        let mut history = stored.map_or_else(Vec::new, |view| view.history.clone());
        history.append(&mut self.history);
        if is_trimmed {
            history.drain(..history.len().saturating_sub(HISTORY_SHOWN));
        }
        PostingView {
            posting: self.posting,
            company,
            texts,
            coordinates,
            findings,
            decision: self.decision.or_else(|| stored?.decision.clone()),
            pending: None,
            history,
        }
    }
}

/// The writes of one commit. Every store writes `companies` and `postings`.
#[derive(Clone, Debug, PartialEq)]
pub struct WriteSet {
    /// Companies, by id: the order in which every commit locks them.
    pub companies: BTreeMap<CompanyId, CompanyWrite>,
    /// Postings, by id.
    pub postings: BTreeMap<PostingId, PostingWrite>,
    /// The writes that a store may ignore.
    pub optional: OptionalWrites,
    /// The writes to outbox, event log and audit. A store ignores writes to a part that it lacks.
    pub tasks: TaskWrites,
}

/// The writes of optional features. A store may ignore a feature's writes if the service runs none
/// of its use cases.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OptionalWrites {
    /// Catalogues: the leases that the commit requires. A lost lease is a conflict.
    pub leases: BTreeSet<CatalogueLease>,
    /// Catalogues: the new states of postings that an import missed. Such a commit requires only
    /// the lease of its import.
    pub missed: BTreeMap<PostingId, Missed>,
    /// Duplicates and reports: postings that must still have these versions, although the commit
    /// does not change them.
    pub standing: BTreeMap<PostingId, Version>,
    /// Duplicates: fingerprints of postings. `None` removes the fingerprint of a closed posting.
    pub fingerprints: BTreeMap<PostingId, Option<DatedFingerprint>>,
    /// Duplicates: pairs of postings that an operator marked as different openings.
    pub told_apart: BTreeSet<Apart>,
    /// Similar companies: the found pairs of these companies, which replace their earlier pairs.
    pub pairs: BTreeMap<CompanyId, Vec<CompanyPair>>,
    /// Similar companies: pairs that an operator marked as different, the lower id first.
    pub apart: BTreeSet<[CompanyId; 2]>,
    /// Reports of readers.
    pub reports: Vec<ReportWrite>,
}

impl OptionalWrites {
    const fn new() -> Self {
        Self {
            leases: BTreeSet::new(),
            missed: BTreeMap::new(),
            standing: BTreeMap::new(),
            fingerprints: BTreeMap::new(),
            told_apart: BTreeSet::new(),
            pairs: BTreeMap::new(),
            apart: BTreeSet::new(),
            reports: Vec::new(),
        }
    }

    fn is_empty(&self) -> bool {
        self.missed.is_empty()
            && self.fingerprints.is_empty()
            && self.told_apart.is_empty()
            && self.pairs.is_empty()
            && self.apart.is_empty()
            && self.reports.is_empty()
    }
}

impl WriteSet {
    /// An empty commit.
    pub const fn new(at: OffsetDateTime) -> Self {
        Self {
            companies: BTreeMap::new(),
            postings: BTreeMap::new(),
            optional: OptionalWrites::new(),
            tasks: TaskWrites::new(at),
        }
    }

    /// Whether a commit would do nothing.
    pub fn is_empty(&self) -> bool {
        self.companies.is_empty()
            && self.postings.is_empty()
            && self.optional.is_empty()
            && self.tasks.is_empty()
    }

    /// The existing postings that a commit changes or enriches, that it requires to stay unchanged,
    /// or whose events it raises.
    pub fn concerned(&self) -> BTreeSet<PostingId> {
        let changed = self
            .postings
            .keys()
            .chain(self.optional.standing.keys())
            .copied();
        let asked = self.tasks.asked();
        let asked = asked.filter(|effect| effect.kind() == ENRICH.kind());
        let events = self.tasks.events.iter();
        let raised = events.filter_map(|event| match &event.subject {
            Subject::Posting(posting) => Some(posting.id),
            _ => None,
        });
        let is_new = |id: &PostingId| {
            let write = self.postings.get(id);
            write.is_some_and(|write| write.expected.is_none())
        };
        changed
            .chain(asked.map(|effect| PostingId::new(effect.key())))
            .chain(raised)
            .filter(|id| !is_new(id))
            .collect()
    }
}
