//! `posthaste outbox list`.

use clap::Args;
use kernel::outbox::{MOST_COUNTED, Outbox, TaskId, TaskRow};
use newsletter::{
    store::{AccountState, Accounts},
    subscriber::Account,
    tasks,
};
use runtime::clock;
use serde::Serialize;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    cli::{ListArgs, StoreArgs},
    output, text,
};

/// Rows in memory at a time.
pub const PAGE: usize = 1_000;

/// List what waits or is being worked on, oldest first
#[derive(Debug, Args)]
pub struct List {
    /// List what was given up instead
    #[arg(long)]
    dead: bool,
    #[command(flatten)]
    rows: ListArgs,
    #[command(flatten)]
    store: StoreArgs,
}

impl List {
    pub async fn run(self) -> anyhow::Result<()> {
        let database = self.store.open().await?;
        print(&*database.outbox, self.dead, &self.rows, output::print).await?;
        if !self.rows.json.enabled {
            for pause in pauses(&*database.accounts).await? {
                output::print(pause)?;
            }
        }
        Ok(())
    }
}

/// A task as JSON.
#[derive(Debug, Serialize)]
pub(super) struct Row<'a> {
    id: i64,
    pub(super) kind: &'a str,
    pub(super) key: Uuid,
    attempts: u32,
    next_at: String,
    last_error: Option<&'a str>,
}

impl<'a> Row<'a> {
    pub(super) fn new(task: &'a TaskRow) -> Self {
        Self {
            id: task.id.0,
            kind: task.kind.as_str(),
            key: task.key,
            attempts: task.attempts,
            next_at: output::time(task.next_at),
            last_error: task.last_error.as_deref(),
        }
    }
}

impl output::Row for Row<'_> {
    const HEADINGS: &'static str = "ID  KIND  TRIES  NEXT (UTC)  KEY";
    const WIDTHS: &'static [usize] = &[8, 8, 5, 16, 36];

    fn cells(&self) -> Vec<String> {
        vec![
            self.id.to_string(),
            self.kind.to_owned(),
            self.attempts.to_string(),
            output::to_the_minute(&self.next_at),
            self.key.to_string(),
        ]
    }

    fn below(&self) -> Option<String> {
        self.last_error.map(ToOwned::to_owned)
    }
}

/// A line for each paused account of the e-mail provider, whose tasks have to wait.
async fn pauses(accounts: &dyn Accounts) -> anyhow::Result<Vec<String>> {
    let mut pauses = Vec::new();
    for &account in Account::ALL {
        let state = accounts.account_state(account).await?;
        pauses.extend(pause(account, &state, clock::now()));
    }
    Ok(pauses)
}

pub(super) fn pause(account: Account, state: &AccountState, now: OffsetDateTime) -> Option<String> {
    let pause = state.pause(account, now, output::minute);
    pause.map(|pause| text::plain(&pause))
}

/// Prints tasks that wait, or dead letters, page by page.
pub(super) async fn print(
    outbox: &dyn Outbox,
    dead: bool,
    args: &ListArgs,
    mut print: impl FnMut(String) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut list = output::List::new(args.json.enabled, &mut print);
    let (mut after, mut why) = (None, None);
    while list.shown() < args.limit {
        let size = (args.limit - list.shown()).min(PAGE);
        let page = outbox.list(dead, after, size).await?;
        if !page.is_empty() {
            list.page(&page.iter().map(Row::new).collect::<Vec<_>>())?;
        }
        if !dead {
            why = why.or_else(|| tasks::hint(&page, clock::now()));
        }
        after = page.last().map(|task| task.id).or(after);
        if page.len() < size {
            break;
        }
    }
    let nothing = match (args.limit, dead) {
        (0, _) => "",
        (_, true) => "Nothing was given up.",
        (_, false) => "Nothing waits.",
    };
    let more = more(outbox, dead, list.shown(), after).await?;
    list.end(nothing, more)?;
    match why {
        Some(why) if !args.json.enabled => print(format!("\n{why}")),
        _ => Ok(()),
    }
}

/// A line with the number of tasks that were not shown.
async fn more(
    outbox: &dyn Outbox,
    dead: bool,
    shown: usize,
    after: Option<TaskId>,
) -> anyhow::Result<Option<String>> {
    if outbox.list(dead, after, 1).await?.is_empty() {
        return Ok(None);
    }
    let counts = outbox.backlog(&workers::KINDS).await?;
    let counts = counts
        .iter()
        .map(|of| if dead { of.dead } else { of.waiting });
    let most = MOST_COUNTED as u64;
    let is_least = counts.clone().any(|count| count >= most);
    let at_least = if is_least { "at least " } else { "" };
    let more = counts.sum::<u64>().saturating_sub(shown as u64).max(1);
    Ok(Some(format!(
        "and {at_least}{more} more; `--limit` takes a larger number of rows"
    )))
}
