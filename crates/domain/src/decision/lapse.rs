//! The expiry of postings after their lifetime, or when their catalogue no longer lists them.

use kernel::{Actor, CatalogueId, CatalogueName, Status};
use time::OffsetDateTime;

use super::Change;
use crate::posting::{CLOSED, Cause, Posting, Trigger};

/// Expires a posting whose lifetime or closing date has ended; `None` if neither has ended.
pub fn expire_if_overdue(posting: &Posting, now: OffsetDateTime) -> Option<Change> {
    let is_closed = posting.details.closes_at().is_some_and(|end| end <= now);
    let cause = if is_closed {
        closing(now)
    } else {
        Cause {
            reason: Some("The posting's lifetime ended."),
            ..Cause::new(Actor::Lifetime, now)
        }
    };
    let is_overdue = posting.is_overdue(now);
    let change = is_overdue.then(|| Change::by(posting, Trigger::Lapse, cause));
    change?.ok()?
}

pub(super) fn closing(now: OffsetDateTime) -> Cause<'static> {
    Cause {
        reason: Some(CLOSED),
        ..Cause::new(Actor::Source, now)
    }
}

/// Expires a catalogue's open posting; `None` if it is closed or in another catalogue.
pub fn delist(
    posting: &Posting,
    catalogue: CatalogueId,
    name: &CatalogueName,
    now: OffsetDateTime,
) -> Option<Change> {
    let reason = format!("no longer in the catalogue {name}");
    let cause = Cause {
        reason: Some(&reason),
        ..Cause::new(Actor::Catalogue(name.clone()), now)
    };
    let is_listed = posting.catalogue == Some(catalogue);
    let change = is_listed.then(|| Change::by(posting, Trigger::Lapse, cause));
    change?.ok()?
}

/// Whether [`delist`] expired a posting that nothing has changed since.
pub fn is_delisted(posting: &Posting, catalogue: CatalogueId, name: &CatalogueName) -> bool {
    posting.status() == Status::Expired
        && posting.catalogue == Some(catalogue)
        && posting.updated_by == Some(Actor::Catalogue(name.clone()))
}

/// Reopens a posting that [`delist`] expired, unless the posting has changed since.
pub fn undo_delisting(
    posting: &Posting,
    catalogue: CatalogueId,
    name: &CatalogueName,
    by: Actor,
    now: OffsetDateTime,
) -> Option<Change> {
    let reason = format!("undo of the catalogue {name}");
    let cause = Cause {
        reason: Some(&reason),
        ..Cause::new(by, now)
    };
    let is_delisted = is_delisted(posting, catalogue, name);
    let change = is_delisted.then(|| Change::by(posting, Trigger::Relist, cause));
    change?.ok()?
}
