use adapters_console::LACKS_A_WORKER;
use clap::Args;
use kernel::outbox::{MOST_COUNTED, Outbox, TaskId, TaskRow};
use newsletter::{
    store::{AccountState, Accounts},
    subscriber::Account,
    tasks,
};
use runtime::clock;
use serde_json::{Value, json};
use time::OffsetDateTime;

use crate::{
    args::{ListArgs, StoreArgs},
    output, text,
};

pub const PAGE: usize = 1_000;

/// List waiting and running side effects, oldest first
#[derive(Debug, Args)]
pub struct List {
    /// List dead side effects instead
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

pub fn data(task: &TaskRow) -> Value {
    json!({
        "id": task.id.0,
        "kind": task.kind,
        "key": task.key,
        "attempts": task.attempts,
        "next_at": output::time(task.next_at),
        "last_error": task.last_error,
    })
}

pub(super) const COLUMNS: &str = "ID=id:8  KIND=kind:8  TRIES=attempts:5  NEXT (UTC)=next_at:16  \
                                  KEY=key:36  =last_error:below";

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

pub(super) async fn print(
    outbox: &dyn Outbox,
    dead: bool,
    args: &ListArgs,
    mut print: impl FnMut(String) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut list = output::List::new(args.json.enabled, COLUMNS, &mut print);
    let (mut after, mut why) = (None, None);
    while list.shown() < args.limit {
        let size = (args.limit - list.shown()).min(PAGE);
        let page = outbox.list(dead, after, size).await?;
        if !page.is_empty() {
            list.page(&page.iter().map(data).collect::<Vec<_>>())?;
        }
        if !dead {
            why =
                why.or_else(|| tasks::lack_a_worker(&page, clock::now()).then_some(LACKS_A_WORKER));
        }
        after = page.last().map(|task| task.id).or(after);
        if page.len() < size {
            break;
        }
    }
    let nothing = match (args.limit, dead) {
        (0, _) => "",
        (_, true) => "No side effect is dead.",
        (_, false) => "Nothing waits.",
    };
    let more = more(outbox, dead, list.shown(), after).await?;
    list.end(nothing, more)?;
    match why {
        Some(why) if !args.json.enabled => print(format!("\n{why}")),
        _ => Ok(()),
    }
}

async fn more(
    outbox: &dyn Outbox,
    dead: bool,
    shown: usize,
    after: Option<TaskId>,
) -> anyhow::Result<Option<String>> {
    if outbox.list(dead, after, 1).await?.is_empty() {
        return Ok(None);
    }
    let counts = outbox.backlog(workers::kinds()).await?;
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
