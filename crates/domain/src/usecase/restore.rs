//! An operator's order to restore a version of a posting.

use std::slice;

use kernel::{Actor, SourceIdentifier, StoreError, StoreFailure, Version, audit::Attribution};
use time::OffsetDateTime;

use super::ModerationError;
use crate::{
    audit::POSTINGS_RESTORE,
    decision::{
        WriteSet,
        restore::{Former, restore},
    },
    posting::{AsOf, Lifetime, Posting, Rejection, enrich},
    store::{PostingReader, Store},
};

/// An order to restore a version.
#[derive(Clone, Debug)]
pub struct Restoration {
    /// The posting.
    pub identifier: SourceIdentifier,
    /// The version to restore.
    pub version: Version,
    /// The reason.
    pub reason: String,
    /// The version that the operator has seen; `None` for whichever it is.
    pub seen: Option<Version>,
    /// The operator.
    pub by: Attribution,
}

/// The reason why a version was not restored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RestoreError {
    /// The posting as it was then is not kept.
    #[error("version {0} of the posting is not kept")]
    NotKept(Version),
    /// The posting was refused, as for other commands.
    #[error(transparent)]
    Moderation(#[from] ModerationError),
}

impl StoreFailure for RestoreError {
    fn store_error(&self) -> Option<&StoreError> {
        match self {
            Self::Moderation(error) => error.store_error(),
            Self::NotKept(_) => None,
        }
    }
}

impl From<StoreError> for RestoreError {
    fn from(error: StoreError) -> Self {
        Self::Moderation(error.into())
    }
}

impl From<Rejection> for RestoreError {
    fn from(rejection: Rejection) -> Self {
        Self::Moderation(rejection.into())
    }
}

/// Gives a posting the values that its readers saw when it had a version, and returns it as it is
/// afterwards. Content that was approved is not judged again.
pub async fn restore_version(
    store: &dyn Store,
    reader: &dyn PostingReader,
    order: &Restoration,
    lifetime: Lifetime,
    now: OffsetDateTime,
) -> Result<Posting, RestoreError> {
    let identifiers = slice::from_ref(&order.identifier);
    let mut snapshot = store.load(identifiers, &[]).await?;
    let posting = snapshot.postings.get(&order.identifier);
    let posting = posting.ok_or(Rejection::NotFound)?.clone();
    let current = posting.version;
    if let Some(seen) = order.seen.filter(|seen| *seen != current) {
        return Err(ModerationError::Changed { seen, current }.into());
    }
    let moment = AsOf::Version(order.version);
    let then = reader.as_of(&order.identifier, moment).await?;
    let then = then.filter(|then| then.posting.id == posting.id);
    let then = then.ok_or(RestoreError::NotKept(order.version))?;
    let former = Former {
        texts: then
            .texts
            .map(|texts| (texts, then.coordinates, then.findings)),
        posting: then.posting,
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
