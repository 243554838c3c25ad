//! Commands that are sent again as they were: the answer without reading the command once more.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use kernel::Version;
use kernel::{PutOutcome, SourceIdentifier};
use time::OffsetDateTime;

use super::{Answer, Lifetime, Posting};
use crate::{catalogue::CatalogueId, company::Company, store::Known};

/// The state in which a command changes nothing, in short: as long as a posting and its company
/// are in it, the same command changes nothing again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Basis {
    /// The version of the posting, which every commit that writes it moves on.
    pub version: Version,
    /// A hash of the posting's id and of what a push can change of the company. Companies have no
    /// version, and an identifier whose posting was deleted comes back with another id.
    pub company: u64,
}

impl Basis {
    /// The state of a posting and its company.
    pub fn of(posting: &Posting, company: &Company) -> Self {
        // Its keys are the same in every process.
        let mut hasher = DefaultHasher::new();
        (posting.id, &company.name, &company.logo_path).hash(&mut hasher);
        Self {
            version: posting.version,
            company: hasher.finish(),
        }
    }
}

impl Known {
    /// The state of the posting with this identifier; `None` if there is no such posting.
    pub fn basis(&self, identifier: &SourceIdentifier) -> Option<Basis> {
        let posting = self.postings.get(identifier)?;
        let company = self.companies.get(&posting.company_id)?;
        Some(Basis::of(posting, company))
    }
}

/// The answer to a command that changed nothing in the state `basis`; `None` if the state is
/// another one now, or the time has come to renew the posting's lifetime, so that the command
/// has to be decided.
pub fn repeat(
    known: &Known,
    identifier: &SourceIdentifier,
    catalogue: Option<CatalogueId>,
    basis: Basis,
    lifetime: Lifetime,
    now: OffsetDateTime,
) -> Option<Answer> {
    let posting = known.postings.get(identifier)?;
    let is_same = known.basis(identifier) == Some(basis)
        && (catalogue.is_none() || catalogue == posting.catalogue)
        && !lifetime.is_due(posting, now);
    is_same.then(|| Answer {
        basis: Some(basis),
        ..Answer::on(posting, PutOutcome::Unchanged)
    })
}

#[cfg(test)]
mod tests {
    use kernel::{PostingId, testing::uuid};

    use super::*;
    use crate::testing::{company, posting};

    #[test]
    fn a_posting_that_was_deleted_and_came_back_is_another_state() {
        let company = company("acme");
        let before = posting(1, company.id);
        let after = Posting {
            id: PostingId::new(uuid(2)),
            ..before.clone()
        };
        assert_eq!(Basis::of(&before, &company), Basis::of(&before, &company));
        assert_ne!(Basis::of(&before, &company), Basis::of(&after, &company));
    }
}
