//! The state that commands are decided on.

use std::collections::HashMap;

use kernel::{CompanyId, PostingId, PutOutcome, SourceIdentifier, StoreError};

use crate::{
    company::Company,
    posting::{Answer, Basis, Posting, RepeatAnswer},
};

/// The most steps from an alias to its company. Only concurrent merges cause more than two.
const MOST_MERGES: usize = 8;

/// The state for a batch's decisions.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// The postings that exist, by identifier.
    pub postings: HashMap<SourceIdentifier, Posting>,
    /// The named companies, the postings' companies, and their merge targets.
    pub companies: HashMap<CompanyId, Company>,
    /// The companies' former names, newest first; only `Reads::load_by_id` loads them.
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
        let identifier = |it: &Posting| (it.id, it.source_identifier.clone());
        self.postings.values().map(identifier).collect()
    }

    /// The company of a posting in the snapshot.
    pub fn company_of(&self, posting: &Posting) -> Result<&Company, StoreError> {
        self.companies.get(&posting.company_id).ok_or_else(|| {
            let id = posting.id;
            StoreError::Broken(format!("posting {id} was loaded without its company"))
        })
    }

    /// The id of the company that this id means: for an alias, its target.
    pub fn meant(&self, mut id: CompanyId) -> CompanyId {
        for _ in 0..MOST_MERGES {
            match self.companies.get(&id).and_then(|it| it.alias_of) {
                Some(into) => id = into,
                None => break,
            }
        }
        id
    }

    /// The merge targets not loaded yet.
    pub fn targets(&self) -> Vec<CompanyId> {
        let targets = self.companies.values().filter_map(|it| it.alias_of);
        let missing = targets.filter(|id| !self.companies.contains_key(id));
        missing.collect()
    }

    /// The basis of the posting with this identifier; `None` without such a posting.
    pub fn basis(&self, identifier: &SourceIdentifier) -> Option<Basis> {
        let posting = self.postings.get(identifier)?;
        let company = self.companies.get(&posting.company_id)?;
        let company = (company.name.as_str(), company.logo_path.as_deref());
        Some(Basis::of((posting.id, posting.version), company))
    }

    /// The answers to commands that change nothing, by identifier.
    pub fn repeat_answers(&self) -> HashMap<SourceIdentifier, RepeatAnswer> {
        let answer = |(identifier, posting): (&SourceIdentifier, &Posting)| {
            let mut answer = Answer::on(posting, PutOutcome::Unchanged);
            answer.basis = self.basis(identifier);
            answer.fields = 0;
            let answer = RepeatAnswer {
                answer,
                catalogue: posting.catalogue,
                expire_at: posting.expire_at,
                closes_at: posting.details.closes_at(),
            };
            (identifier.clone(), answer)
        };
        self.postings.iter().map(answer).collect()
    }
}
