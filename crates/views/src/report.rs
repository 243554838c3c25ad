//! A reader's report, as the client sees it, and as operators see it (with the reporter).

use domain::{
    posting::Statement,
    report::{self, Reporter},
};
use fields::day;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{json::Timestamp, schema::vocabularies, view};

vocabularies! {
    /// The reason of a report.
    ReportReason(report::ReportReason);
    /// The state of a report.
    ReportState(report::ReportState);
}

#[derive(Serialize, ToSchema)]
#[schema(as = SentReport)]
pub struct SentReport {
    /// The report's id. A repeated report by the same reporter has the id of the first report.
    pub uuid: Uuid,
}

view! {
    /// A report. Only operators see who sent it.
    #[derive(Serialize, ToSchema)]
    pub struct Report<'a>(report: &'a report::Report) {
        uuid: Uuid = report.id.uuid(),
        /// `acted`: the posting was rejected or removed. `dismissed`: it stays as it is.
        state: ReportState = ReportState(report.state()),
        /// When the report was decided; `null` before.
        #[schema(value_type = Option<OffsetDateTime>)]
        decided_at: Option<Timestamp> = report.decision.as_ref().map(|it| Timestamp(it.at)),
        /// The answer to the reporter; `null` before the decision.
        #[schema(max_length = 1000)]
        sentence: Option<&'a str> = report.decision.as_ref().map(|it| it.sentence.as_str()),
    }
}

view! {
    /// A report as operators see it.
    #[derive(Serialize)]
    pub struct ReportOfOperator<'a>(report: &'a report::Report) {
        #[serde(flatten)]
        report: Report<'a> = Report::new(report),
        posting: Uuid = report.posting.uuid(),
        unique_source_identifier: &'a str = report.source_identifier.as_str(),
        reason: ReportReason = ReportReason(report.reason),
        statement: &'a str = &report.statement,
        url: Option<&'a str> = report.url.as_deref(),
        reporter: Option<ReporterView<'a>> = report.reporter.as_ref().map(ReporterView::new),
        at: Timestamp = Timestamp(report.at),
        decided_by: Option<&'a str> = report.decision.as_ref().map(|it| it.by.as_str()),
    }
}

view! {
    /// An objection that waits, as operators see it.
    #[derive(Serialize)]
    pub struct ObjectionOfOperator<'a>(objection: &'a report::WaitingObjection) {
        posting: Uuid = objection.posting.uuid(),
        unique_source_identifier: &'a str = objection.source_identifier.as_str(),
        at: Timestamp = Timestamp(objection.at),
    }
}

view! {
    #[derive(Serialize)]
    struct ReporterView<'a>(reporter: &'a Reporter) {
        name: Option<&'a str> = reporter.name.as_deref(),
        email: &'a str = &reporter.email,
    }
}

view! {
    /// A statement, as a row of a transparency report.
    #[derive(Serialize)]
    pub struct StatementView<'a>(statement: &'a Statement) {
        date: String = day::write(statement.at.date()),
        outcome: &'static str = statement.outcome.as_str(),
        ground: &'static str = statement.ground.as_str(),
        code: &'a str = statement.code.as_str(),
        automated: bool = statement.code.is_automated(),
        by_notice: bool = statement.by_notice,
        objection: Option<&'static str> = statement.objection.map(domain::posting::ObjectionState::as_str),
    }
}
