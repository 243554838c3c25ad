//! Restores former values of a posting, for an operator or for the undo of an import.

use kernel::{Actor, Status};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Change, duplicate::note_content, outcome};
use crate::{
    company::Company,
    posting::{
        Cause, Coordinates, Decision, EnrichedTexts, Findings, HistoryEntry, Lifetime, Posting,
        PostingVersion, State, TEXTS, Trigger, event,
    },
};

/// A former state of a posting, with its texts if they changed.
#[derive(Clone, Debug)]
pub struct Former {
    /// The posting, with its description's text if the description changed.
    pub posting: Posting,
    /// The texts and other results of enrichment.
    pub texts: Option<(EnrichedTexts, Option<Coordinates>, Findings)>,
    /// The trigger that also reopens or expires the posting, if needed.
    pub trigger: Option<Trigger>,
}

impl Former {
    /// The posting before an import changed it. `records` are the changes since then, newest first.
    /// `None` if something else changed the posting since.
    pub fn before(import: Uuid, posting: &Posting, records: &[PostingVersion]) -> Option<Self> {
        let is_other = |it: &&PostingVersion| it.import != Some(import) && it.is_of_its_own();
        if records.iter().any(|it| is_other(&it)) {
            return None;
        }
        let mut former = Self {
            posting: posting.clone(),
            texts: None,
            trigger: None,
        };
        for record in records {
            former.posting.step_back(record);
            if record.before.has(TEXTS) {
                let texts = record.texts.clone();
                former.texts = texts.map(|it| (it, record.coordinates, record.findings.clone()));
            }
        }
        former.trigger = match (former.posting.status(), posting.status()) {
            (Status::Expired, Status::Expired) => None,
            (Status::Expired, _) => Some(Trigger::Lapse),
            (_, Status::Expired) => Some(Trigger::Relist),
            _ => None,
        };
        Some(former)
    }
}

/// Restores a posting's values. `company` is the former company or, after a merge, its target.
/// Approved content needs no new verdict; other content waits for one. `None` if nothing changes,
/// or if the former description's text is no longer kept.
pub fn restore(
    posting: &Posting,
    former: &Former,
    company: &Company,
    (by, note): (&Actor, &str),
    lifetime: Lifetime,
    now: OffsetDateTime,
) -> Option<Change> {
    let was = &former.posting;
    let mut change = Change::of(posting);
    let after = &mut change.write.posting;
    after.details = was.details.clone();
    (after.details.expiration_reason).clone_from(&posting.details.expiration_reason);
    if company.id != posting.company_id {
        after.company_id = company.id;
        after.came_by = Some(was.company_id).filter(|was| *was != company.id);
    }
    let sets_description = after.details.raw_description != posting.details.raw_description;
    let has_text = was.details.raw_description.text().is_some();
    let is_same = after.details == posting.details && after.company_id == posting.company_id;
    let is_same = is_same && was.shown == posting.shown && former.trigger.is_none();
    if is_same || sets_description && !has_text {
        return None;
    }
    if let Some(trigger) = former.trigger {
        let cause = Cause {
            reason: was.details.expiration_reason.as_deref(),
            lifetime,
            ..Cause::new(by.clone(), now)
        };
        change.fire(trigger, cause).ok()?;
    }
    let after = &mut change.write.posting;
    let has_texts = was.texts_digest == posting.texts_digest || former.texts.is_some();
    let stays_rejected = posting.state() == State::Rejected { moderated: true };
    let was_approved = was.status() == Status::Approved && was.enriched_hash.is_some();
    let is_approved = was_approved && has_texts && !stays_rejected;
    if is_approved {
        after.enriched_hash = was.enriched_hash;
        if former.trigger.is_some() || was.is_moderated() {
            after.approved_hash = was.approved_hash;
        }
        if was.texts_digest != posting.texts_digest {
            after.texts_digest = was.texts_digest;
            if let Some((texts, coordinates, findings)) = former.texts.clone() {
                change.write.enriched = Some((texts, coordinates));
                change.write.findings = findings;
            }
        }
        // An operator may have approved the shown content, while later content got another verdict.
        let by_operator = was.approved_hash.filter(|_| was.is_moderated());
        let cause = Cause {
            content: by_operator.or(was.enriched_hash),
            lifetime,
            ..Cause::new(by.clone(), now)
        };
        change.fire(Trigger::ApproveByEnricher, cause).ok()?;
        change.write.posting.shown.clone_from(&was.shown);
    } else {
        after.keep_judged(posting, now);
    }
    let after = &mut change.write.posting;
    note_content(after, posting, now);
    after.touch(by.clone(), now);
    change.write.sets_description = sets_description;
    change.write.history.push(HistoryEntry {
        status: after.status(),
        at: now,
        reason: Some(note.to_owned()),
        by: by.clone(),
    });
    let (status, is_due) = (after.status(), outcome::due(after, company).is_some());
    change.asks_for_enrichment = is_due;
    if status == posting.status() {
        if status != Status::Expired {
            change.raise(event::JOB_POSTING_UPDATED);
        }
    } else if status == Status::Approved {
        let operator = match by {
            Actor::Operator(operator) => operator.clone(),
            _ => None,
        };
        change.write.decision = Some(Decision::approval(operator, now));
    }
    Some(change)
}
