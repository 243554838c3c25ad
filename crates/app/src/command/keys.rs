//! `posthaste keys`: the keys that sign access tokens.

use std::process::ExitCode;

use adapters_http::oauth::{KeyFolder, KeyId};
use anyhow::bail;
use uuid::Uuid;

use crate::{
    cli::{DataDirArgs, KeysCommand},
    clock, output,
};

/// Carries out a command.
pub fn run(command: &KeysCommand) -> anyhow::Result<ExitCode> {
    match command {
        KeysCommand::Generate(args) => output::print(generate(&folder(args))?)?,
        KeysCommand::List(args) => list(&folder(args))?,
        KeysCommand::Retire(args) => retire(&folder(&args.data_dir), args.id)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Makes a key in a folder that has none. Says whether it did.
pub fn ensure(folder: &KeyFolder) -> anyhow::Result<bool> {
    if !folder.list()?.keys().is_empty() {
        return Ok(false);
    }
    generate(folder)?;
    Ok(true)
}

fn folder(args: &DataDirArgs) -> KeyFolder {
    KeyFolder::new(args.keys())
}

fn generate(folder: &KeyFolder) -> anyhow::Result<KeyId> {
    let id = KeyId::new(Uuid::now_v7())?;
    folder.generate(id)?;
    Ok(id)
}

fn list(folder: &KeyFolder) -> anyhow::Result<()> {
    let keys = folder.list()?;
    for problem in keys.problems() {
        tracing::warn!(problem, "a token signing key cannot be used");
    }
    let signing = keys.signing(clock::now()).map(|key| key.id());
    let mut table = output::table(["KEY", "CREATED", "USE"]);
    for id in keys.keys().iter().map(|key| key.id()) {
        let usage = if Some(id) == signing {
            "signs and verifies"
        } else {
            "verifies"
        };
        table.add_row([
            id.to_string(),
            output::time(id.created_at()),
            usage.to_owned(),
        ]);
    }
    output::print(table)
}

fn retire(folder: &KeyFolder, id: KeyId) -> anyhow::Result<()> {
    if !folder.retire(id)? {
        bail!("there is no key {id}; `posthaste keys list` shows those there are");
    }
    if folder.list()?.keys().is_empty() {
        tracing::warn!(
            "no key is left: no tokens can be given out until `posthaste keys generate`"
        );
    }
    output::print(format_args!(
        "Retired {id}; what it signed is refused within 10 seconds."
    ))
}
