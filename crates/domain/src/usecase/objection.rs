//! A client's objection to a rejection or a removal, and an operator's answer.

use kernel::{ClientId, SourceIdentifier, StoreError, Version, audit::Attribution};
use time::OffsetDateTime;

use super::{ModerationError, moderate::conflict};
use crate::{
    audit::{POSTINGS_REVERSE, POSTINGS_UPHOLD},
    decision::{
        Snapshot, WriteSet,
        objection::{self, ObjectionAnswer},
    },
    posting::{Lifetime, Posting, PostingView, Rejection, enrich},
    store::{PostingReader, Store},
};

/// The reason why an objection was not taken, or not answered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ObjectionError {
    /// Nothing speaks for it.
    #[error(transparent)]
    Refused(#[from] objection::Refused),
    /// There is no such posting, it has changed meanwhile, or its status does not allow it.
    #[error(transparent)]
    Moderation(ModerationError),
    /// The store did not do it.
    #[error(transparent)]
    Store(#[from] StoreError),
}

kernel::store_failure!(ObjectionError);

impl From<ModerationError> for ObjectionError {
    fn from(error: ModerationError) -> Self {
        match error {
            ModerationError::Store(error) => Self::Store(error),
            other => Self::Moderation(other),
        }
    }
}

/// A posting as the rules see it, with its decision and its history.
async fn find(
    (store, postings): (&dyn Store, &dyn PostingReader),
    identifier: &SourceIdentifier,
) -> Result<PostingView, ObjectionError> {
    let mut known = store.load(std::slice::from_ref(identifier), &[]).await?;
    let found = known.postings.remove(identifier);
    let found = found.zip(postings.find(identifier).await?);
    let (posting, view) = found.ok_or(ModerationError::from(Rejection::NotFound))?;
    if posting.version != view.posting.version {
        return Err(StoreError::Conflict.into());
    }
    Ok(PostingView { posting, ..view })
}

/// Takes a client's objection to the newest decision about a posting.
pub async fn object(
    ports: (&dyn Store, &dyn PostingReader),
    identifier: &SourceIdentifier,
    statement: &str,
    by: ClientId,
    now: OffsetDateTime,
) -> Result<(), ObjectionError> {
    let view = find(ports, identifier).await?;
    let change = objection::object(&view, statement, by, now)?;
    let mut writes = WriteSet::new(now);
    change.record(&mut Snapshot::default(), &mut writes);
    Ok(ports.0.commit(writes).await?)
}

/// Answers an objection, and returns the posting. With `seen`, it holds for that version alone.
pub async fn answer_objection(
    ports: (&dyn Store, &dyn PostingReader),
    identifier: &SourceIdentifier,
    answer: &ObjectionAnswer,
    seen: Option<Version>,
    by: &Attribution,
    lifetime: Lifetime,
    now: OffsetDateTime,
) -> Result<Posting, ObjectionError> {
    let view = find(ports, identifier).await?;
    conflict(&view.posting, seen)?;
    let change = objection::answer(&view, answer, &by.operator, lifetime, now)?;
    let after = change.write.posting.clone();
    let mut writes = WriteSet::new(now);
    let action = if answer.reverses {
        writes.tasks.ended.push(enrich(after.id));
        POSTINGS_REVERSE
    } else {
        POSTINGS_UPHOLD
    };
    let entry = by.entry(action, now).about(identifier);
    writes
        .tasks
        .audit
        .push(entry.with("reason", answer.sentence.as_str()));
    change.record(&mut Snapshot::default(), &mut writes);
    ports.0.commit(writes).await?;
    Ok(after)
}
