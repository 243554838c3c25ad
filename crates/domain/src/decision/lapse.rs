//! The expiry of postings whose lifetime has ended, or that their catalogue does not list any more.

use kernel::{Actor, CatalogueId, CatalogueName, Status};
use time::OffsetDateTime;

use super::Change;
use crate::posting::{Posting, Trigger};

/// Expires a posting whose lifetime has ended; `None` if it has not, or was renewed meanwhile.
pub fn expire_if_overdue(posting: &Posting, now: OffsetDateTime) -> Option<Change> {
    if !posting.is_overdue(now) {
        return None;
    }
    let mut change = Change::of(posting);
    let reason = "The posting's lifetime ended.";
    change.expire(Some(reason.to_owned()), Actor::Lifetime, now);
    Some(change)
}

/// Expires an open posting of a catalogue; `None` if it is not open, or belongs to another
/// catalogue meanwhile.
pub fn delist(
    posting: &Posting,
    catalogue: CatalogueId,
    name: &CatalogueName,
    now: OffsetDateTime,
) -> Option<Change> {
    if !Trigger::Lapse.moves(posting.status) || posting.catalogue != Some(catalogue) {
        return None;
    }
    let mut change = Change::of(posting);
    let reason = format!("no longer in the catalogue {name}");
    change.expire(Some(reason), Actor::Catalogue(name.clone()), now);
    Some(change)
}

/// Whether [`delist`] has expired a posting, and nothing has changed it since.
pub fn is_delisted(posting: &Posting, catalogue: CatalogueId, name: &CatalogueName) -> bool {
    posting.status == Status::Expired
        && posting.catalogue == Some(catalogue)
        && posting.updated_by == Some(Actor::Catalogue(name.clone()))
}

/// Brings back a posting that [`delist`] has expired, unless something has changed it since.
pub fn undo_delisting(
    posting: &Posting,
    catalogue: CatalogueId,
    name: &CatalogueName,
    by: Actor,
    now: OffsetDateTime,
) -> Option<Change> {
    if !is_delisted(posting, catalogue, name) {
        return None;
    }
    let mut change = Change::of(posting);
    change.write.posting.details.expiration_reason = None;
    change.reopen(Some(format!("undo of the catalogue {name}")), by, now);
    change.asks_for_enrichment = true;
    Some(change)
}
