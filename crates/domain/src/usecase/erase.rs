//! The erasure of a posting.

use std::slice;

use kernel::{
    SourceIdentifier,
    audit::Attribution,
    event::{PostingState, Subject},
    outbox::TaskWrites,
};
use time::OffsetDateTime;

use super::ModerationError;
use crate::{
    audit::POSTINGS_ERASE,
    posting::{
        Decision, DecisionOutcome, Ground, Rejection, enrich, event::JOB_POSTING_ERASED,
        look_up_duplicates,
    },
    report::{ReportDecision, Reports},
    store::{Erasure, Retention, Store},
};

/// Deletes a posting with every copy of its content. The erasure's event and audit entry stay, and
/// waiting reports end. Returns whether the store's files have no remains of the posting. A
/// repeated call returns [`Rejection::NotFound`], but removes such remains.
pub async fn erase(
    (store, retention, reports): (&dyn Store, &dyn Retention, &dyn Reports),
    identifier: &SourceIdentifier,
    reason: &str,
    ground: Ground,
    by: &Attribution,
    now: OffsetDateTime,
) -> Result<bool, ModerationError> {
    let snapshot = store.load(slice::from_ref(identifier), &[]).await?;
    let Some(posting) = snapshot.postings.get(identifier) else {
        retention.overwrite_deleted().await?;
        return Err(Rejection::NotFound.into());
    };
    let company = snapshot.company_of(posting)?;
    let waiting = reports.waiting_reports(&[posting.id]).await?;
    let operator = Some(by.operator.clone());
    let statement = Decision {
        by_notice: !waiting.is_empty(),
        ..Decision::statement(DecisionOutcome::Removed, reason, ground, operator, now)
    };
    let mut tasks = TaskWrites::new(now);
    tasks.ended.push(enrich(posting.id));
    // The posting's duplicates get another original, or none.
    tasks.ask(look_up_duplicates(posting.id));
    let erased = PostingState {
        version: posting.version + 1,
        status_reason: None,
        decision: Some(statement.for_event()),
        ..PostingState::from(posting)
    };
    tasks.raise(JOB_POSTING_ERASED, Subject::Posting(erased));
    let entry = by.entry(POSTINGS_ERASE, now).about(identifier);
    tasks.audit.push(
        entry
            .with("reason", reason)
            .with("ground", ground.as_str())
            .with("company", company.website.as_str())
            .with("status", posting.status().as_str()),
    );
    let acted = ReportDecision::acted(reason, by, now);
    let waiting = waiting.into_iter();
    let reports = waiting.map(|report| report.decide(acted.clone(), &mut tasks));
    let reports = reports.collect();
    let erasure = Erasure {
        posting: posting.id,
        version: posting.version,
        identifier: identifier.clone(),
        statement: statement.record(posting.id),
        reports,
        tasks,
    };
    retention.erase(&erasure).await?;
    Ok(retention.overwrite_deleted().await.unwrap_or(false))
}
