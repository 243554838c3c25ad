//! The marks of [duplicates](crate::posting::duplicate), and the age of a posting's content.

use kernel::Actor;
use time::{Duration, OffsetDateTime};

use super::Change;
use crate::posting::{Original, Posting, event};

/// Notes a push's change of the duplicate-relevant content. Clocks may disagree, but no content is
/// older than its predecessor.
pub(super) fn note_content(after: &mut Posting, before: &Posting, now: OffsetDateTime) {
    let (old, new) = (&before.details, &after.details);
    let is_same = before.company_id == after.company_id
        && old.title == new.title
        && old.location_city == new.location_city
        && old.location_country_code == new.location_country_code
        && old.raw_description == new.raw_description;
    if !is_same {
        let next = before.content_since() + Duration::MICROSECOND;
        after.content_at = Some(now.max(next));
    }
}

/// Marks an open posting as a duplicate of `original`, or removes its mark; `None` if nothing
/// changes.
pub fn mark(posting: &Posting, original: Option<Original>, now: OffsetDateTime) -> Option<Change> {
    if !posting.is_open() || posting.duplicate_of == original {
        return None;
    }
    let mut change = Change::of(posting);
    change.write.posting.duplicate_of = original;
    change.write.posting.touch(Actor::Enricher, now);
    change.raise(event::JOB_POSTING_ENRICHED);
    Some(change)
}
