//! `posthaste keys`: manages the keys that sign access tokens.

use std::process::ExitCode;

use adapters_http::oauth::{KeyFolder, KeyId};
use anyhow::bail;
use uuid::Uuid;

use crate::{
    cli::{DataDirArgs, KeysCommand},
    clock, embedded,
    misconfigured::Misconfigured,
    output, text,
};

/// Runs a subcommand.
pub fn run(command: &KeysCommand) -> anyhow::Result<ExitCode> {
    match command {
        KeysCommand::Generate(args) => output::print(generate_for(args)?)?,
        KeysCommand::List(args) => list(&folder(args))?,
        KeysCommand::Retire(args) => retire(&folder(&args.data_dir), args.id, args.force)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Makes a key in a folder that has none. Returns whether it did.
pub fn ensure(folder: &KeyFolder) -> anyhow::Result<bool> {
    if !folder.list()?.keys().is_empty() {
        return Ok(false);
    }
    generate(folder)?;
    Ok(true)
}

/// Fails if other users can read or replace the keys, and names the command that mends that.
pub fn refuse_exposed(folder: &KeyFolder) -> anyhow::Result<()> {
    match folder.exposure()? {
        None => Ok(()),
        Some(line) => Err(Misconfigured(line).into()),
    }
}

fn folder(args: &DataDirArgs) -> KeyFolder {
    KeyFolder::new(args.keys())
}

/// Makes a key. The first one may precede the database, which is noted.
fn generate_for(args: &DataDirArgs) -> anyhow::Result<KeyId> {
    let folder = folder(args);
    refuse_exposed(&folder)?;
    let is_first = !folder.path().exists() && !args.default_database().exists();
    let id = generate(&folder)?;
    if is_first {
        embedded::note_first_keys(&args.data_dir)?;
    }
    Ok(id)
}

fn generate(folder: &KeyFolder) -> anyhow::Result<KeyId> {
    let id = KeyId::new(Uuid::now_v7())?;
    folder.generate(id)?;
    Ok(id)
}

/// Lists the keys, and last the files that are no usable key, so that a broken one is not missed.
fn list(folder: &KeyFolder) -> anyhow::Result<()> {
    let keys = folder.list_for_owner()?;
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
    for problem in keys.problems() {
        let name = problem.path().file_name().unwrap_or_default();
        table.add_row([
            text::plain(&name.to_string_lossy()),
            String::new(),
            text::plain(&format!("cannot be used: {}", problem.reason())),
        ]);
    }
    output::print(table)
}

fn retire(folder: &KeyFolder, id: KeyId, force: bool) -> anyhow::Result<()> {
    let is_last = match folder.list_for_owner()?.keys() {
        [last] => last.id() == id,
        _ => false,
    };
    if is_last && !force {
        bail!(
            "{id} is the last key that can be used, and without one no token is given out or \
             accepted; run `posthaste keys generate` first, or add --force"
        );
    }
    if !folder.retire(id)? {
        bail!("there is no key {id}; `posthaste keys list` shows those there are");
    }
    if is_last {
        tracing::warn!(
            "no key is left: no tokens can be given out until `posthaste keys generate`"
        );
    }
    output::print(format_args!(
        "Retired {id}; what it signed is refused within 10 seconds."
    ))
}
