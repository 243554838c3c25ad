//! What merging companies does to their postings.

use kernel::{Actor, CompanyId, Status};
use time::OffsetDateTime;

use super::{Change, Snapshot};
use crate::posting::{ContentHash, Posting, event};

/// Moves a posting to where it belongs now: from an alias to the company that this was merged into,
/// or back to a company that is no alias any more. `None` if it is there.
pub fn settle(
    snapshot: &Snapshot,
    posting: &Posting,
    company: CompanyId,
    by: Actor,
    now: OffsetDateTime,
) -> Option<Change> {
    let into = snapshot.meant(company);
    let (target, came_by) = if posting.company_id == company {
        (into, posting.came_by.or(Some(company)))
    } else if posting.came_by == Some(company) && into == company {
        (company, None)
    } else {
        return None;
    };
    if target == posting.company_id {
        return None;
    }
    let target = snapshot.companies.get(&target)?;
    let before = snapshot.companies.get(&posting.company_id);
    let mut change = Change::of(posting);
    let after = &mut change.write.posting;
    (after.company_id, after.came_by) = (target.id, came_by);
    if let Some(shown) = &mut after.shown {
        // What waits is no other company any more.
        shown.company_id = shown.company_id.filter(|shown| *shown != target.id);
    }
    after.touch(by, now);
    if posting.status() == Status::Expired {
        return Some(change);
    }
    let content = ContentHash::of(&posting.details, target);
    // The content that an operator approved is the same.
    let approved = before.map(|company| ContentHash::of(&posting.details, company));
    if posting.approved_hash.is_some() && posting.approved_hash == approved {
        after.approved_hash = Some(content);
    }
    change.asks_for_enrichment = posting.enriched_hash != Some(content);
    change.raise(event::JOB_POSTING_UPDATED);
    Some(change)
}
