//! The erasure of a posting.

use std::slice;

use kernel::{
    SourceIdentifier,
    audit::Attribution,
    event::{Event, PostingState, Subject},
    outbox::TaskWrites,
};
use time::OffsetDateTime;

use super::ModerationError;
use crate::{
    audit::POSTINGS_ERASE,
    posting::{Rejection, enrich, event::JOB_POSTING_ERASED, look_up_duplicates},
    store::{Erasure, Retention, Store},
};

/// Deletes a posting with every copy of what it said; an event tells those who follow it. What
/// stays is who erased it, when and why, with its identifier, company and status. The identifier is
/// free again. Returns whether nothing is left in the store's own files either; if not, or if the
/// process died in between, another call sees to that, though it does not find the posting.
pub async fn erase(
    store: &dyn Store,
    retention: &dyn Retention,
    identifier: &SourceIdentifier,
    reason: &str,
    by: &Attribution,
    now: OffsetDateTime,
) -> Result<bool, ModerationError> {
    let snapshot = store.load(slice::from_ref(identifier), &[]).await?;
    let Some(posting) = snapshot.postings.get(identifier) else {
        retention.overwrite_deleted().await?;
        return Err(Rejection::NotFound.into());
    };
    let company = snapshot.company_of(posting)?;
    let mut tasks = TaskWrites::new(now);
    tasks.ended.push(enrich(posting.id));
    // Those that duplicate it get another original, or none.
    tasks.ask(look_up_duplicates(posting.id));
    tasks.events.push(Event {
        name: JOB_POSTING_ERASED,
        subject: Subject::Posting(PostingState {
            version: posting.version + 1,
            status_reason: None,
            ..PostingState::from(posting)
        }),
        at: now,
        trace: None,
    });
    let entry = by.entry(POSTINGS_ERASE, now).about(identifier);
    tasks.audit.push(
        entry
            .with("reason", reason)
            .with("company", company.website.as_str())
            .with("status", posting.status().as_str()),
    );
    let erasure = Erasure {
        posting: posting.id,
        version: posting.version,
        identifier: identifier.clone(),
        tasks,
    };
    retention.erase(&erasure).await?;
    Ok(retention.overwrite_deleted().await.unwrap_or(false))
}
