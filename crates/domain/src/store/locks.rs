//! The rows that a commit shares with others, who may hold them locked.

use std::collections::BTreeSet;

use super::{Known, WriteSet};
use crate::{
    company::CompanyId,
    posting::{ENRICH, PostingId},
};

/// Rows that a commit locks. What it adds is not among them: nobody else has a lock on a row that
/// does not exist.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowLocks {
    /// Postings that it changes or says something about.
    pub postings: BTreeSet<PostingId>,
    /// Companies that it writes.
    pub companies: BTreeSet<CompanyId>,
    /// Companies that it leaves as they are and has postings refer to anew.
    pub references: BTreeSet<CompanyId>,
}

impl RowLocks {
    /// The locks of a commit that was decided on what is known.
    pub fn of(writes: &WriteSet, known: &Known) -> Self {
        let refers_anew = |id: &PostingId, company: CompanyId| {
            let before = known.postings.values().find(|posting| posting.id == *id);
            before.is_none_or(|posting| posting.company_id != company)
        };
        let references = writes
            .postings
            .iter()
            .map(|(id, write)| (id, write.posting.company_id))
            .filter(|(_, company)| !writes.companies.contains_key(company))
            .filter(|(id, company)| refers_anew(id, *company));
        Self {
            postings: writes.concerned(),
            companies: writes.companies.keys().copied().collect(),
            references: references.map(|(_, company)| company).collect(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.postings.is_empty() && self.companies.is_empty() && self.references.is_empty()
    }
}

impl WriteSet {
    /// The postings that a commit is about without adding them: those it changes, and those it
    /// only says something about.
    pub fn concerned(&self) -> BTreeSet<PostingId> {
        let changed = self.postings.keys().copied();
        let asked = self.tasks.asked();
        let asked = asked.filter(|effect| effect.kind() == ENRICH.kind());
        let told = self.tasks.events.iter().map(|event| &event.subject);
        let told = told.filter(|subject| subject.source_identifier.is_some());
        let is_new = |id: &PostingId| {
            let write = self.postings.get(id);
            write.is_some_and(|write| write.expected.is_none())
        };
        changed
            .chain(asked.map(|effect| PostingId::new(effect.key())))
            .chain(told.map(|subject| PostingId::new(subject.id)))
            .filter(|id| !is_new(id))
            .collect()
    }
}
