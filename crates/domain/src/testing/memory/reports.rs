use async_trait::async_trait;
use kernel::{PostingId, ReportId, StoreError};
use time::OffsetDateTime;

use super::{MemoryStore, State};
use crate::{
    posting::{Decision, ObjectionState, Statement},
    report::{
        MOST_OF_POSTING, MOST_OF_REPORTER, MOST_WAITING, Report, ReportState, ReportWrite, Reports,
        Standing, StatementPosition, Waiting, WaitingObjection,
    },
};

impl State {
    pub(super) fn admits_report(&self, write: &ReportWrite) -> bool {
        match write {
            ReportWrite::New(new) => !self.reports.values().any(|old| {
                let is_same = |email| old.posting == new.posting && email_of(old) == Some(email);
                old.id == new.id || email_of(new).is_some_and(is_same)
            }),
            ReportWrite::Decided(report) => {
                let stored = self.reports.get(&report.id);
                stored.is_some_and(|report| report.decision.is_none())
            }
        }
    }

    pub(super) fn write_reports(&mut self, writes: &[ReportWrite]) {
        for write in writes {
            let report = write.report();
            self.reports.insert(report.id, report.clone());
        }
    }

    pub(super) fn write_statement(&mut self, statement: Option<Statement>) {
        let statement = statement.map(|it| ((it.at, it.posting), it));
        self.statements.extend(statement);
    }

    /// Writes a decision's statement. Also writes the state of its objection into the statement of
    /// the contested decision.
    pub(super) fn write_statements(&mut self, posting: PostingId, decision: Option<&Decision>) {
        self.write_statement(decision.and_then(|it| it.record(posting)));
        if let Some(objection) = decision.and_then(|it| it.objection.as_ref())
            && let Some(statement) = self.statements.get_mut(&(objection.against, posting))
        {
            statement.objection = Some(objection.state);
        }
    }

    fn in_state(&self, state: ReportState) -> Vec<&Report> {
        let mut found: Vec<_> = self.reports.values().collect();
        found.retain(|report| report.state() == state);
        found.sort_by_key(|report| (report.at, report.id));
        found
    }
}

fn email_of(report: &Report) -> Option<&String> {
    report.reporter.as_ref().map(|reporter| &reporter.email)
}

#[async_trait]
impl Reports for MemoryStore {
    async fn report(&self, id: ReportId) -> Result<Option<Report>, StoreError> {
        Ok(self.part::<State>().reports.get(&id).cloned())
    }

    async fn standing(
        &self,
        posting: PostingId,
        email: Option<&String>,
        since: OffsetDateTime,
    ) -> Result<Standing, StoreError> {
        let state = self.part::<State>();
        let reports = state.reports.values();
        let own = reports.filter(|it| email.is_some() && email_of(it) == email);
        let own: Vec<_> = own.collect();
        let waiting = state.in_state(ReportState::Waiting);
        let of_posting = waiting.iter().filter(|report| report.posting == posting);
        Ok(Standing {
            same: own.iter().find(|it| it.posting == posting).map(|it| it.id),
            of_reporter: (own.iter().filter(|it| it.at >= since).count()).min(MOST_OF_REPORTER),
            of_posting: of_posting.count().min(MOST_OF_POSTING),
            waiting: waiting.len().min(MOST_WAITING),
        })
    }

    async fn waiting_reports(&self, postings: &[PostingId]) -> Result<Vec<Report>, StoreError> {
        let state = self.part::<State>();
        let waiting = state.in_state(ReportState::Waiting).into_iter();
        let of_postings = waiting.filter(|report| postings.contains(&report.posting));
        Ok(of_postings.cloned().collect())
    }

    async fn reports(
        &self,
        state: ReportState,
        after: Option<(OffsetDateTime, ReportId)>,
        limit: usize,
    ) -> Result<Vec<Report>, StoreError> {
        let stored = self.part::<State>();
        let found = stored.in_state(state).into_iter();
        let later = found.filter(|report| after.is_none_or(|it| (report.at, report.id) > it));
        Ok(later.take(limit).cloned().collect())
    }

    async fn count_waiting(&self) -> Result<Waiting, StoreError> {
        let state = self.part::<State>();
        let waiting = state.in_state(ReportState::Waiting);
        Ok(Waiting {
            count: waiting.len(),
            since: waiting.first().map(|report| report.at),
        })
    }

    async fn forget_reporters(
        &self,
        decided_before: OffsetDateTime,
        limit: usize,
    ) -> Result<usize, StoreError> {
        let mut state = self.part::<State>();
        let old = state.reports.values_mut().filter(|report| {
            let decision = report.decision.as_ref();
            report.reporter.is_some() && decision.is_some_and(|it| it.at < decided_before)
        });
        let old = old.take(limit).map(|report| report.reporter = None);
        Ok(old.count())
    }

    async fn statements(
        &self,
        since: OffsetDateTime,
        after: Option<StatementPosition>,
        limit: usize,
    ) -> Result<Vec<Statement>, StoreError> {
        let state = self.part::<State>();
        let all = state.statements.iter();
        let later = all.filter(|(at, _)| at.0 >= since && after.is_none_or(|after| **at > after));
        Ok(later.take(limit).map(|(_, it)| it.clone()).collect())
    }

    async fn waiting_objections(&self, limit: usize) -> Result<Vec<WaitingObjection>, StoreError> {
        let state = self.part::<State>();
        let mut waiting = Vec::new();
        for view in state.rows.postings.values() {
            let objection = view.decision.as_ref().and_then(|it| it.objection.as_ref());
            let waits = objection.filter(|it| it.state == ObjectionState::Waiting);
            waiting.extend(waits.map(|objection| WaitingObjection {
                posting: view.posting.id,
                source_identifier: view.posting.source_identifier.clone(),
                at: objection.at,
            }));
        }
        waiting.sort_by_key(|it| (it.at, it.posting));
        waiting.truncate(limit);
        Ok(waiting)
    }
}
