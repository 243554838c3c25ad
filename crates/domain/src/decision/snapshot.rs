//! The state that commands are decided on.

use std::collections::HashMap;

use kernel::{CompanyId, PostingId, SourceIdentifier, StoreError};

use crate::{
    company::Company,
    posting::{Basis, Posting},
};

/// The state that a batch of commands is decided on.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// The postings that exist, by identifier.
    pub postings: HashMap<SourceIdentifier, Posting>,
    /// The existing companies: the requested ones, and those of the postings.
    pub companies: HashMap<CompanyId, Company>,
    /// The former names of these companies, newest first, of those that have any; only for
    /// enrichment, see [`Store::load_by_id`].
    pub former_names: HashMap<CompanyId, Vec<String>>,
}

impl Snapshot {
    /// The state of these postings and companies.
    pub fn of(
        postings: impl IntoIterator<Item = Posting>,
        companies: impl IntoIterator<Item = Company>,
    ) -> Self {
        let postings = postings.into_iter();
        let companies = companies.into_iter();
        Self {
            postings: postings
                .map(|posting| (posting.source_identifier.clone(), posting))
                .collect(),
            companies: companies.map(|company| (company.id, company)).collect(),
            former_names: HashMap::new(),
        }
    }

    /// The identifiers of the postings, by the postings' own ids.
    pub fn identifiers(&self) -> HashMap<PostingId, SourceIdentifier> {
        self.postings
            .values()
            .map(|posting| (posting.id, posting.source_identifier.clone()))
            .collect()
    }

    /// The company of a posting of the snapshot.
    pub fn company_of(&self, posting: &Posting) -> Result<&Company, StoreError> {
        self.companies.get(&posting.company_id).ok_or_else(|| {
            StoreError::Broken(format!(
                "posting {} was loaded without its company",
                posting.id
            ))
        })
    }

    /// The state of the posting with this identifier; `None` if there is no such posting.
    pub fn basis(&self, identifier: &SourceIdentifier) -> Option<Basis> {
        let posting = self.postings.get(identifier)?;
        let company = self.companies.get(&posting.company_id)?;
        Some(Basis::of(posting, company))
    }
}
