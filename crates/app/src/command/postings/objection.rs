use clap::Args;
use domain::usecase::{self, ObjectionAnswer};
use kernel::{SourceIdentifier, Version};
use runtime::{COMMAND_PATIENCE, clock, decide_again};

use super::{open, resolve};
use crate::{
    args::{ChangeArgs, LifetimeArgs, values},
    output, text,
};

#[derive(Debug, Args)]
pub struct ObjectionArgs {
    /// The posting's unique source identifier, or its UUID
    #[arg(value_name = "ID", value_parser = values::source_identifier)]
    id: SourceIdentifier,

    /// The answer, which the integrator reads
    #[arg(long, value_name = "REASON", value_parser = values::reason)]
    reason: String,

    /// Only if the posting still has this version, which `postings show --json` gives
    #[arg(long, value_name = "N")]
    version: Option<Version>,
    #[command(flatten)]
    lifetime: LifetimeArgs,
    #[command(flatten)]
    change: ChangeArgs,
}

pub async fn answer(args: ObjectionArgs, reverses: bool) -> anyhow::Result<()> {
    let (by, database, activities) = open(&args.change).await?;
    let id = resolve(&*database.store, &args.id).await?;
    let answer = ObjectionAnswer {
        reverses,
        sentence: args.reason,
    };
    let ports = (&*database.store, &*database.postings);
    let (seen, lifetime) = (args.version, args.lifetime.lifetime);
    let attempt =
        || usecase::answer_objection(ports, &id, &answer, seen, &by, lifetime, clock::now());
    let posting = decide_again(COMMAND_PATIENCE, attempt).await?;
    activities.write(&*database.activity).await;
    let (name, status) = (text::plain(id.as_str()), posting.status());
    output::print(format!("{name} is {status}."))
}
