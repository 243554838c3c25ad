//! An operator's commands.

use std::slice;

use kernel::{
    SourceIdentifier, StoreError, Version,
    audit::{Attribution, Entry},
};
use time::OffsetDateTime;

use crate::{
    audit::{
        POSTINGS_APPROVE, POSTINGS_EXPIRE, POSTINGS_FEATURE, POSTINGS_REJECT, POSTINGS_REOPEN,
    },
    decision::{Snapshot, WriteSet, moderation, objection::Refused},
    posting::{Lifetime, Posting, Rejection, enrich, moderation::Moderation},
    report::TooMany,
    store::Store,
};

/// Why an operator's command, a report or an objection was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModerationError {
    /// The posting does not exist, or its status does not allow the command.
    #[error(transparent)]
    Rejected(#[from] Rejection),
    /// The version is not the one that the operator has seen.
    #[error(
        "the posting has changed meanwhile: its version is {current} now, and {seen} was decided on"
    )]
    Changed {
        /// The version that the operator has seen.
        seen: Version,
        /// The present version.
        current: Version,
    },
    /// The version to restore is no longer stored.
    #[error("version {0} of the posting is not kept")]
    NotKept(Version),
    /// An objection or an answer to an objection was refused.
    #[error(transparent)]
    Objection(#[from] Refused),
    /// A report was refused, because too many wait.
    #[error(transparent)]
    TooMany(#[from] TooMany),
    /// There is no such report.
    #[error("there is no such report")]
    NoReport,
    /// The report was decided already.
    #[error("the report was decided already: {0}")]
    Decided(String),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

kernel::store_failure!(ModerationError);

/// Executes and audits an operator's command, and returns the posting. If nothing changes, nothing
/// is audited. With `seen`, the command applies only to that version.
pub async fn moderate(
    store: &dyn Store,
    identifier: &SourceIdentifier,
    command: &Moderation,
    seen: Option<Version>,
    by: &Attribution,
    lifetime: Lifetime,
    now: OffsetDateTime,
) -> Result<Posting, ModerationError> {
    let (mut snapshot, posting) = find(store, identifier).await?;
    conflict(&posting, seen)?;
    let company = snapshot.company_of(&posting)?;
    let change = moderation::decide(&posting, company, command, &by.operator, lifetime, now)?;
    let mut writes = WriteSet::new(now);
    let Some(change) = change else {
        if command.ends_enrichment() {
            // Other content may have been pushed meanwhile, so the task is requested, not ended. A
            // dead task is retried, and finished if the content has a verdict.
            writes.tasks.ask(enrich(posting.id));
        }
        store.commit(writes).await?;
        return Ok(posting);
    };
    let after = change.write.posting.clone();
    if command.ends_enrichment() {
        writes.tasks.ended.push(enrich(posting.id));
    }
    writes.tasks.audit.push(entry(identifier, command, by, now));
    change.record(&mut snapshot, &mut writes);
    store.commit(writes).await?;
    Ok(after)
}

pub(super) async fn find(
    store: &dyn Store,
    identifier: &SourceIdentifier,
) -> Result<(Snapshot, Posting), ModerationError> {
    let snapshot = store.load(slice::from_ref(identifier), &[]).await?;
    let posting = snapshot.postings.get(identifier);
    let posting = posting.ok_or(Rejection::NotFound)?.clone();
    Ok((snapshot, posting))
}

pub(super) fn conflict(posting: &Posting, seen: Option<Version>) -> Result<(), ModerationError> {
    match seen.filter(|seen| *seen != posting.version) {
        None => Ok(()),
        Some(seen) => Err(ModerationError::Changed {
            seen,
            current: posting.version,
        }),
    }
}

fn entry(
    identifier: &SourceIdentifier,
    command: &Moderation,
    by: &Attribution,
    now: OffsetDateTime,
) -> Entry {
    let entry = |action| by.entry(action, now).about(identifier);
    let because = |action, reason: &str| entry(action).with("reason", reason);
    match command {
        Moderation::Approve => entry(POSTINGS_APPROVE),
        Moderation::Feature(on) => entry(POSTINGS_FEATURE).with("on", *on),
        Moderation::Reject { reason, ground } => {
            because(POSTINGS_REJECT, reason).with("ground", ground.as_str())
        }
        Moderation::Expire { reason, ground } => {
            because(POSTINGS_EXPIRE, reason).with("ground", ground.as_str())
        }
        Moderation::Reopen { reason } => because(POSTINGS_REOPEN, reason),
    }
}
