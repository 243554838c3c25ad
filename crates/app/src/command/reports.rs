use clap::Args;
use domain::{
    posting::moderation::Moderation,
    report::{Report, ReportState},
    usecase::{self, ModerationError},
};
use kernel::ReportId;
use runtime::{COMMAND_PATIENCE, clock, decide_again};
use stores::Stores;
use uuid::Uuid;
use views::report::{ObjectionOfOperator, ReportOfOperator};

use crate::{
    args::{ChangeArgs, GroundArgs, JsonArgs, LifetimeArgs, ListArgs, StoreArgs, values},
    output,
};

commands! {
    /// Show reports of readers, and answer them
    Reports {
        List(List),
        Show(Show),
        Act(Act),
        Dismiss(Dismiss),
    }
}

/// List reports or objections, the oldest first
#[derive(Debug, Args)]
pub struct List {
    /// Only reports of this state: `waiting`, `dismissed` or `acted`
    #[arg(
        long,
        value_name = "STATE",
        default_value = "waiting",
        value_parser = values::named(ReportState::NAMES, |text| {
            ReportState::parse(text.trim()).ok_or_else(|| format!("{text:?} is not a state"))
        })
    )]
    state: ReportState,

    /// Objections of clients that wait for an answer, instead of reports
    #[arg(long, conflicts_with = "state")]
    objections: bool,
    #[command(flatten)]
    rows: ListArgs,
    #[command(flatten)]
    store: StoreArgs,
}

const COLUMNS: &str = "REPORT=uuid  SENT (UTC)=at  STATE=state  POSTING=unique_source_identifier  \
                       REASON=reason  STATEMENT=statement";

const OBJECTIONS: &str = "SENT (UTC)=at  POSTING=unique_source_identifier";

const FIELDS: &str = "uuid  state  unique_source_identifier  posting  reason  statement  url=none  \
                      reporter?/name=unknown  reporter?/email=unknown  at  decided_at=never  \
                      decided_by  sentence";

impl List {
    pub async fn run(self) -> anyhow::Result<()> {
        let database = self.store.open().await?;
        let most = self.rows.most();
        if self.objections {
            let mut all = database.reports.waiting_objections(most).await?;
            let more = self.rows.cut(&mut all);
            let rows: Vec<_> = all.iter().map(ObjectionOfOperator::new).collect();
            return self
                .rows
                .print(OBJECTIONS, &rows, "No objection waits.", more);
        }
        let mut all = database.reports.reports(self.state, None, most).await?;
        let more = self.rows.cut(&mut all);
        let rows: Vec<_> = all.iter().map(ReportOfOperator::new).collect();
        self.rows
            .print(COLUMNS, &rows, "There are no such reports.", more)
    }
}

/// Show a report with its reporter
#[derive(Debug, Args)]
pub struct Show {
    /// The report's id
    #[arg(value_name = "ID")]
    id: Uuid,
    #[command(flatten)]
    json: JsonArgs,
    #[command(flatten)]
    store: StoreArgs,
}

impl Show {
    pub async fn run(self) -> anyhow::Result<()> {
        let database = self.store.open().await?;
        let report = find(&database, ReportId::new(self.id)).await?;
        self.json.record(&ReportOfOperator::new(&report), FIELDS)
    }
}

async fn find(database: &Stores, id: ReportId) -> anyhow::Result<Report> {
    let found = database.reports.report(id).await?;
    Ok(found.ok_or(ModerationError::NoReport)?)
}

#[derive(Clone, Copy, Debug)]
enum Verdict {
    Reject,
    Expire,
}

/// Reject or take down the reported posting, and answer all waiting reports about it
#[derive(Debug, Args)]
pub struct Act {
    /// The report's id
    #[arg(value_name = "ID")]
    id: Uuid,

    /// The decision about the posting: `reject` or `expire`
    #[arg(
        long,
        value_name = "VERDICT",
        value_parser = values::one_of(&[("reject", Verdict::Reject), ("expire", Verdict::Expire)])
    )]
    verdict: Verdict,

    /// The reason, which the integrator and the reporters read
    #[arg(long, value_name = "REASON", value_parser = values::reason)]
    reason: String,
    #[command(flatten)]
    ground: GroundArgs,
    #[command(flatten)]
    lifetime: LifetimeArgs,
    #[command(flatten)]
    change: ChangeArgs,
}

impl Act {
    pub async fn run(self) -> anyhow::Result<()> {
        let (by, database) = self.change.open().await?;
        let (reason, ground) = (self.reason, self.ground.ground);
        let verdict = match self.verdict {
            Verdict::Reject => Moderation::Reject { reason, ground },
            Verdict::Expire => Moderation::Expire { reason, ground },
        };
        let ports = (&*database.store, &*database.reports);
        let (id, lifetime) = (ReportId::new(self.id), self.lifetime.lifetime);
        let attempt =
            || usecase::act_on_report(ports, id, &verdict, None, &by, lifetime, clock::now());
        let count = decide_again(COMMAND_PATIENCE, attempt).await?;
        output::print(format!("Answered reports about the posting: {count}."))
    }
}

/// Dismiss a report: the posting stays as it is
#[derive(Debug, Args)]
pub struct Dismiss {
    /// The report's id
    #[arg(value_name = "ID")]
    id: Uuid,

    /// The reason, which the reporter reads
    #[arg(long, value_name = "REASON", value_parser = values::reason)]
    reason: String,
    #[command(flatten)]
    change: ChangeArgs,
}

impl Dismiss {
    pub async fn run(self) -> anyhow::Result<()> {
        let (by, database) = self.change.open().await?;
        let ports = (&*database.store, &*database.reports);
        let (id, reason) = (ReportId::new(self.id), &self.reason);
        let attempt = || usecase::dismiss_report(ports, id, reason, &by, clock::now());
        decide_again(COMMAND_PATIENCE, attempt).await?;
        output::print("The report is dismissed.")
    }
}
