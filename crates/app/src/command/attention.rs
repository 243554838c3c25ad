use std::process::ExitCode;

use clap::Args;
use views::attention::{Item, Pages};

use crate::{
    args::{ConsoleUrlArgs, JsonArgs, StoreArgs, exit_code},
    output,
};

/// Show what needs attention, oldest first
///
/// A worker checks every 20 seconds. Ends with exit code 1 if there is any item
#[derive(Debug, Args)]
pub struct Attention {
    #[command(flatten)]
    json: JsonArgs,
    #[command(flatten)]
    console: ConsoleUrlArgs,
    #[command(flatten)]
    store: StoreArgs,
}

const COLUMNS: &str = "SINCE (UTC)=since  KIND=kind  WHAT=sentence  LINK=link";

impl Attention {
    pub async fn run(self) -> anyhow::Result<ExitCode> {
        let database = self.store.open().await?;
        let stored = database.attention.attention().await?;
        let console = self.console.address().unwrap_or_default();
        let items = stored.items.iter();
        let items: Vec<_> = items
            .map(|item| Item::new(item, Pages::Console(&console)))
            .collect();
        let mut list = output::List::new(self.json.enabled, COLUMNS, output::print);
        list.page(&items)?;
        let nothing = if stored.checked_at.is_some() {
            "All is well: nothing needs attention."
        } else {
            "No worker has checked yet."
        };
        list.end(nothing, None)?;
        Ok(exit_code(items.is_empty()))
    }
}
