//! The state that a command was read against, handed from the reading stage to the writing one.

use std::collections::{HashMap, HashSet};

use domain::{
    company::{Company, CompanyId},
    posting::{Posting, PutPosting, SourceIdentifier},
    store::Known,
};

use super::Job;

/// A lane's commit counter. A read that is older than a write of the same posting is stale.
pub(super) type Epoch = u64;

/// The posting and the companies that were read for one command.
pub(super) struct Snapshot {
    posting: Option<Posting>,
    /// The posting's company, and the one that the command names.
    companies: Vec<Company>,
    /// The lane's counter before the read.
    epoch: Epoch,
}

impl Snapshot {
    /// Moves a command's posting and companies out of the batch's read. A posting that several
    /// commands are for is copied.
    pub fn extract(known: &mut Known, put: &PutPosting, is_shared: bool, epoch: Epoch) -> Self {
        let posting = if is_shared {
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
            epoch,
        }
    }

    /// Merges the snapshot into the state that a batch is decided on.
    fn restore(self, known: &mut Known) {
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

/// The postings that a lane has written lately, by the epoch of the last write: a snapshot from
/// before it is stale.
#[derive(Default)]
pub(super) struct RecentWrites(HashMap<SourceIdentifier, Epoch>);

impl RecentWrites {
    /// Records an attempted commit of these commands.
    pub fn note<'a>(&mut self, jobs: impl IntoIterator<Item = &'a Job>, commit: Epoch) {
        let identifiers = jobs.into_iter().map(|job| job.put.identifier.clone());
        self.0
            .extend(identifiers.map(|identifier| (identifier, commit)));
    }

    /// Records commits that were made outside the lane's batches.
    pub fn note_all(&mut self, tried: Vec<(SourceIdentifier, Epoch)>) {
        self.0.extend(tried);
    }

    /// The state that the fresh snapshots of a batch add up to, and the commands whose snapshot is
    /// stale and has to be read again.
    pub fn known<'a>(&mut self, jobs: &'a mut [Job]) -> (Known, Vec<&'a PutPosting>) {
        let oldest = jobs
            .iter()
            .filter_map(|job| job.snapshot.as_ref().map(|snapshot| snapshot.epoch))
            .min();
        // Jobs come in the order in which they were read.
        self.0
            .retain(|_, commit| oldest.is_none_or(|oldest| *commit > oldest));
        let mut known = Known::default();
        let mut again = HashSet::new();
        for job in &mut *jobs {
            let identifier = &job.put.identifier;
            match job.snapshot.take() {
                Some(snapshot)
                    if self
                        .0
                        .get(identifier)
                        .is_none_or(|last| *last <= snapshot.epoch) =>
                {
                    snapshot.restore(&mut known);
                }
                _ => {
                    again.insert(identifier.clone());
                }
            }
        }
        let again = jobs
            .iter()
            .map(|job| &*job.put)
            .filter(|put| again.contains(&put.identifier))
            .collect();
        (known, again)
    }
}
