use std::collections::BTreeSet;

use anyhow::bail;
use clap::Args;
use kernel::{
    audit::{Entry, OUTBOX_RETRY},
    outbox::{Dismissal, Outbox, Revive, TaskId},
};
use runtime::clock;
use time::OffsetDateTime;

use super::list::PAGE;
use crate::{
    args::{ChangeArgs, values::reason},
    output,
};

// The dead side effects that a command is about. Not a doc comment: clap would show it as help.
#[derive(Debug, Args)]
struct DeadArgs {
    /// Ids of dead side effects, as `outbox list --dead` shows them
    #[arg(
        value_name = "ID",
        required_unless_present = "all_dead",
        value_parser = task_id
    )]
    ids: Vec<i64>,

    /// All dead side effects
    #[arg(long, conflicts_with = "ids")]
    all_dead: bool,
}

fn task_id(text: &str) -> Result<i64, String> {
    let id = text.trim().parse();
    id.map_err(|_| format!("{text:?} is not the number of a side effect"))
}

impl DeadArgs {
    fn selection(self) -> Revive {
        if self.all_dead {
            return Revive::All;
        }
        let unique: BTreeSet<_> = self.ids.into_iter().map(TaskId).collect();
        Revive::Tasks(unique.into_iter().collect())
    }
}

/// Retry dead side effects
#[derive(Debug, Args)]
#[command(override_usage = "posthaste outbox retry [OPTIONS] <ID>...\n       \
                            posthaste outbox retry [OPTIONS] --all-dead")]
pub struct Retry {
    #[command(flatten)]
    dead: DeadArgs,
    #[command(flatten)]
    change: ChangeArgs,
}

impl Retry {
    pub async fn run(self) -> anyhow::Result<()> {
        let (by, database) = self.change.open().await?;
        let (selection, now) = (self.dead.selection(), clock::now());
        let entry = by.entry(OUTBOX_RETRY, now);
        output::print(revive(&*database.outbox, &selection, &entry, now).await?)
    }
}

pub(super) async fn revive(
    outbox: &dyn Outbox,
    selection: &Revive,
    entry: &Entry,
    now: OffsetDateTime,
) -> anyhow::Result<String> {
    let revived = outbox.revive(selection, Some(entry), now).await?;
    if let Revive::Tasks(named) = selection
        && revived < named.len() as u64
    {
        bail!(
            "due again: {revived} of {}; the others are not dead, see \
             `posthaste outbox list --dead`",
            named.len()
        );
    }
    Ok(format!("Due again: {revived}."))
}

/// Delete dead side effects: they never happen. The audit names each of them
#[derive(Debug, Args)]
#[command(
    override_usage = "posthaste outbox dismiss --reason <REASON> [OPTIONS] <ID>...\n       \
                            posthaste outbox dismiss --reason <REASON> [OPTIONS] --all-dead"
)]
pub struct Dismiss {
    #[command(flatten)]
    dead: DeadArgs,

    /// The reason, for the audit
    #[arg(long, value_name = "REASON", value_parser = reason)]
    reason: String,
    #[command(flatten)]
    change: ChangeArgs,
}

impl Dismiss {
    pub async fn run(self) -> anyhow::Result<()> {
        let (by, database) = self.change.open().await?;
        let dismissal = Dismissal {
            by,
            reason: self.reason,
            at: clock::now(),
        };
        let selection = self.dead.selection();
        output::print(remove(&*database.outbox, &selection, &dismissal).await?)
    }
}

/// Dismisses dead letters, one page per commit, and reports their number.
pub(super) async fn remove(
    outbox: &dyn Outbox,
    selection: &Revive,
    dismissal: &Dismissal,
) -> anyhow::Result<String> {
    let mut dismissed = 0;
    match selection {
        Revive::Tasks(named) => {
            for page in named.chunks(PAGE) {
                dismissed += outbox.dismiss(page, dismissal).await?;
            }
            if dismissed < named.len() as u64 {
                bail!(
                    "dismissed: {dismissed} of {}; the others are not dead and stay, see \
                     `posthaste outbox list`",
                    named.len()
                );
            }
        }
        Revive::All => loop {
            let dead = outbox.list(true, None, PAGE).await?;
            let ids: Vec<_> = dead.iter().map(|task| task.id).collect();
            let removed = outbox.dismiss(&ids, dismissal).await?;
            dismissed += removed;
            if removed == 0 {
                break;
            }
        },
    }
    Ok(format!("Dismissed: {dismissed}."))
}
