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
    cli::{JsonArgs, StoreArgs},
    output, text,
};

/// Rows in memory at a time.
pub const PAGE: usize = 1_000;

/// List what waits or is being worked on, oldest first
#[derive(Debug, Args)]
pub struct List {
    /// List what was given up instead
    #[arg(long, env = "POSTHASTE_OUTBOX_DEAD")]
    dead: bool,

    /// List so many at most
    #[arg(
        long,
        value_name = "ROWS",
        env = "POSTHASTE_OUTBOX_LIMIT",
        default_value_t = 100
    )]
    limit: usize,
    #[command(flatten)]
    json: JsonArgs,
    #[command(flatten)]
    store: StoreArgs,
}

impl List {
    pub async fn run(self) -> anyhow::Result<()> {
        let database = self.store.open().await?;
        let listing = Listing {
            dead: self.dead,
            limit: self.limit,
            as_json: self.json.enabled,
        };
        listing.print(&*database.outbox, output::print).await?;
        if !self.json.enabled {
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
    const COLUMNS: &'static [(&'static str, usize)] = &[
        ("ID", 8),
        ("KIND", 8),
        ("TRIES", 5),
        ("NEXT (UTC)", 16),
        ("KEY", 36),
    ];

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

/// What is listed, and how.
pub(super) struct Listing {
    pub dead: bool,
    pub limit: usize,
    pub as_json: bool,
}

impl Listing {
    /// Prints the list page by page.
    pub async fn print(
        &self,
        outbox: &dyn Outbox,
        mut print: impl FnMut(String) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let mut list = output::List::new(self.as_json, &mut print);
        let (mut after, mut why) = (None, None);
        while list.shown() < self.limit {
            let size = (self.limit - list.shown()).min(PAGE);
            let page = outbox.list(self.dead, after, size).await?;
            if !page.is_empty() {
                list.page(&page.iter().map(Row::new).collect::<Vec<_>>())?;
            }
            if !self.dead {
                why = why.or_else(|| tasks::hint(&page, clock::now()));
            }
            after = page.last().map(|task| task.id).or(after);
            if page.len() < size {
                break;
            }
        }
        let nothing = if self.limit == 0 {
            ""
        } else if self.dead {
            "Nothing was given up."
        } else {
            "Nothing waits."
        };
        let more = self.more(outbox, list.shown(), after).await?;
        list.end(nothing, more)?;
        match why {
            Some(why) if !self.as_json => print(format!("\n{why}")),
            _ => Ok(()),
        }
    }

    /// A line with the number of tasks that were not shown.
    async fn more(
        &self,
        outbox: &dyn Outbox,
        shown: usize,
        after: Option<TaskId>,
    ) -> anyhow::Result<Option<String>> {
        if outbox.list(self.dead, after, 1).await?.is_empty() {
            return Ok(None);
        }
        let counts = outbox.backlog(&workers::kinds::ALL).await?;
        let counts = counts
            .iter()
            .map(|of| if self.dead { of.dead } else { of.waiting });
        let most = MOST_COUNTED as u64;
        let at_least = if counts.clone().any(|count| count >= most) {
            "at least "
        } else {
            ""
        };
        let more = counts.sum::<u64>().saturating_sub(shown as u64).max(1);
        Ok(Some(format!(
            "and {at_least}{more} more; `--limit` takes a larger number of rows"
        )))
    }
}
