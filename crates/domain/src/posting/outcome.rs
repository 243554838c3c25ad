//! The effect of enrichment results on postings.

use time::OffsetDateTime;

use super::{Actor, Change, ContentHash, Lifetime, Posting, PostingId, Status, TextsDigest, event};
use crate::{
    company::Company,
    enrichment::{Coordinates, EnrichedTexts, Enrichment, Verdict},
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
    original: Option<PostingId>,
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
    change.posting.enriched_hash = Some(content);
    change.touch(Actor::Enricher, now);
    let stays_rejected = posting.moderated && posting.status == Status::Rejected;
    if posting.approved_hash == Some(content) {
        // An operator has judged this content.
        change.posting.moderated = true;
        approve(&mut change, Actor::Enricher, lifetime, now);
    } else if !stays_rejected {
        change.posting.moderated = false;
        match &enrichment.verdict {
            Verdict::Approve => approve(&mut change, Actor::Enricher, lifetime, now),
            Verdict::Reject { code, text } => {
                reject(&mut change, format!("{code}: {text}"), Actor::Enricher, now);
            }
        }
    }
    change.posting.duplicate_of = original.filter(|_| change.posting.status.is_open());
    raise_enriched(&mut change, posting, is_new);
    Some(change)
}

/// Gives the posting texts and a place, and returns whether they differ from the last ones.
fn enrich(change: &mut Change, texts: EnrichedTexts, place: Option<Coordinates>) -> bool {
    let digest = Some(TextsDigest::of(&texts, place));
    let is_new = change.posting.texts_digest != digest;
    change.posting.texts_digest = digest;
    change.enriched = Some((texts, place));
    is_new
}

/// Raises the event of new texts, of a new reason or another original, unless the change of status
/// has its own.
fn raise_enriched(change: &mut Change, before: &Posting, has_new_texts: bool) {
    let after = &change.posting;
    let has_news = has_new_texts
        || after.status_reason != before.status_reason
        || after.duplicate_of != before.duplicate_of;
    if after.status == before.status && has_news {
        change.raise(event::JOB_POSTING_ENRICHED);
    }
}

/// The prefix of an approved posting's reason while its newest content awaits a verdict.
pub const AWAITING_REVIEW: &str = "awaiting_review: ";

/// The longest quoted reason, in characters.
const LONGEST_REASON: usize = 240;

/// Texts and a place that took no judgement.
pub type Made = (EnrichedTexts, Option<Coordinates>);

/// Records that the given content gets no verdict; the posting keeps awaiting one. An approved
/// posting keeps the judged texts, and its reason says that newer content awaits a review, unless
/// an operator approved that. Any other posting keeps its status and gets the texts made by rules.
/// `None` as with [`apply`], or if nothing changes.
pub fn leave_unjudged(
    posting: &Posting,
    company: &Company,
    content: ContentHash,
    made: Option<Made>,
    reason: &str,
    now: OffsetDateTime,
) -> Option<Change> {
    if due(posting, company) != Some(content) {
        return None;
    }
    let mut change = Change::of(posting);
    if posting.status == Status::Approved && posting.approved_hash != Some(content) {
        let reason = Some(awaiting_review(reason));
        if posting.status_reason == reason {
            return None;
        }
        change.move_to(Status::Approved, reason, Actor::Enricher, now);
        raise_enriched(&mut change, posting, false);
    } else {
        let (texts, place) = made?;
        if !enrich(&mut change, texts, place) {
            return None;
        }
        change.touch(Actor::Enricher, now);
        raise_enriched(&mut change, posting, true);
    }
    Some(change)
}

/// The reason of a posting that waits for a review, on one line.
fn awaiting_review(reason: &str) -> String {
    let is_gap = |c: char| c.is_whitespace() || c.is_control();
    let words: Vec<_> = reason
        .split(is_gap)
        .filter(|word| !word.is_empty())
        .collect();
    let line = words.join(" ");
    let mut told: String = line.chars().take(LONGEST_REASON).collect();
    if told.len() < line.len() {
        told.push('…');
    }
    AWAITING_REVIEW.to_owned() + &told
}

/// Whether the posting's newest content is marked as awaiting a review.
fn awaits_review(posting: &Posting) -> bool {
    let reason = posting.status_reason.as_deref();
    posting.status == Status::Approved
        && reason.is_some_and(|reason| reason.starts_with(AWAITING_REVIEW))
}

/// Clears the reason of a posting that awaits a review but has judged content again.
pub(super) fn end_review(change: &mut Change, company: &Company, by: Actor, now: OffsetDateTime) {
    let posting = &change.posting;
    let content = Some(ContentHash::of(&posting.details, company));
    let is_judged = posting.enriched_hash == content || posting.approved_hash == content;
    if is_judged && awaits_review(posting) {
        change.move_to(Status::Approved, None, by, now);
        if !change.events.contains(&event::JOB_POSTING_UPDATED) {
            change.raise(event::JOB_POSTING_UPDATED);
        }
    }
}

/// Approves the posting unless it is approved. One that awaits a review needs none any more.
pub(super) fn approve(change: &mut Change, by: Actor, lifetime: Lifetime, now: OffsetDateTime) {
    if change.posting.status == Status::Approved {
        if awaits_review(&change.posting) {
            change.move_to(Status::Approved, None, by, now);
        }
        return;
    }
    change.posting.published_at.get_or_insert(now);
    change.posting.expire_at = lifetime.starting(now);
    change.move_to(Status::Approved, None, by, now);
    change.raise(event::JOB_POSTING_APPROVED);
}

/// Rejects the posting unless it is already rejected for this reason.
pub(super) fn reject(change: &mut Change, reason: String, by: Actor, now: OffsetDateTime) {
    let was_rejected = change.posting.status == Status::Rejected;
    if was_rejected && change.posting.status_reason.as_ref() == Some(&reason) {
        return;
    }
    change.move_to(Status::Rejected, Some(reason), by, now);
    if !was_rejected {
        change.raise(event::JOB_POSTING_REJECTED);
    }
}
