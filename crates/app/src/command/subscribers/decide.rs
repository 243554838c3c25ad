//! `posthaste subscribers suppress`, `reinstate`, `rotate-token` and `erase`.

use clap::Args;
use newsletter::usecase::{PersonCommand, PersonRef, decide_about_person};
use runtime::{COMMAND_PATIENCE, clock, decide_again};
use tokens::new_subscriber;

use crate::{
    args::{ChangeArgs, values},
    output,
};

// Not a doc comment: clap would show it as the help of the commands.
#[derive(Debug, Args)]
pub struct DecideArgs {
    /// The address, or a subscriber's UUID; an address that is not stored can be suppressed
    #[arg(value_name = "EMAIL", value_parser = values::person)]
    person: PersonRef,

    /// The reason, for the audit
    #[arg(long, value_name = "REASON", value_parser = values::reason)]
    reason: String,
    #[command(flatten)]
    change: ChangeArgs,
}

pub async fn with_reason(
    args: DecideArgs,
    command: fn(String) -> PersonCommand,
) -> anyhow::Result<()> {
    decide(&args.person, &command(args.reason), &args.change).await
}

/// Erase a subscriber here and in both accounts of the e-mail provider
///
/// The person is unknown here at once; a worker with the accounts' keys erases them in both
/// accounts. If the person wanted no mail, a hash of the address is kept, so that they get no mail
/// later. This cannot be undone
#[derive(Debug, Args)]
pub struct Erase {
    /// The subscriber's address or UUID
    #[arg(value_name = "EMAIL", value_parser = values::person)]
    person: PersonRef,
    #[command(flatten)]
    change: ChangeArgs,
}

impl Erase {
    pub async fn run(self) -> anyhow::Result<()> {
        decide(&self.person, &PersonCommand::Erase, &self.change).await
    }
}

async fn decide(
    person: &PersonRef,
    command: &PersonCommand,
    change: &ChangeArgs,
) -> anyhow::Result<()> {
    let (by, database) = change.open().await?;
    let (store, new) = (&*database.newsletter, new_subscriber());
    let attempt = || decide_about_person(store, person, command, new.clone(), &by, clock::now());
    output::print(decide_again(COMMAND_PATIENCE, attempt).await?)
}
