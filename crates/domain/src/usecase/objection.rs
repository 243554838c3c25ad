//! A client's objection to a rejection or a removal, and an operator's answer.

use kernel::{ClientId, SourceIdentifier, StoreError, Version, audit::Attribution};
use time::OffsetDateTime;

use super::{
    ModerationError,
    moderate::{self, conflict},
};
use crate::{
    audit::{POSTINGS_REVERSE, POSTINGS_UPHOLD},
    decision::{
        Snapshot, WriteSet,
        objection::{self, ObjectionAnswer},
    },
    posting::{Lifetime, Posting, PostingView, Rejection, enrich},
    store::{PostingReader, Store},
};

/// A posting for the rules, with its decision and history.
async fn find(
    (store, postings): (&dyn Store, &dyn PostingReader),
    identifier: &SourceIdentifier,
) -> Result<PostingView, ModerationError> {
    let (_, posting) = moderate::find(store, identifier).await?;
    let view = postings.find(identifier).await?;
    let view = view.ok_or(Rejection::NotFound)?;
    if posting.version != view.posting.version {
        return Err(StoreError::Conflict.into());
    }
    Ok(PostingView { posting, ..view })
}

/// Takes a client's objection to a posting's newest decision.
pub async fn object(
    ports: (&dyn Store, &dyn PostingReader),
    identifier: &SourceIdentifier,
    statement: &str,
    by: ClientId,
    now: OffsetDateTime,
) -> Result<(), ModerationError> {
    let view = find(ports, identifier).await?;
    let change = objection::object(&view, statement, by, now)?;
    let mut writes = WriteSet::new(now);
    change.record(&mut Snapshot::default(), &mut writes);
    Ok(ports.0.commit(writes).await?)
}

/// Answers an objection, and returns the posting. With `seen`, the answer applies only to that
/// version.
pub async fn answer_objection(
    ports: (&dyn Store, &dyn PostingReader),
    identifier: &SourceIdentifier,
    answer: &ObjectionAnswer,
    seen: Option<Version>,
    by: &Attribution,
    lifetime: Lifetime,
    now: OffsetDateTime,
) -> Result<Posting, ModerationError> {
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
