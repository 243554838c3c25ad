//! The effect of enrichment results on postings.

use kernel::{Actor, Status};
use time::OffsetDateTime;

use super::Change;
use crate::{
    company::Company,
    posting::{
        ContentHash, Coordinates, Decision, EnrichedTexts, Enrichment, Lifetime, Original, Posting,
        TextsDigest, Verdict, event,
        review::{awaits_review, reason_without_verdict},
    },
};

/// The content that a posting awaits an outcome for, if it does.
pub fn due(posting: &Posting, company: &Company) -> Option<ContentHash> {
    let content = ContentHash::of(&posting.details, company);
    let is_due = posting.status != Status::Expired && posting.enriched_hash != Some(content);
    is_due.then_some(content)
}

/// Applies an outcome for the given content of a posting, which duplicates `original` if it is open
/// afterwards. `None` if the posting has other content by now, has an outcome for it already, or
/// has expired.
pub fn apply(
    posting: &Posting,
    company: &Company,
    content: ContentHash,
    enrichment: &Enrichment,
    original: Option<Original>,
    lifetime: Lifetime,
    now: OffsetDateTime,
) -> Option<Change> {
    if due(posting, company) != Some(content) {
        return None;
    }
    let mut change = Change::of(posting);
    let is_new = enrich(
        &mut change,
        enrichment.texts.clone(),
        enrichment.coordinates,
    );
    change.write.posting.enriched_hash = Some(content);
    change.touch(Actor::Enricher, now);
    if posting.approved_hash == Some(content) {
        // An operator has judged this content. Another verdict in between was about other content.
        if !posting.moderated {
            change.write.decision = Some(Decision::approval(None, now));
        }
        change.write.posting.moderated = true;
        change.approve(Actor::Enricher, lifetime, now);
    } else if !stays_rejected(posting) {
        change.write.posting.moderated = false;
        let (verdict, by) = (&enrichment.verdict, enrichment.by.clone());
        change.write.decision = Some(Decision::of_verdict(verdict, by, now));
        match verdict {
            Verdict::Approve => change.approve(Actor::Enricher, lifetime, now),
            Verdict::Reject { code, text, .. } => {
                change.reject(format!("{code}: {text}"), Actor::Enricher, now);
            }
        }
    }
    change.write.posting.duplicate_of = original.filter(|_| change.write.posting.status.is_open());
    raise_enriched(&mut change, posting, is_new);
    Some(change)
}

/// Gives the posting texts and a place, and returns whether they differ from the last ones.
fn enrich(change: &mut Change, texts: EnrichedTexts, place: Option<Coordinates>) -> bool {
    let digest = Some(TextsDigest::of(&texts, place));
    let is_new = change.write.posting.texts_digest != digest;
    change.write.posting.texts_digest = digest;
    change.write.enriched = Some((texts, place));
    is_new
}

/// Raises the event of new texts, of a new reason or another original, unless the change of status
/// has its own.
fn raise_enriched(change: &mut Change, before: &Posting, has_new_texts: bool) {
    let after = &change.write.posting;
    let has_news = has_new_texts
        || after.status_reason != before.status_reason
        || after.duplicate_of != before.duplicate_of;
    if after.status == before.status && has_news {
        change.raise(event::JOB_POSTING_ENRICHED);
    }
}

/// Whether an operator's verdict holds for the given content, which then needs no other.
pub fn is_settled(posting: &Posting, content: ContentHash) -> bool {
    posting.approved_hash == Some(content) || stays_rejected(posting)
}

fn stays_rejected(posting: &Posting) -> bool {
    posting.moderated && posting.status == Status::Rejected
}

/// Records that the content which is [due] and not [settled](is_settled) gets no verdict; the
/// posting keeps awaiting one. A posting that waits for its first verdict, or is approved, says so
/// in its reason. Only an approved one keeps its texts, which were judged; others get those made by
/// rules. `None` if nothing changes.
pub fn leave_unjudged(
    posting: &Posting,
    made: Option<&Enrichment>,
    reason: &str,
    now: OffsetDateTime,
) -> Option<Change> {
    let mut change = Change::of(posting);
    let made = made.filter(|_| posting.status != Status::Approved);
    let has_new_texts =
        made.is_some_and(|made| enrich(&mut change, made.texts.clone(), made.coordinates));
    let reason = reason_without_verdict(posting.status, reason);
    if reason.is_some() && posting.status_reason != reason {
        change.move_to(posting.status, reason, Actor::Enricher, now);
    } else if has_new_texts {
        change.touch(Actor::Enricher, now);
    } else {
        return None;
    }
    raise_enriched(&mut change, posting, has_new_texts);
    Some(change)
}

/// Clears the reason of a posting that awaited a review: an approved one that has judged content
/// again, or one whose first verdict is asked for anew.
pub(super) fn end_review(change: &mut Change, company: &Company, by: Actor, now: OffsetDateTime) {
    let posting = &change.write.posting;
    let is_over = if posting.status == Status::Approved {
        let content = Some(ContentHash::of(&posting.details, company));
        posting.enriched_hash == content || posting.approved_hash == content
    } else {
        change.asks_for_enrichment && change.events.contains(&event::JOB_POSTING_UPDATED)
    };
    if is_over && awaits_review(posting) {
        change.move_to(posting.status, None, by, now);
        if !change.events.contains(&event::JOB_POSTING_UPDATED) {
            change.raise(event::JOB_POSTING_UPDATED);
        }
    }
}
