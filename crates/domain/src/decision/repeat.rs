//! Commands that are sent again as they were: the answer without reading the command once more.

use kernel::{CatalogueId, PutOutcome, SourceIdentifier};
use time::OffsetDateTime;

use super::Snapshot;
use crate::posting::{Answer, Basis, Lifetime, Notice};

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
