//! Reports of readers: sent, acted on, dismissed.

use kernel::{PostingId, Prefixes, ReportId, StoreError, Version, audit::Attribution};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{
    ModerationError,
    moderate::{conflict, find},
};
use crate::{
    audit::{REPORTS_ACT, REPORTS_DISMISS},
    decision::{WriteSet, moderation},
    posting::{Lifetime, Posting, Rejection, enrich, moderation::Moderation},
    report::{
        NewReport, PostingName, REPORTER_WINDOW, Report, ReportDecision, ReportWrite, Reports,
    },
    store::Store,
};

/// Finds a posting by identifier or UUID; identifiers take precedence.
pub async fn find_named(
    store: &dyn Store,
    PostingName(name): &PostingName,
) -> Result<Option<Posting>, StoreError> {
    let mut known = store.load(std::slice::from_ref(name), &[]).await?.postings;
    if let Some(posting) = known.remove(name) {
        return Ok(Some(posting));
    }
    let Ok(id) = Uuid::parse_str(name.as_str()) else {
        return Ok(None);
    };
    let known = store.load_by_id(&[PostingId::new(id)]).await?.postings;
    Ok(known.into_values().next())
}

/// Takes a reader's report from a client with these prefixes. A reporter has one report per
/// posting; for a second report, returns the id of the first.
pub async fn report(
    (store, reports): (&dyn Store, &dyn Reports),
    new: &NewReport,
    id: ReportId,
    prefixes: &Prefixes,
    now: OffsetDateTime,
) -> Result<ReportId, ModerationError> {
    let posting = find_named(store, &new.posting).await?;
    let posting = posting.filter(|posting| prefixes.permit(&posting.source_identifier));
    let posting = posting.ok_or(Rejection::NotFound)?;
    let email = new.reporter.as_ref().map(|reporter| &reporter.email);
    let standing = reports
        .standing(posting.id, email, now - REPORTER_WINDOW)
        .await?;
    if let Some(same) = standing.same {
        return Ok(same);
    }
    standing.admit()?;
    let mut writes = WriteSet::new(now);
    // A posting that was erased meanwhile must get no report.
    writes.optional.standing.insert(posting.id, posting.version);
    writes.optional.reports.push(ReportWrite::New(Report {
        id,
        posting: posting.id,
        source_identifier: posting.source_identifier,
        reason: new.reason,
        statement: new.statement.clone(),
        url: new.url.clone(),
        reporter: new.reporter.clone(),
        at: now,
        decision: None,
    }));
    store.commit(writes).await?;
    Ok(id)
}

/// Rejects or takes down a report's posting, and so decides all waiting reports about the posting.
/// Returns the number of these reports. With `seen`, the command applies only to that version.
pub async fn act_on_report(
    (store, reports): (&dyn Store, &dyn Reports),
    id: ReportId,
    verdict: &Moderation,
    seen: Option<Version>,
    by: &Attribution,
    lifetime: Lifetime,
    now: OffsetDateTime,
) -> Result<usize, ModerationError> {
    let report = waiting(reports, id).await?;
    let identifier = &report.source_identifier;
    let (mut snapshot, posting) = find(store, identifier).await?;
    if posting.id != report.posting {
        return Err(Rejection::NotFound.into());
    }
    conflict(&posting, seen)?;
    let company = snapshot.company_of(&posting)?;
    let change = moderation::decide(&posting, company, verdict, &by.operator, lifetime, now)?;
    let mut writes = WriteSet::new(now);
    if let Some(mut change) = change {
        if let Some(decision) = &mut change.write.decision {
            decision.by_notice = true;
        }
        writes.tasks.ended.push(enrich(posting.id));
        change.record(&mut snapshot, &mut writes);
    } else {
        writes.optional.standing.insert(posting.id, posting.version);
    }
    let reason = verdict.reason().unwrap_or_default();
    let waiting = reports.waiting_reports(&[posting.id]).await?;
    let ids: Vec<_> = waiting.iter().map(|report| report.id.to_string()).collect();
    let count = ids.len();
    for report in waiting {
        let decision = ReportDecision::acted(reason, by, now);
        let ended = report.decide(decision, &mut writes.tasks);
        writes.optional.reports.push(ended);
    }
    let entry = by.entry(REPORTS_ACT, now).about(identifier);
    let entry = entry.with("reports", ids).with("reason", reason);
    writes.tasks.audit.push(match verdict {
        Moderation::Reject { ground, .. } => entry
            .with("verdict", "reject")
            .with("ground", ground.as_str()),
        Moderation::Expire { ground, .. } => entry
            .with("verdict", "expire")
            .with("ground", ground.as_str()),
        _ => entry,
    });
    store.commit(writes).await?;
    Ok(count)
}

/// Dismisses a report: the posting stays as it is.
pub async fn dismiss_report(
    (store, reports): (&dyn Store, &dyn Reports),
    id: ReportId,
    reason: &str,
    by: &Attribution,
    now: OffsetDateTime,
) -> Result<(), ModerationError> {
    let report = waiting(reports, id).await?;
    let mut writes = WriteSet::new(now);
    let entry = by.entry(REPORTS_DISMISS, now);
    let entry = entry
        .about(&report.source_identifier)
        .part(id.uuid().as_bytes());
    let entry = entry.with("report", id.to_string()).with("reason", reason);
    writes.tasks.audit.push(entry);
    let dismissed = ReportDecision {
        acted: false,
        ..ReportDecision::acted(reason, by, now)
    };
    let ended = report.decide(dismissed, &mut writes.tasks);
    writes.optional.reports.push(ended);
    Ok(store.commit(writes).await?)
}

async fn waiting(reports: &dyn Reports, id: ReportId) -> Result<Report, ModerationError> {
    let report = reports.report(id).await?.ok_or(ModerationError::NoReport)?;
    match &report.decision {
        None => Ok(report),
        Some(_) => Err(ModerationError::Decided(report.state().to_string())),
    }
}
