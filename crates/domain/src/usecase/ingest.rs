//! Commands of integrations: create, update, expire, reopen.

use std::collections::HashSet;

use time::OffsetDateTime;

use crate::{
    company::CompanyId,
    posting::{Answer, Lifetime, PutPosting, Rejection, decide},
    store::{Store, StoreError, WriteSet},
};

/// Carries out a batch in its order, each command on the state that the one before it left,
/// and everything in one commit. A refused command changes nothing and harms no other.
///
/// An error means that no answer was given and that the batch can be run again.
pub async fn ingest(
    store: &dyn Store,
    batch: &[PutPosting],
    lifetime: Lifetime,
    now: OffsetDateTime,
) -> Result<Vec<Result<Answer, Rejection>>, StoreError> {
    let identifiers: HashSet<_> = batch.iter().map(|put| put.identifier.clone()).collect();
    let companies: HashSet<_> = batch
        .iter()
        .filter_map(|put| put.patch.company.website.as_ref())
        .map(CompanyId::of)
        .collect();
    let identifiers: Vec<_> = identifiers.into_iter().collect();
    let companies: Vec<_> = companies.into_iter().collect();
    let mut known = store.load(&identifiers, &companies).await?;

    let mut writes = WriteSet::new(now);
    let mut answers = Vec::with_capacity(batch.len());
    for put in batch {
        answers.push(decide(&known, put, lifetime, now).map(|decision| {
            if let Some(change) = decision.change {
                change.record(&mut known, &mut writes);
            }
            decision.answer
        }));
    }
    if !writes.is_empty() {
        store.commit(writes).await?;
    }
    Ok(answers)
}
