//! The effect of merged companies on their postings.

use kernel::{Actor, CompanyId, Status};
use time::OffsetDateTime;

use super::{Change, Snapshot};
use crate::posting::{ContentHash, Posting, event};

/// Moves a posting, and its shown values, to the present company: from an alias to its target, or
/// back to a former alias. `None` if nothing changes.
pub fn settle(
    snapshot: &Snapshot,
    posting: &Posting,
    company: CompanyId,
    by: Actor,
    now: OffsetDateTime,
) -> Option<Change> {
    let into = snapshot.meant(company);
    let place = |is: CompanyId, came_by: Option<CompanyId>| {
        let place = if is == company {
            let came_by = came_by.or(Some(company));
            (into, came_by.filter(|it| *it != into))
        } else if came_by == Some(company) && into == company {
            (company, None)
        } else {
            return None;
        };
        (place.0 != is).then_some(place)
    };
    let own = place(posting.company_id, posting.came_by);
    let shown = posting.shown.as_ref();
    let shown = shown.and_then(|shown| place(shown.company_id?, shown.came_by));
    let mut change = Change::of(posting);
    let after = &mut change.write.posting;
    if let (Some((id, came_by)), Some(shown)) = (shown, &mut after.shown) {
        (shown.company_id, shown.came_by) = (Some(id), came_by);
    }
    if let Some(place) = own {
        (after.company_id, after.came_by) = place;
    }
    if own.is_none() && shown.is_none() {
        return None;
    }
    after.touch(by, now);
    if posting.status() == Status::Expired {
        return Some(change);
    }
    change.raise(event::JOB_POSTING_UPDATED);
    let Some((target, _)) = own else {
        return Some(change);
    };
    let target = snapshot.companies.get(&target)?;
    let before = snapshot.companies.get(&posting.company_id);
    let after = &mut change.write.posting;
    let content = ContentHash::of(&posting.details, target);
    // The merge does not change the content that an operator approved.
    let approved = before.map(|company| ContentHash::of(&posting.details, company));
    if posting.approved_hash.is_some() && posting.approved_hash == approved {
        after.approved_hash = Some(content);
    }
    // The hash has the company's id. So a moved posting needs enrichment, unless it returns before
    // that. Enrichment also stores a new fingerprint.
    change.asks_for_enrichment = posting.enriched_hash != Some(content);
    Some(change)
}
