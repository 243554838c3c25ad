//! Commands of integrations: create, update, expire, reopen.

use std::collections::{HashMap, HashSet};

use kernel::{CompanyId, SourceIdentifier, StoreError};
use time::OffsetDateTime;

use crate::{
    decision::{Change, Decision, Known, WriteSet, decide},
    posting::{Answer, Lifetime, PutPosting, Rejection},
    store::Store,
};

/// The outcomes of a batch's commands, in their order.
pub type Answers = Vec<Result<Answer, Rejection>>;

/// Carries out a batch in its order, each command on the state that the one before it left,
/// and everything in one commit. A refused command changes nothing and harms no other.
///
/// An error means that no answer was given and that the batch can be run again.
pub async fn ingest(
    store: &dyn Store,
    batch: &[PutPosting],
    lifetime: Lifetime,
    now: OffsetDateTime,
) -> Result<Answers, StoreError> {
    let batch: Vec<_> = batch.iter().collect();
    let known = load_batch(store, &batch).await?;
    let (answers, writes) = decide_batch(known, &batch, lifetime, now);
    if !writes.is_empty() {
        store.commit(writes).await?;
    }
    Ok(answers)
}

/// The first step of [`ingest`]: loads the state for the commands, at once.
pub async fn load_batch(store: &dyn Store, batch: &[&PutPosting]) -> Result<Known, StoreError> {
    let (mut identifiers, mut companies) = (HashSet::new(), HashSet::new());
    for put in batch {
        if !identifiers.contains(&put.identifier) {
            identifiers.insert(put.identifier.clone());
        }
        companies.extend(put.patch.company().website().map(CompanyId::of));
    }
    let identifiers: Vec<_> = identifiers.into_iter().collect();
    let companies: Vec<_> = companies.into_iter().collect();
    store.load(&identifiers, &companies).await
}

/// The second step of [`ingest`]: the answers, valid once the writes are committed.
pub fn decide_batch(
    mut known: Known,
    batch: &[&PutPosting],
    lifetime: Lifetime,
    now: OffsetDateTime,
) -> (Answers, WriteSet) {
    let mut writes = WriteSet::new(now);
    let mut named: HashMap<&SourceIdentifier, usize> = HashMap::with_capacity(batch.len());
    for put in batch {
        *named.entry(&put.identifier).or_default() += 1;
    }
    let answers = batch.iter().map(|put| {
        let Decision { mut answer, change } = decide(&known, put, lifetime, now)?;
        let is_repeatable = change.as_deref().is_none_or(Change::is_repeatable);
        if let Some(change) = change {
            writes.tasks.trace = put.trace;
            change.record(&mut known, &mut writes);
        }
        // Several commands for a posting share its next version; a notice is given each time.
        if is_repeatable && answer.notices.is_empty() && named.get(&put.identifier) == Some(&1) {
            answer.basis = known.basis(&put.identifier);
        }
        Ok(answer)
    });
    let answers = answers.collect();
    (answers, writes)
}
