//! The rule of the operation: create, update, expire or reopen.

use std::sync::Arc;

use fields::validation::Rule;
use kernel::{Actor, CompanyId, PutOutcome, Status};
use time::OffsetDateTime;

use super::{
    Change, Snapshot, company, duplicate::note_content, lapse::closing, outcome, together::check,
};
use crate::{
    company::Company,
    posting::{
        Answer, Cause, ContentHash, Details, Effects, Lifetime, Notice, Posting, PutPosting,
        Rejection, State, Trigger, duplicate::Offer, event,
    },
};

/// The decision on a command.
#[derive(Clone, Debug, PartialEq)]
pub struct Decided {
    /// The answer, valid after the commit.
    pub answer: Answer,
    /// The change; `None` if the push changes nothing. Boxed: most pushes are unchanged.
    pub change: Option<Box<Change>>,
    /// Whether an earlier line of the import makes the command's change of the company.
    pub is_left: bool,
}

/// Decides a command on the state of a snapshot.
pub fn decide(
    snapshot: &Snapshot,
    put: &PutPosting,
    lifetime: Lifetime,
    now: OffsetDateTime,
) -> Result<Decided, Rejection> {
    match snapshot.postings.get(&put.identifier) {
        Some(posting) => update(snapshot, posting, put, lifetime, now),
        None if !put.expires() => create(snapshot, put, now),
        None if put.errors.is_empty() => Err(Rejection::NotFound),
        None => Err(Rejection::Invalid(put.errors.clone())),
    }
}

fn create(
    snapshot: &Snapshot,
    put: &PutPosting,
    now: OffsetDateTime,
) -> Result<Decided, Rejection> {
    let patch = &put.patch;
    let mut errors = put.errors.clone();
    for field in patch.missing_to_create() {
        if !put.errors.concern(&field) {
            errors.add_as(Rule::Missing, field, "is required");
        }
    }
    let mut details = Details::default();
    patch.apply_to(&mut details);
    let left_out = check(&mut details, &Details::default(), put, now, &mut errors);
    // `key` is `None` only when `errors` is not empty.
    let company = patch.company().key().and_then(|key| {
        let id = CompanyId::of(key);
        company::push(snapshot, id, put, now)
    });
    let (Some(company), true) = (company, errors.is_empty()) else {
        return Err(Rejection::Invalid(errors));
    };

    let by = Actor::Client(put.by.client);
    let identifier = put.identifier.clone();
    let company_id = company.after.id;
    let posting = Posting::new(put.new_id, identifier, company_id, details, by.clone(), now);
    let mut change = Change::create(posting, by);
    change.write.posting.came_by = company.alias;
    change.write.posting.catalogue = put.catalogue;
    change.write.posting.expire_at = change.write.posting.details.closes_at();
    if company.is_update {
        change.raise(event::COMPANY_UPDATED);
    }
    change.raise(event::JOB_POSTING_CREATED);
    change.company = company.write;
    let is_closed = is_past(change.write.posting.expire_at, now);
    if is_closed {
        change.fire(Trigger::Lapse, closing(now))?;
        // A reason that the client sent replaces the reason of the rule, as in an update.
        let sent = &patch.expiration_reason;
        sent.apply(&mut change.write.posting.details.expiration_reason);
        change.asks_for_enrichment = false;
    }
    let closed = is_closed.then_some(Notice::ClosingDatePassed);
    Ok(Decided {
        answer: Answer {
            updated_by: None,
            notices: notices(closed, company.notice, &left_out, put),
            effects: Some(Effects::of(None, &change.write.posting.details)),
            ..Answer::on(&change.write.posting, PutOutcome::Created)
        },
        change: Some(Box::new(change)),
        is_left: company.is_left,
    })
}

fn update(
    snapshot: &Snapshot,
    posting: &Posting,
    put: &PutPosting,
    lifetime: Lifetime,
    now: OffsetDateTime,
) -> Result<Decided, Rejection> {
    let by = Actor::Client(put.by.client);
    let mut errors = put.errors.clone();
    let mut change = Change::of(posting);
    let has_step = match fire(&mut change, posting, put, lifetime, now) {
        Ok(has_step) => has_step,
        Err(refusal) if errors.is_empty() => return Err(refusal),
        Err(_) => return Err(Rejection::Invalid(errors)),
    };
    let after = &mut change.write.posting;
    put.patch.apply_to(&mut after.details);
    let left_out = check(&mut after.details, &posting.details, put, now, &mut errors);
    let key = put.patch.company().key();
    let id = key.map_or(posting.company_id, CompanyId::of);
    let company = company::push(snapshot, id, put, now);
    if company.is_none()
        && !errors.concern("company.name")
        && !errors.concern("company.website_url")
    {
        errors.add_as(
            Rule::Missing,
            "company.name",
            "is required for a company that is not known yet",
        );
    }
    let (Some(company), true) = (company, errors.is_empty()) else {
        return Err(Rejection::Invalid(errors));
    };
    if company.after.id != posting.company_id {
        after.company_id = company.after.id;
        after.came_by = if company.after.id == snapshot.meant(posting.company_id) {
            let came_by = posting.came_by.or(Some(posting.company_id));
            came_by.filter(|it| *it != company.after.id)
        } else {
            company.alias
        };
    }
    after.keep_judged(posting, now);
    note_content(after, posting, now);
    let sets_description = after.details.raw_description != posting.details.raw_description;
    let differs = after.details != posting.details || after.company_id != posting.company_id;
    // A command raises only one event, and the step has already raised it.
    let is_update = differs && !has_step;
    if is_update {
        after.touch(by.clone(), now);
    }
    let (before, status) = (posting.status(), after.status());
    let outcome = match status {
        Status::PendingEnrichment if before == Status::Expired => PutOutcome::Reopened,
        Status::Expired if before != Status::Expired => PutOutcome::Expired,
        _ if differs || has_step || company.write.is_some() => PutOutcome::Updated,
        _ => PutOutcome::Unchanged,
    };
    change.write.sets_description = sets_description;
    let after = &change.write.posting;
    change.looks_up = Offer::of(&after.details) != Offer::of(&posting.details);
    if is_update && status != Status::Expired {
        change.raise(event::JOB_POSTING_UPDATED);
    }
    if company.is_update {
        change.events.insert(0, event::COMPANY_UPDATED);
    }
    change.company = company.write;
    if outcome == PutOutcome::Unchanged {
        ask_if_renamed(&mut change, &company.after);
    } else {
        let cause = Cause::new(by.clone(), now);
        ask_if_stale(&mut change, &company.after, is_update, cause)?;
    }
    let closed = posting.details.closes_at();
    lifetime.renew(&mut change.write.posting, closed, now);
    // The company's name and logo are not parts of its postings. Otherwise feeds that disagree
    // would update the postings with every push.
    if put.catalogue.is_some() && put.catalogue != posting.catalogue {
        change.write.posting.catalogue = put.catalogue;
        if status == Status::Expired {
            // Otherwise the posting might return to a catalogue that had expired it, and an undo of
            // that catalogue would reopen the posting.
            change.write.posting.touch(by, now);
        }
    }
    change.writes_posting = differs
        || !change.write.history.is_empty()
        || change.write.posting.expire_at != posting.expire_at
        || change.write.posting.catalogue != posting.catalogue;
    let effects =
        differs.then(|| Effects::of(Some(&posting.details), &change.write.posting.details));
    let fields = change.write.posting.details.set_fields();
    let is_any = change.writes_posting || change.company.is_some() || change.asks_for_enrichment;
    Ok(Decided {
        answer: Answer {
            status,
            notices: notices(
                stays_down(posting, status, put, now),
                company.notice,
                &left_out,
                put,
            ),
            effects,
            fields,
            ..Answer::on(posting, outcome)
        },
        change: is_any.then(|| Box::new(change)),
        is_left: company.is_left,
    })
}

/// Returns whether the change of state is a history step.
fn fire(
    change: &mut Change,
    posting: &Posting,
    put: &PutPosting,
    lifetime: Lifetime,
    now: OffsetDateTime,
) -> Result<bool, Rejection> {
    let is_closed = is_past(put.patch.closes_after(&posting.details), now);
    let trigger = match put.trigger() {
        Some(trigger) if put.expires() => trigger,
        _ if is_closed && (posting.is_open() || !posting.is_moderated()) => {
            // `"expiration": null` takes the client's expiry back, and that of the date remains.
            let trigger = match put.trigger() {
                Some(Trigger::Reopen) if !posting.is_open() => Trigger::Expire,
                _ => Trigger::Lapse,
            };
            return change.fire(trigger, closing(now));
        }
        None if !is_closed && posting.is_closed_by_date() => Trigger::Reopen,
        Some(trigger) => trigger,
        None => return Ok(false),
    };
    let stored = posting.details.expiration_reason.as_deref();
    let reason = put.patch.reason_after(stored).filter(|_| put.expires());
    let cause = Cause {
        reason,
        lifetime,
        ..Cause::new(Actor::Client(put.by.client), now)
    };
    change.fire(trigger, cause)
}

fn is_past(end: Option<OffsetDateTime>, now: OffsetDateTime) -> bool {
    end.is_some_and(|end| end <= now)
}

/// Requests enrichment if the content differs from the content of the last outcome. A review ends
/// if the content was judged before, or if an update of an unapproved posting needs a new verdict.
fn ask_if_stale(
    change: &mut Change,
    company: &Company,
    is_update: bool,
    cause: Cause<'_>,
) -> Result<(), Rejection> {
    let posting = &change.write.posting;
    if posting.status() == Status::Expired {
        return Ok(());
    }
    let is_stale = outcome::due(posting, company).is_some();
    let ends_review = match posting.state() {
        State::Approved { .. } => {
            let content = ContentHash::of(&posting.details, company);
            !is_stale && posting.shown.is_none() || posting.approved_hash == Some(content)
        }
        _ => is_stale && is_update,
    };
    change.asks_for_enrichment = is_stale;
    if ends_review {
        change.fire(Trigger::EndReview, cause)?;
    }
    Ok(())
}

/// Requests enrichment if the content differs from the last outcome only in the company's name.
/// Another push or an operator then changed the name.
fn ask_if_renamed(change: &mut Change, company: &Company) {
    let posting = &change.write.posting;
    change.asks_for_enrichment = posting.status() != Status::Expired
        && posting.enriched_hash.is_some_and(|last| {
            last.differs_by_name_alone(&ContentHash::of(&posting.details, company))
        });
}

fn notices(
    down: Option<Notice>,
    company: Option<Notice>,
    left_out: &[Notice],
    put: &PutPosting,
) -> Vec<Notice> {
    let decoded = put.errors.decoded();
    let decoded = decoded.map(|path| Notice::Decoded(Arc::clone(path)));
    let unknown = put.errors.unknown();
    let unknown = unknown.map(|path| Notice::UnknownField(Arc::clone(path)));
    let first = down.into_iter().chain(company);
    // A corrected value may be left out later, because of a rule across fields.
    let is_kept = |notice: &&Notice| left_out.iter().all(|it| it.field() != notice.field());
    let of_fields = put.notices.iter().filter(is_kept).chain(left_out).cloned();
    first
        .chain(of_fields)
        .chain(decoded)
        .chain(unknown)
        .collect()
}

/// The notice that the posting stays expired, unless the push itself requests an expiry.
fn stays_down(
    posting: &Posting,
    after: Status,
    put: &PutPosting,
    now: OffsetDateTime,
) -> Option<Notice> {
    if put.expires() {
        return None;
    }
    let is_closed = is_past(put.patch.closes_after(&posting.details), now);
    if is_closed && after == Status::Expired && (posting.is_open() || !posting.is_moderated()) {
        return Some(Notice::ClosingDatePassed);
    }
    if after != posting.status() {
        return None;
    }
    match posting.state() {
        State::Expired { moderated, .. } if moderated => Some(Notice::TakenDown),
        State::Expired { .. } => put.patch.has_fields().then_some(Notice::StillExpired),
        State::Rejected { moderated } => moderated.then_some(Notice::StillRejected),
        _ => None,
    }
}
