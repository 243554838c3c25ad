use diesel::sql_types::{BigInt, Bool, Nullable, Text};
use domain::{
    posting::{Decision, ObjectionState, Statement},
    report::{
        MOST_OF_POSTING, MOST_OF_REPORTER, MOST_WAITING, Report, ReportDecision, ReportState,
        ReportWrite, Reporter, Standing, StatementPosition, Waiting, WaitingObjection,
    },
    store::Erasure,
};
use kernel::{PostingId, ReportId, StoreError};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    binds, each, entity,
    entity::row,
    executor::{Executor, Outcome, counted, first, values},
    sql::count_of,
    statement,
    stored::{Decode, decode, decoded, most},
    types::{Id, Moment, StoredTime},
};

entity! {
    ReportRow = reports of Report {
        fixed {
            id: Id = Id(|report| Some(report.id.uuid())),
            posting_id: Id = Id(|report| Some(report.posting.uuid())),
            source_identifier: Text = Text(|report| Some(report.source_identifier.as_str())),
            reason: Text = Text(|report| Some(report.reason.as_str())),
            statement: Text = Text(|report| Some(&report.statement)),
            url: Nullable<Text> = Text(|report| report.url.as_deref()),
            reporter_name: Nullable<Text> = Text(|report| {
                report.reporter.as_ref()?.name.as_deref()
            }),
            reporter_email: Nullable<Text> = Text(|report| {
                Some(&report.reporter.as_ref()?.email)
            }),
            at: Moment = Time(|report| Some(report.at)),
        }
        changing {
            state: Text = Text(|report| Some(report.state().as_str())),
            decided_at: Nullable<Moment> = Time(|report| Some(report.decision.as_ref()?.at)),
            decided_by: Nullable<Text> = Text(|report| {
                Some(report.decision.as_ref()?.by.as_str())
            }),
            sentence: Nullable<Text> = Text(|report| Some(&report.decision.as_ref()?.sentence)),
        }
    }
}

impl TryFrom<ReportRow> for Report {
    type Error = StoreError;

    fn try_from(row: ReportRow) -> Result<Self, StoreError> {
        let state: ReportState = row.state.decode("reports.state")?;
        let by = row.decided_by.decode("reports.decided_by")?;
        let decided_at = row.decided_at.decode("reports.decided_at")?;
        let decision = decided_at.zip(by).zip(row.sentence);
        let reporter = row.reporter_email.map(|email| Reporter {
            name: row.reporter_name,
            email,
        });
        let decision = decision.map(|((at, by), sentence)| ReportDecision {
            acted: state == ReportState::Acted,
            at,
            by,
            sentence,
        });
        Ok(decoded!(row of reports => Self {
            id, posting: posting_id, source_identifier, reason, statement, url, at;
            reporter,
            decision,
        }))
    }
}

entity! {
    StatementRow = statements of Statement {
        fixed {
            posting_id: Id = Id(|statement| Some(statement.posting.uuid())),
            at: Moment = Time(|statement| Some(statement.at)),
        }
        changing {
            outcome: Text = Text(|statement| Some(statement.outcome.as_str())),
            ground: Text = Text(|statement| Some(statement.ground.as_str())),
            code: Text = Text(|statement| Some(statement.code.as_str())),
            by_notice: Bool = Bool(|statement| statement.by_notice),
            objection: Nullable<Text> = Text(|statement| {
                statement.objection.map(ObjectionState::as_str)
            }),
        }
    }
}

decode! { row: StatementRow of statements => Statement {
    posting: posting_id, at, outcome, ground, code, by_notice, objection,
} }

statement! {
    Insert = every "INSERT INTO reports ({reports}) {reports rows} ON CONFLICT DO NOTHING",
    over [ReportRow];

    End = every r"
        UPDATE reports SET {reports.changing = sent} FROM {reports given}
        WHERE reports.id = sent.id AND reports.state = 'waiting'",
    over [ReportRow]
}

/// Writes a commit's reports. A conflict if a new report exists, or a decided report does not wait.
pub async fn write(conn: &mut impl Executor, writes: &[ReportWrite]) -> Outcome<()> {
    let (new, decided): (Vec<&ReportWrite>, Vec<_>) = writes
        .iter()
        .partition(|write| matches!(write, ReportWrite::New(_)));
    let [new, decided] = [new, decided].map(|writes| {
        let reports = writes.into_iter().map(ReportWrite::report);
        reports.map(row::<ReportRow>).collect::<Vec<_>>()
    });
    conn.execute_every::<Insert>(&new, &[]).await?;
    conn.execute_every::<End>(&decided, &[]).await
}

statement! {
    EraseTexts = "UPDATE reports SET statement = '', url = NULL WHERE posting_id = :posting"
}

pub async fn erase(conn: &mut impl Executor, erasure: &Erasure) -> Outcome<()> {
    let posting = binds! { posting: erasure.posting.uuid() };
    conn.execute::<EraseTexts>(posting).await?;
    let statement: Vec<_> = erasure.statement.iter().map(row::<StatementRow>).collect();
    conn.execute_each::<Record>(&statement, &[]).await?;
    Ok(())
}

statement! {
    Record = r"
        INSERT INTO statements ({statements}) {statements rows}
        ON CONFLICT (at, posting_id) DO UPDATE SET {statements.changing = excluded}",
    over [StatementRow];

    Contest = r"
        UPDATE statements SET objection = sent.objection
        FROM {given posting uuid, against timestamptz, objection text}
        WHERE posting_id = sent.posting AND at = sent.against"
}

pub(crate) async fn write_statements(
    conn: &mut impl Executor,
    decisions: &[(PostingId, Decision)],
) -> Outcome<()> {
    let of = |(id, decision): &(PostingId, Decision)| decision.record(*id);
    let statements: Vec<_> = decisions.iter().filter_map(of).collect();
    let rows: Vec<_> = statements.iter().map(row::<StatementRow>).collect();
    conn.execute_each::<Record>(&rows, &[]).await?;
    let objections = decisions.iter();
    let objections = objections.filter_map(|(id, it)| Some((id, it.objection.as_ref()?)));
    let rows = each! { objections, (id, objection) =>
        posting: id.uuid(),
        against: objection.against,
        objection: objection.state.as_str(),
    };
    conn.execute_each::<Contest>(&rows, &[]).await?;
    Ok(())
}

statement! {
    Find = "SELECT {reports} FROM reports WHERE id = :id",
    returns ReportRow
}

pub async fn report(conn: &mut impl Executor, id: ReportId) -> Outcome<Option<Report>> {
    first(conn.load::<Find>(binds! { id: id.uuid() }).await?)
}

statement! {
    Same = "SELECT id FROM reports WHERE reporter_email = :email AND posting_id = :posting",
    returns (Id,);

    OfReporter = &count_of("reports WHERE reporter_email = :email AND at >= :since"),
    returns (BigInt,);

    OfPosting = &count_of("reports WHERE posting_id = :posting AND state = 'waiting'"),
    returns (BigInt,);

    CountWaiting = &count_of("reports WHERE state = 'waiting'"),
    returns (BigInt,)
}

pub async fn standing(
    conn: &mut impl Executor,
    posting: PostingId,
    email: Option<&String>,
    since: OffsetDateTime,
) -> Outcome<Standing> {
    let (mut same, mut of_reporter) = (None, 0);
    if let Some(email) = email {
        let (posting, limit) = (posting.uuid(), most(MOST_OF_REPORTER));
        let asked = binds! { email, posting, since, limit };
        let found = conn.load::<Same>(asked).await?;
        let id = found.into_iter().next().map(|(id,)| id);
        same = id.decode("reports.id")?;
        of_reporter = counted(&conn.load::<OfReporter>(asked).await?);
    }
    let asked = binds! { posting: posting.uuid(), limit: most(MOST_OF_POSTING) };
    let of_posting = counted(&conn.load::<OfPosting>(asked).await?);
    Ok(Standing {
        same,
        of_reporter,
        of_posting,
        waiting: count(conn).await?,
    })
}

async fn count(conn: &mut impl Executor) -> Outcome<usize> {
    let asked = binds! { limit: most(MOST_WAITING) };
    Ok(counted(&conn.load::<CountWaiting>(asked).await?))
}

statement! {
    WaitingOf = r"
        SELECT {reports} FROM reports WHERE posting_id = {each posting} AND state = 'waiting'",
    returns ReportRow
}

pub async fn waiting_reports(
    conn: &mut impl Executor,
    postings: &[PostingId],
) -> Outcome<Vec<Report>> {
    let postings = each! { postings, id => posting: id.uuid() };
    let rows = conn.load_each::<WaitingOf>(&postings, &[]).await?;
    let mut reports: Vec<Report> = values(rows)?;
    reports.sort_by_key(|report| (report.at, report.id));
    Ok(reports)
}

statement! {
    InState = r"
        SELECT {reports} FROM reports WHERE state = :state AND (at, id) > (:at, :id)
        ORDER BY at, id LIMIT :limit",
    returns ReportRow
}

pub async fn reports(
    conn: &mut impl Executor,
    state: ReportState,
    after: Option<(OffsetDateTime, ReportId)>,
    limit: usize,
) -> Outcome<Vec<Report>> {
    let (at, id) = match after {
        Some((at, id)) => (at.into(), id.uuid()),
        None => (StoredTime::MIN, Uuid::nil()),
    };
    let asked = binds! { state: state.as_str(), at, id, limit: most(limit) };
    values(conn.load::<InState>(asked).await?)
}

pub async fn count_waiting(conn: &mut impl Executor) -> Outcome<Waiting> {
    let oldest = reports(conn, ReportState::Waiting, None, 1).await?;
    Ok(Waiting {
        count: count(conn).await?,
        since: oldest.first().map(|report| report.at),
    })
}

statement! {
    Forget = r"
        UPDATE reports SET reporter_name = NULL, reporter_email = NULL
        WHERE id IN (
            SELECT id FROM reports
            WHERE reporter_email IS NOT NULL AND decided_at IS NOT NULL AND decided_at < :before
            ORDER BY decided_at, id LIMIT :limit
        )"
}

pub async fn forget_reporters(
    conn: &mut impl Executor,
    before: OffsetDateTime,
    limit: usize,
) -> Outcome<usize> {
    let asked = binds! { before, limit: most(limit) };
    conn.execute::<Forget>(asked).await
}

fn statements_from(start: &str) -> String {
    format!(
        "SELECT {{statements}} FROM statements WHERE {start} ORDER BY at, posting_id LIMIT :limit"
    )
}

statement! {
    Statements = &statements_from("(at, posting_id) > (:at, :id)"), returns StatementRow;
    StatementsSince = &statements_from("at >= :since"), returns StatementRow
}

pub async fn statements(
    conn: &mut impl Executor,
    since: OffsetDateTime,
    after: Option<StatementPosition>,
    limit: usize,
) -> Outcome<Vec<Statement>> {
    let limit = most(limit);
    let after = after.filter(|(at, _)| *at >= since);
    let since = binds! { since, limit };
    values(match after {
        Some((at, id)) => {
            let asked = binds! { at, id: id.uuid(), limit };
            conn.load::<Statements>(asked).await
        }
        None => conn.load::<StatementsSince>(since).await,
    }?)
}

statement! {
    Contested = r"
        SELECT posting_id, source_identifier, objection_waits_since
        FROM posting_decisions JOIN postings ON postings.id = posting_id
        WHERE objection_waits_since IS NOT NULL
        ORDER BY objection_waits_since, posting_id LIMIT :limit",
    returns (Id, Text, Nullable<Moment>)
}

pub async fn waiting_objections(
    conn: &mut impl Executor,
    limit: usize,
) -> Outcome<Vec<WaitingObjection>> {
    const COLUMN: &str = "posting_decisions.objection_waits_since";
    let asked = binds! { limit: most(limit) };
    let rows = conn.load::<Contested>(asked).await?;
    let mut waiting = Vec::with_capacity(rows.len());
    for (id, identifier, at) in rows {
        waiting.push(WaitingObjection {
            posting: id.decode("posting_decisions.posting_id")?,
            source_identifier: identifier.decode("postings.source_identifier")?,
            at: at.decode(COLUMN)?.unwrap_or(OffsetDateTime::UNIX_EPOCH),
        });
    }
    Ok(waiting)
}
