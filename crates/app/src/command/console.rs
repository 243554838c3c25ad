//! `posthaste console`: signs operators in.

use std::process::ExitCode;

use serde_json::json;

use crate::{
    cli::{ConsoleCommand, ConsoleLinkArgs},
    console,
    database::Database,
    misconfigured::Misconfigured,
    output,
};

/// Runs a subcommand.
pub async fn run(command: ConsoleCommand) -> anyhow::Result<ExitCode> {
    match command {
        ConsoleCommand::Link(args) => link(args).await?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn link(args: ConsoleLinkArgs) -> anyhow::Result<()> {
    let by = args.by.attribution()?;
    let url = args.place.address().ok_or_else(|| {
        Misconfigured(
            "POSTHASTE_CONSOLE_BIND is `off`; --console-url takes the address of a console"
                .to_owned(),
        )
    })?;
    let operator = args.signs_in.unwrap_or_else(|| by.operator.clone());
    let database = Database::open(&args.store.database()).await?;
    let link = console::link(&*database.sign_in_tokens, &url, operator, &by).await?;
    if args.json.enabled {
        return output::print_json(&json!({ "url": link }));
    }
    output::print(link)
}
