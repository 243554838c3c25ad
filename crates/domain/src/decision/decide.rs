//! The rule of the one operation: create, update, expire or reopen.

use std::sync::Arc;

use kernel::{
    Actor, CompanyId, PutOutcome, Status,
    validation::{ErrorKind, FieldErrors},
};
use time::OffsetDateTime;

use super::{Change, Snapshot, company, duplicate::note_content, outcome};
use crate::{
    authority,
    posting::{Answer, Details, Lifetime, Notice, Posting, PutPosting, Rejection, Trigger, event},
};

/// What is decided on a command.
#[derive(Clone, Debug, PartialEq)]
pub struct Decided {
    /// The answer, valid once the change is committed.
    pub answer: Answer,
    /// The change; `None` if the push changes nothing. Boxed, because unchanged pushes are the
    /// common case.
    pub change: Option<Box<Change>>,
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
            errors.add_as(ErrorKind::Missing, field, "is required");
        }
    }
    let mut details = Details::default();
    patch.apply_to(&mut details);
    check_together(&details, &mut errors);
    // The website is there unless there are errors.
    let company = patch.company().website().and_then(|website| {
        let id = CompanyId::of(website);
        company::push(snapshot.companies.get(&id), id, put, now)
    });
    let (Some(company), true) = (company, errors.is_empty()) else {
        return Err(Rejection::Invalid(errors));
    };

    let by = Actor::Client(put.by.client);
    let posting = Posting {
        id: put.new_id,
        source_identifier: put.identifier.clone(),
        version: 1,
        status: Status::PendingEnrichment,
        status_reason: None,
        moderated: false,
        details,
        company_id: company.after.id,
        catalogue: put.catalogue,
        enriched_hash: None,
        approved_hash: None,
        texts_digest: None,
        duplicate_of: None,
        content_at: None,
        is_featured: false,
        published_at: None,
        expire_at: None,
        expired_at: None,
        created_at: now,
        created_by: Some(by.clone()),
        updated_at: now,
        updated_by: Some(by.clone()),
    };
    let mut change = Change::new(None, posting);
    change.move_to(Status::PendingEnrichment, None, by, now);
    if company.is_update {
        change.raise(event::COMPANY_UPDATED);
    }
    change.raise(event::JOB_POSTING_CREATED);
    change.asks_for_enrichment = true;
    change.company = company.write;
    Ok(Decided {
        answer: Answer {
            updated_by: None,
            notices: notices(None, company.notice, put),
            ..Answer::on(&change.write.posting, PutOutcome::Created)
        },
        change: Some(Box::new(change)),
    })
}

fn update(
    snapshot: &Snapshot,
    posting: &Posting,
    put: &PutPosting,
    lifetime: Lifetime,
    now: OffsetDateTime,
) -> Result<Decided, Rejection> {
    let patch = &put.patch;
    let mut errors = put.errors.clone();
    if let Err(refusal) = authority::check_push(posting, put) {
        return Err(if errors.is_empty() {
            refusal
        } else {
            Rejection::Invalid(errors)
        });
    }

    let mut change = Change::of(posting);
    let after = &mut change.write.posting;
    if reopens(posting, put) {
        after.details.expiration_reason = None;
    }
    patch.apply_to(&mut after.details);
    if let Some(reason) = patch.new_reason() {
        after.details.expiration_reason = Some(reason.clone());
    }
    check_together(&after.details, &mut errors);
    let website = patch.company().website();
    let id = website.map_or(posting.company_id, CompanyId::of);
    let company = company::push(snapshot.companies.get(&id), id, put, now);
    if company.is_none()
        && !errors.concern("company.name")
        && !errors.concern("company.website_url")
    {
        errors.add_as(
            ErrorKind::Missing,
            "company.name",
            "is required for a company that is not known yet",
        );
    }
    let (Some(company), true) = (company, errors.is_empty()) else {
        return Err(Rejection::Invalid(errors));
    };
    after.company_id = company.after.id;
    note_content(after, posting, now);

    change.write.sets_description =
        after.details.raw_description != posting.details.raw_description;
    let after = &change.write.posting;
    let differs = after.details != posting.details || after.company_id != posting.company_id;
    if company.is_update {
        change.raise(event::COMPANY_UPDATED);
    }
    change.company = company.write;
    advance(&mut change, posting, put, differs, now);
    let is_changed = differs || !change.write.history.is_empty();
    let outcome = match (posting.status, change.write.posting.status) {
        (Status::Expired, Status::PendingEnrichment) => PutOutcome::Reopened,
        (before, Status::Expired) if before != Status::Expired => PutOutcome::Expired,
        _ if is_changed || change.company.is_some() => PutOutcome::Updated,
        _ => PutOutcome::Unchanged,
    };
    if outcome == PutOutcome::Unchanged {
        change.schedule_enrichment_if_renamed(&company.after);
    } else {
        change.schedule_enrichment_if_stale(&company.after);
        let by = Actor::Client(put.by.client);
        outcome::end_review(&mut change, &company.after, by, now);
    }
    let is_changed = differs || !change.write.history.is_empty();
    lifetime.renew(&mut change.write.posting, now);
    // The company's name and logo are not part of its postings: feeds that disagree about them
    // would update the postings with every push.
    if put.catalogue.is_some() && put.catalogue != posting.catalogue {
        change.write.posting.catalogue = put.catalogue;
        if change.write.posting.status == Status::Expired {
            // Or it might come back to a catalogue that takes it for what it has expired itself,
            // and be reopened by its undo.
            change.touch(Actor::Client(put.by.client), now);
        }
    }
    change.writes_posting = is_changed
        || change.write.posting.expire_at != posting.expire_at
        || change.write.posting.catalogue != posting.catalogue;
    let is_any = change.writes_posting || change.company.is_some() || change.asks_for_enrichment;
    Ok(Decided {
        answer: Answer {
            status: change.write.posting.status,
            notices: notices(stays_down(posting, put), company.notice, put),
            ..Answer::on(posting, outcome)
        },
        change: is_any.then(|| Box::new(change)),
    })
}

/// Whether the command brings an expired posting back. One of a catalogue leaves a posting that an
/// operator took down as it is.
fn reopens(posting: &Posting, put: &PutPosting) -> bool {
    put.reopens()
        && Trigger::ReopenByPush.moves(posting.status)
        && !authority::is_taken_down(posting)
}

/// What a command leaves undone, in the order in which it is told.
fn notices(down: Option<Notice>, company: Option<Notice>, put: &PutPosting) -> Vec<Notice> {
    let unknown = put.errors.unknown();
    let unknown = unknown.map(|path| Notice::UnknownField(Arc::clone(path)));
    down.into_iter().chain(company).chain(unknown).collect()
}

/// The notice that the posting stays down, unless the command itself wants that.
fn stays_down(posting: &Posting, put: &PutPosting) -> Option<Notice> {
    if put.expires() || reopens(posting, put) {
        return None;
    }
    match posting.status {
        Status::Expired if authority::is_taken_down(posting) => Some(Notice::TakenDown),
        Status::Expired if put.patch.has_fields() => Some(Notice::StillExpired),
        Status::Rejected if authority::is_taken_down(posting) => Some(Notice::StillRejected),
        _ => None,
    }
}

/// Moves the posting to its next status, and raises the one event of the command.
fn advance(
    change: &mut Change,
    before: &Posting,
    put: &PutPosting,
    differs: bool,
    now: OffsetDateTime,
) {
    let by = Actor::Client(put.by.client);
    let reason = &change.write.posting.details.expiration_reason;
    let is_expired = before.status == Status::Expired;
    // The specification: expiring again dispatches no additional events. The reason of an operator
    // stands.
    let gives_reason = || {
        let is_new = reason.is_some() && *reason != before.details.expiration_reason;
        is_new && !authority::is_taken_down(before)
    };
    if reopens(before, put) {
        change.reopen(None, by, now);
    } else if put.expires() && (!is_expired || gives_reason()) {
        change.expire(reason.clone(), by, now);
    } else if differs {
        change.touch(by, now);
        if !is_expired {
            change.raise(event::JOB_POSTING_UPDATED);
        }
    }
}

/// Validates rules across fields. A rule that depends on a field in error is skipped.
fn check_together(details: &Details, errors: &mut FieldErrors) {
    if let (Some(min), Some(max)) = (details.salary_min, details.salary_max)
        && max < min
        && !errors.concern("salary_min")
        && !errors.concern("salary_max")
    {
        errors.add_as(
            ErrorKind::Together,
            "salary_max",
            format!("must be at least salary_min, which is {min}"),
        );
    }
    if details.application_email.is_none()
        && details.application_url.is_none()
        && !errors.concern("application_email")
        && !errors.concern("application_url")
    {
        for (field, other) in [
            ("application_email", "application_url"),
            ("application_url", "application_email"),
        ] {
            let why = format!("is required when there is no {other}");
            errors.add_as(ErrorKind::Together, field, why);
        }
    }
}
