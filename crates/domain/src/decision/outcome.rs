//! The effect of enrichment results on postings.

use kernel::{Actor, Status};
use time::OffsetDateTime;

use super::Change;
use crate::{
    company::Company,
    posting::{
        Cause, ContentHash, Decision, Enrichment, Held, Lifetime, Original, Posting, Review, Shown,
        State, TextsDigest, Trigger, Verdict, event,
    },
};

/// The content for which a posting awaits an outcome, if any.
pub fn due(posting: &Posting, company: &Company) -> Option<ContentHash> {
    let content = ContentHash::of(&posting.details, company);
    let is_due = posting.status() != Status::Expired
        && posting.enriched_hash != Some(content)
        && !posting.holds(content);
    is_due.then_some(content)
}

/// Applies an outcome for the given content. If the posting stays open, it becomes a duplicate of
/// `original`. `None` if the posting expired, or if its content changed or already has an outcome.
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
    let by_operator = posting.approved_hash == Some(content);
    if !by_operator && let Some(change) = hold_back(posting, content, &enrichment.verdict, now) {
        return Some(change);
    }
    let mut change = Change::of(posting);
    let has_new_texts = enrich(&mut change, enrichment);
    change.write.posting.enriched_hash = Some(content);
    change.write.posting.touch(Actor::Enricher, now);
    let (trigger, reason) = match &enrichment.verdict {
        Verdict::Reject { code, text, .. } if !by_operator => {
            (Trigger::RejectByEnricher, Some(format!("{code}: {text}")))
        }
        _ => (Trigger::ApproveByEnricher, None),
    };
    let cause = Cause {
        reason: reason.as_deref(),
        content: Some(content),
        lifetime,
        ..Cause::new(Actor::Enricher, now)
    };
    change.fire(trigger, cause).ok()?;
    change.write.decision = match (is_settled(posting, content), posting.is_moderated()) {
        (true, true) => None,
        // An operator approved this content, and other content was judged since.
        (true, false) => Some(Decision::approval(None, now)),
        (false, _) => {
            let (verdict, by) = (&enrichment.verdict, enrichment.by.clone());
            Some(Decision::of_verdict(verdict, by, now))
        }
    };
    change.write.posting.duplicate_of = original.filter(|_| change.write.posting.is_open());
    let is_marked = change.write.posting.duplicate_of != posting.duplicate_of;
    let is_new = has_new_texts || is_marked || posting.shown.is_some();
    raise_enriched(&mut change, posting, is_new);
    Some(change)
}

/// Holds back content that is no ad but would replace the ad of an approved posting. `None` for
/// other content, and if such content was held back for too long.
fn hold_back(
    posting: &Posting,
    content: ContentHash,
    verdict: &Verdict,
    now: OffsetDateTime,
) -> Option<Change> {
    let Verdict::Reject { code, text, .. } = verdict else {
        return None;
    };
    let shown = posting.shown.as_ref();
    let shown = shown.filter(|_| posting.status() == Status::Approved && code.is_no_ad())?;
    if shown.held == Some(Held::Over) {
        return None;
    }
    let mut change = Change::of(posting);
    let since = shown.held_since().unwrap_or(now);
    if let Some(shown) = &mut change.write.posting.shown {
        shown.held = Some(Held::Back { since, content });
    }
    let reason = format!("{code}: {text}");
    let cause = Cause {
        reason: Some(&reason),
        review: Some(Review::ContentHeld),
        ..Cause::new(Actor::Enricher, now)
    };
    change.fire(Trigger::LeaveUnjudged, cause).ok()?;
    change.write.posting.touch(Actor::Enricher, now);
    Some(change)
}

/// Ends a hold that began at `before` or earlier. The content is judged again, and rejected if it
/// is still no ad. `None` if there is no such hold.
pub fn end_hold(posting: &Posting, before: OffsetDateTime, now: OffsetDateTime) -> Option<Change> {
    let is_over = |since| since <= before;
    let shown = posting.shown.clone();
    let shown = shown.filter(|it| it.held_since().is_some_and(is_over))?;
    let mut change = Change::of(posting);
    change.write.posting.shown = Some(Shown {
        held: Some(Held::Over),
        ..shown
    });
    change.write.posting.touch(Actor::Enricher, now);
    change.asks_for_enrichment = true;
    Some(change)
}

/// Returns whether texts or place changed.
fn enrich(change: &mut Change, made: &Enrichment) -> bool {
    let digest = TextsDigest::of(&made.texts, made.coordinates, &made.findings);
    let digest = Some(digest);
    let is_new = change.write.posting.texts_digest != digest;
    change.write.posting.texts_digest = digest;
    change.write.enriched = Some((made.texts.clone(), made.coordinates));
    change.write.findings.clone_from(&made.findings);
    is_new
}

fn raise_enriched(change: &mut Change, before: &Posting, is_new: bool) {
    if is_new && change.write.posting.status() == before.status() {
        change.raise(event::JOB_POSTING_ENRICHED);
    }
}

/// Whether an operator's verdict covers the given content. Such content needs no other verdict.
pub fn is_settled(posting: &Posting, content: ContentHash) -> bool {
    let stays_rejected = State::Rejected { moderated: true };
    posting.approved_hash == Some(content) || posting.state() == stays_rejected
}

/// Records that [due] content without a [settled](is_settled) verdict gets none. Only an approved
/// posting keeps its texts; any other gets texts by rules. `None` if nothing changes.
pub fn leave_unjudged(
    posting: &Posting,
    made: Option<&Enrichment>,
    (review, reason): (Review, &str),
    now: OffsetDateTime,
) -> Option<Change> {
    let mut change = Change::of(posting);
    let made = made.filter(|_| posting.status() != Status::Approved);
    let has_new_texts = made.is_some_and(|made| enrich(&mut change, made));
    let cause = Cause {
        reason: Some(reason),
        review: Some(review),
        ..Cause::new(Actor::Enricher, now)
    };
    let is_step = change.fire(Trigger::LeaveUnjudged, cause).ok()?;
    if !is_step && !has_new_texts {
        return None;
    }
    change.write.posting.touch(Actor::Enricher, now);
    raise_enriched(&mut change, posting, has_new_texts);
    Some(change)
}
