//! Commands of operators about postings.

use kernel::audit::Operator;
use kernel::{Actor, Status};
use time::OffsetDateTime;

use super::{Change, ContentHash, HistoryEntry, Lifetime, Posting, Rejection, event, outcome};
use crate::{authority, company::Company};

/// An operator's command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Moderation {
    /// Approve the present content, whatever an enricher decides. Content that is pushed later is
    /// judged as usual.
    Approve,
    /// Reject the posting, whatever an enricher decides and a client pushes.
    Reject {
        /// The reason.
        reason: String,
    },
    /// Feature it, or no longer.
    Feature(bool),
    /// Take it down, until an operator reopens it.
    Expire {
        /// The reason.
        reason: String,
    },
    /// Bring an expired posting back, to be judged anew.
    Reopen {
        /// The reason.
        reason: String,
    },
}

impl Moderation {
    /// Whether the posting needs no verdict of an enricher any more.
    pub const fn ends_enrichment(&self) -> bool {
        !matches!(self, Self::Feature(_))
    }
}

/// Decides an operator's command; `None` when there is nothing to change.
pub fn decide(
    posting: &Posting,
    company: &Company,
    command: &Moderation,
    by: &Operator,
    lifetime: Lifetime,
    now: OffsetDateTime,
) -> Result<Option<Change>, Rejection> {
    let by = Actor::Operator(Some(by.clone()));
    let verdict = match command {
        Moderation::Approve => Status::Approved,
        Moderation::Reject { .. } => Status::Rejected,
        Moderation::Feature(on) => return Ok(feature(posting, *on, by, now)),
        Moderation::Expire { reason } => return expire(posting, reason, by, now),
        Moderation::Reopen { reason } => return reopen(posting, reason, by, now).map(Some),
    };
    authority::check_verdict(posting, verdict)?;
    let mut change = Change::of(posting);
    change.posting.moderated = true;
    if let Moderation::Reject { reason } = command {
        change.posting.approved_hash = None;
        outcome::reject(&mut change, reason.clone(), by.clone(), now);
    } else {
        change.posting.approved_hash = Some(ContentHash::of(&posting.details, company));
        outcome::approve(&mut change, by.clone(), lifetime, now);
        // Its texts may belong to other content, or be missing. Workers that it killed would die
        // again of making some.
        if !outcome::was_lethal(posting) {
            change.ask_if_due(company);
        }
    }
    let is_known = posting.moderated && posting.approved_hash == change.posting.approved_hash;
    if change.history.is_empty() && !is_known {
        // The reason stays, now with the operator as its actor.
        let reason = posting.status_reason.clone();
        change.move_to(posting.status, reason, by, now);
    }
    if change.events.is_empty() && change.posting.status_reason != posting.status_reason {
        change.raise(event::JOB_POSTING_UPDATED);
    }
    Ok((!change.history.is_empty()).then_some(change))
}

fn expire(
    posting: &Posting,
    reason: &str,
    by: Actor,
    now: OffsetDateTime,
) -> Result<Option<Change>, Rejection> {
    authority::check_expiry(posting)?;
    if authority::is_taken_down(posting) {
        return Ok(None);
    }
    let mut change = Change::of(posting);
    let reason = Some(reason.to_owned());
    if posting.status == Status::Expired {
        // It stays expired, now by an operator's word. That is no event (the specification).
        change.posting.moderated = true;
        change.move_to(Status::Expired, reason, by, now);
    } else {
        change.expire(reason, by, now);
    }
    Ok(Some(change))
}

fn reopen(
    posting: &Posting,
    reason: &str,
    by: Actor,
    now: OffsetDateTime,
) -> Result<Change, Rejection> {
    authority::check_reopening(posting)?;
    let mut change = Change::of(posting);
    change.posting.details.expiration_reason = None;
    change.reopen(Some(reason.to_owned()), by, now);
    change.asks_for_enrichment = true;
    Ok(change)
}

fn feature(posting: &Posting, on: bool, by: Actor, now: OffsetDateTime) -> Option<Change> {
    if posting.is_featured == on {
        return None;
    }
    let mut change = Change::of(posting);
    change.posting.is_featured = on;
    // A history entry without a change of status, whose reason stays.
    change.history.push(HistoryEntry {
        status: posting.status,
        at: now,
        reason: Some(if on { "featured" } else { "no longer featured" }.to_owned()),
        by: by.clone(),
    });
    change.touch(by, now);
    // Changes of a posting that is expired already are no events (the specification).
    if posting.status != Status::Expired {
        change.raise(event::JOB_POSTING_UPDATED);
    }
    Some(change)
}
