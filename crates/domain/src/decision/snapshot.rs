//! The state that commands are decided on.

use std::collections::HashMap;

use kernel::{CatalogueId, CompanyId, PostingId, PutOutcome, SourceIdentifier, StoreError};
use time::OffsetDateTime;

use crate::{
    company::Company,
    posting::{Answer, Basis, Lifetime, Notice, Posting},
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
            let id = posting.id;
            StoreError::Broken(format!("posting {id} was loaded without its company"))
        })
    }

    /// The state of the posting with this identifier; `None` if there is no such posting.
    pub fn basis(&self, identifier: &SourceIdentifier) -> Option<Basis> {
        let posting = self.postings.get(identifier)?;
        let company = self.companies.get(&posting.company_id)?;
        Some(Basis::of(posting, company))
    }
}

/// The answer to a command that changed nothing in the state `basis`, and got these notices;
/// `None` if the state is another one now, or the time has come to renew the posting's lifetime, so
/// that the command has to be decided.
pub fn repeat(
    snapshot: &Snapshot,
    identifier: &SourceIdentifier,
    catalogue: Option<CatalogueId>,
    basis: Basis,
    notices: &[Notice],
    lifetime: Lifetime,
    now: OffsetDateTime,
) -> Option<Answer> {
    let posting = snapshot.postings.get(identifier)?;
    let is_same = snapshot.basis(identifier) == Some(basis)
        && (catalogue.is_none() || catalogue == posting.catalogue)
        && !lifetime.is_due(posting, now);
    is_same.then(|| Answer {
        basis: Some(basis),
        notices: notices.to_vec(),
        ..Answer::on(posting, PutOutcome::Unchanged)
    })
}
