//! What an enrichment outcome means for a posting.

use time::OffsetDateTime;

use super::{Actor, Change, ContentHash, Lifetime, Posting, Status};
use crate::{
    company::Company,
    enrichment::{Coordinates, EnrichedTexts, Enrichment, Verdict},
    outbox::EventName,
};

/// Whether a posting waits for an outcome, and the content it is to be for.
pub fn due(posting: &Posting, company: &Company) -> Option<ContentHash> {
    let content = ContentHash::of(&posting.details, company);
    let is_due = posting.status != Status::Expired && posting.enriched_hash != Some(content);
    is_due.then_some(content)
}

/// Applies an outcome that is for the given content. `None` when the posting has other content
/// by now, has an outcome for it already, or has expired.
pub fn apply(
    posting: &Posting,
    company: &Company,
    content: ContentHash,
    enrichment: &Enrichment,
    lifetime: Lifetime,
    now: OffsetDateTime,
) -> Option<Change> {
    if due(posting, company) != Some(content) {
        return None;
    }
    let mut change = Change::of(posting);
    change.enriched = Some((enrichment.texts.clone(), enrichment.coordinates));
    change.posting.enriched_hash = Some(content);
    change.touch(now);
    // An operator's verdict stands.
    if !posting.moderated {
        match &enrichment.verdict {
            Verdict::Approve => approve(&mut change, Actor::Enricher, lifetime, now),
            Verdict::Reject { code, text } => {
                reject(&mut change, format!("{code}: {text}"), Actor::Enricher, now);
            }
        }
    }
    Some(change)
}

/// Keeps texts without a judgement that are for the given content: status and history stay, and
/// so does the wait for an outcome. `None` as with [`apply`].
pub fn keep_texts(
    posting: &Posting,
    company: &Company,
    content: ContentHash,
    texts: &EnrichedTexts,
    coordinates: Option<Coordinates>,
    now: OffsetDateTime,
) -> Option<Change> {
    if due(posting, company) != Some(content) {
        return None;
    }
    let mut change = Change::of(posting);
    change.enriched = Some((texts.clone(), coordinates));
    change.touch(now);
    Some(change)
}

/// Approves the posting unless it is approved.
pub(super) fn approve(change: &mut Change, by: Actor, lifetime: Lifetime, now: OffsetDateTime) {
    if change.posting.status == Status::Approved {
        return;
    }
    change.posting.published_at.get_or_insert(now);
    change.posting.expire_at = lifetime.starting(now);
    change.move_to(Status::Approved, None, by, now);
    change.raise(EventName::JobPostingApproved);
}

/// Rejects the posting unless it is rejected for this reason.
pub(super) fn reject(change: &mut Change, reason: String, by: Actor, now: OffsetDateTime) {
    let was_rejected = change.posting.status == Status::Rejected;
    if was_rejected && change.posting.status_reason.as_ref() == Some(&reason) {
        return;
    }
    change.move_to(Status::Rejected, Some(reason), by, now);
    if !was_rejected {
        change.raise(EventName::JobPostingRejected);
    }
}
