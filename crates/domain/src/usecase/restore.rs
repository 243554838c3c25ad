//! Restores a version of a posting for an operator.

use kernel::{Actor, SourceIdentifier, Version, audit::Attribution};
use time::OffsetDateTime;

use super::{
    ModerationError,
    moderate::{conflict, find},
};
use crate::{
    audit::POSTINGS_RESTORE,
    decision::{
        WriteSet,
        restore::{Former, restore},
    },
    posting::{AsOf, Lifetime, Posting, enrich},
    store::{PostingReader, Store},
};

/// A request to restore a version.
#[derive(Clone, Debug)]
pub struct Restoration {
    /// The posting.
    pub identifier: SourceIdentifier,
    /// The version to restore.
    pub version: Version,
    /// The reason.
    pub reason: String,
    /// The version that the operator has seen; `None` for any.
    pub seen: Option<Version>,
    /// The operator.
    pub by: Attribution,
}

/// Restores the values that readers saw at a version, and returns the posting. Content that is
/// already approved is not judged again.
pub async fn restore_version(
    store: &dyn Store,
    reader: &dyn PostingReader,
    order: &Restoration,
    lifetime: Lifetime,
    now: OffsetDateTime,
) -> Result<Posting, ModerationError> {
    let (mut snapshot, posting) = find(store, &order.identifier).await?;
    conflict(&posting, order.seen)?;
    let moment = AsOf::Version(order.version);
    let then = reader.as_of(&order.identifier, moment).await?;
    let then = then.filter(|then| then.posting.id == posting.id);
    let then = then.ok_or(ModerationError::NotKept(order.version))?;
    let former = Former {
        texts: then
            .texts
            .map(|texts| (texts, then.coordinates, then.findings)),
        posting: then.posting,
        trigger: None,
    };
    let by = Actor::Operator(Some(order.by.operator.clone()));
    let note = format!("version {} restored: {}", order.version, order.reason);
    let then_of = then.company.company.id;
    let known = store.load(&[], &[then_of]).await?;
    let company = known.companies.get(&known.meant(then_of));
    let company = company.unwrap_or(&then.company.company);
    let change = restore(&posting, &former, company, (&by, &note), lifetime, now);
    let Some(change) = change else {
        return Ok(posting);
    };
    let after = change.write.posting.clone();
    let mut writes = WriteSet::new(now);
    if !change.asks_for_enrichment {
        writes.tasks.ended.push(enrich(posting.id));
    }
    let entry = order.by.entry(POSTINGS_RESTORE, now);
    let entry = entry.about(&order.identifier);
    let entry = entry.with("version", order.version);
    writes
        .tasks
        .audit
        .push(entry.with("reason", order.reason.as_str()));
    change.record(&mut snapshot, &mut writes);
    store.commit(writes).await?;
    Ok(after)
}
