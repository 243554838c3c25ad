use anyhow::bail;
use clap::Args;
use domain::usecase::{self, ModerationError};
use kernel::SourceIdentifier;
use runtime::{COMMAND_PATIENCE, clock, decide_again};

use super::resolve;
use crate::{
    args::{ChangeArgs, GroundArgs, values},
    output, text,
};

/// Erase a posting: delete it with every copy of its texts
///
/// An audit entry remains, and the event `JobPostingErased`, which names the ground. The identifier
/// can be pushed again
#[derive(Debug, Args)]
pub struct Erase {
    /// The posting's unique source identifier, or its UUID
    #[arg(value_name = "ID", value_parser = values::source_identifier)]
    id: SourceIdentifier,

    /// The reason, for the audit, without the data to erase
    #[arg(long, value_name = "REASON", value_parser = values::reason)]
    reason: String,
    #[command(flatten)]
    ground: GroundArgs,
    #[command(flatten)]
    change: ChangeArgs,
}

impl Erase {
    pub async fn run(self) -> anyhow::Result<()> {
        let (by, database) = self.change.open().await?;
        let store = &*database.store;
        let ports = (store, &*database.retention, &*database.reports);
        let id = resolve(store, &self.id).await?;
        let named = text::plain(id.as_str());
        let attempt = || {
            usecase::erase(
                ports,
                &id,
                &self.reason,
                self.ground.ground,
                &by,
                clock::now(),
            )
        };
        match decide_again(COMMAND_PATIENCE, attempt).await {
            Ok(true) => output::print(format!("{named} is erased.")),
            Ok(false) => bail!(
                "{named} is erased, but its words are still in the database's write-ahead log, which \
                 is in use; run the command again, which then finds no posting and empties the log"
            ),
            Err(ModerationError::Rejected(_)) => bail!("there is no posting {named}"),
            Err(error) => Err(error.into()),
        }
    }
}
