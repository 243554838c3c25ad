//! What a command finds: handed from the stage that reads to the stage that writes.

use std::collections::{HashMap, HashSet};

use domain::{
    company::{Company, CompanyId},
    posting::{Posting, PutPosting, SourceIdentifier},
    store::Known,
};

use super::Job;

/// The number of commits that a lane had tried when something happened.
pub(super) type Commits = u64;

/// What was read for one command.
pub(super) struct Found {
    posting: Option<Posting>,
    /// The posting's company, and the one that the command names.
    companies: Vec<Company>,
    /// Of its lane, before the read.
    at: Commits,
}

impl Found {
    /// Takes what concerns a command out of what was read for its batch. A posting is left where
    /// it is as long as others need it.
    pub fn take(known: &mut Known, put: &PutPosting, others_need_it: bool, at: Commits) -> Self {
        let posting = if others_need_it {
            known.postings.get(&put.identifier).cloned()
        } else {
            known.postings.remove(&put.identifier)
        };
        let named = put.patch.company.website.as_ref().map(CompanyId::of);
        let mut ids: Vec<_> = posting
            .iter()
            .map(|posting| posting.company_id)
            .chain(named)
            .collect();
        ids.dedup();
        let companies = ids.iter().filter_map(|id| known.companies.get(id).cloned());
        Self {
            companies: companies.collect(),
            posting,
            at,
        }
    }

    /// Puts it back among what a batch knows.
    fn give(self, known: &mut Known) {
        if let Some(posting) = self.posting {
            known
                .postings
                .insert(posting.source_identifier.clone(), posting);
        }
        let companies = self.companies.into_iter();
        known
            .companies
            .extend(companies.map(|company| (company.id, company)));
    }
}

/// Which postings a lane has written lately, so that nobody decides on what it has overwritten.
#[derive(Default)]
pub(super) struct Written(HashMap<SourceIdentifier, Commits>);

impl Written {
    /// Notes that a commit of these commands is tried.
    pub fn note<'a>(&mut self, jobs: impl IntoIterator<Item = &'a Job>, commit: Commits) {
        let identifiers = jobs.into_iter().map(|job| job.put.identifier.clone());
        self.0
            .extend(identifiers.map(|identifier| (identifier, commit)));
    }

    /// Notes what was committed beside the lane.
    pub fn note_others(&mut self, tried: Vec<(SourceIdentifier, Commits)>) {
        self.0.extend(tried);
    }

    /// What these commands know together, and those that have to read again.
    pub fn known<'a>(&mut self, jobs: &'a mut [Job]) -> (Known, Vec<&'a PutPosting>) {
        let oldest = jobs
            .iter()
            .filter_map(|job| job.found.as_ref().map(|found| found.at))
            .min();
        // Jobs come in the order in which they were read.
        self.0
            .retain(|_, commit| oldest.is_none_or(|at| *commit > at));
        let mut known = Known::default();
        let mut again = HashSet::new();
        for job in &mut *jobs {
            let identifier = &job.put.identifier;
            match job.found.take() {
                Some(found) if self.0.get(identifier).is_none_or(|last| *last <= found.at) => {
                    found.give(&mut known);
                }
                _ => {
                    again.insert(identifier.clone());
                }
            }
        }
        let again = jobs
            .iter()
            .map(|job| &job.put)
            .filter(|put| again.contains(&put.identifier))
            .collect();
        (known, again)
    }
}
