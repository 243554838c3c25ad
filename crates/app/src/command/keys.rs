//! `posthaste keys`: manages the keys that sign access tokens.

use std::process::ExitCode;

use adapters_http::oauth::{KeyFolder, KeyId};
use anyhow::bail;
use serde::Serialize;
use uuid::Uuid;

use crate::{
    cli::{DataDirArgs, KeysCommand, KeysListArgs},
    clock, embedded,
    misconfigured::Misconfigured,
    output, text,
};

/// Runs a subcommand.
pub fn run(command: &KeysCommand) -> anyhow::Result<ExitCode> {
    match command {
        KeysCommand::Generate(args) => output::print(generate_for(args)?)?,
        KeysCommand::List(args) => list(args)?,
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

/// A file of the folder, as JSON shows it.
#[derive(Debug, Serialize)]
struct Row {
    /// The key's id, or the name of a file that is no usable key.
    key: String,
    created_at: Option<String>,
    /// `signs`, `verifies` or `unusable`.
    state: &'static str,
    problem: Option<String>,
}

impl Row {
    /// How the key is used, for people.
    fn usage(&self) -> String {
        match &self.problem {
            Some(problem) => text::plain(&format!("cannot be used: {problem}")),
            None if self.state == SIGNS => "signs and verifies".to_owned(),
            None => self.state.to_owned(),
        }
    }
}

const SIGNS: &str = "signs";

/// Lists the keys, and last the files that are no usable key, so that a broken one is not missed.
fn list(args: &KeysListArgs) -> anyhow::Result<()> {
    let rows = rows(&folder(&args.data_dir))?;
    let shown = rows.get(..args.limit).unwrap_or(&rows);
    if args.json.enabled {
        return output::print_json(&shown);
    }
    let mut table = output::table(["KEY", "CREATED", "USE"]);
    for row in shown {
        let created_at = row.created_at.clone().unwrap_or_default();
        table.add_row([text::plain(&row.key), created_at, row.usage()]);
    }
    output::print(table)?;
    match rows.len() - shown.len() {
        0 => Ok(()),
        more => output::print(format_args!(
            "and {more} more; `--limit` takes a larger number of rows"
        )),
    }
}

fn rows(folder: &KeyFolder) -> anyhow::Result<Vec<Row>> {
    let keys = folder.list_for_owner()?;
    let signing = keys.signing(clock::now()).map(|key| key.id());
    let usable = keys.keys().iter().map(|key| Row {
        key: key.id().to_string(),
        created_at: Some(output::time(key.id().created_at())),
        state: if Some(key.id()) == signing {
            SIGNS
        } else {
            "verifies"
        },
        problem: None,
    });
    let unusable = keys.problems().iter().map(|problem| {
        let name = problem.path().file_name().unwrap_or_default();
        Row {
            key: name.to_string_lossy().into_owned(),
            created_at: None,
            state: "unusable",
            problem: Some(problem.reason().clone()),
        }
    });
    Ok(usable.chain(unusable).collect())
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
