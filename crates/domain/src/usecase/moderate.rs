//! An operator's commands.

use time::OffsetDateTime;

use crate::{
    posting::{
        Lifetime, Posting, Rejection, SourceIdentifier,
        moderation::{self, Moderation},
    },
    store::{Store, StoreError, WriteSet},
};

/// Why an operator's command was not carried out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModerationError {
    /// There is no such posting, or its status does not allow it.
    #[error(transparent)]
    Rejected(#[from] Rejection),
    /// The store did not do it.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Carries out an operator's command and gives the posting as it is afterwards.
pub async fn moderate(
    store: &dyn Store,
    identifier: &SourceIdentifier,
    command: &Moderation,
    lifetime: Lifetime,
    now: OffsetDateTime,
) -> Result<Posting, ModerationError> {
    let mut known = store.load(std::slice::from_ref(identifier), &[]).await?;
    let posting = known
        .postings
        .get(identifier)
        .ok_or(Rejection::NotFound)?
        .clone();
    let company = known.company_of(&posting)?;
    let Some(change) = moderation::decide(&posting, company, command, lifetime, now)? else {
        return Ok(posting);
    };
    let after = change.posting.clone();
    let mut writes = WriteSet::new(now);
    change.record(&mut known, &mut writes);
    store.commit(writes).await?;
    Ok(after)
}
