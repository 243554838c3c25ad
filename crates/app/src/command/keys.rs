//! `posthaste keys`: manages the keys that sign access tokens.

use std::process::ExitCode;

use adapters_http::oauth::{KeyError, KeyFolder, KeyId};
use anyhow::{Context as _, bail};
use domain::store::WriteSet;
use kernel::audit::{Action, Entry};
use runtime::clock;
use serde::Serialize;

use crate::{
    cli::{KeysCommand, KeysGenerateArgs, KeysListArgs, KeysRetireArgs, OperatorArgs, StoreArgs},
    database::{Database, Outdated},
    output,
    signing_keys::{new_id, refuse_exposed},
    text,
};

/// Runs a subcommand.
pub async fn run(command: &KeysCommand) -> anyhow::Result<ExitCode> {
    match command {
        KeysCommand::Generate(args) => generate(args).await?,
        KeysCommand::List(args) => list(args)?,
        KeysCommand::Retire(args) => retire(args).await?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The audit of a command about a key.
struct Audit {
    database: Database,
    /// Migrations that the database lacks.
    pending: Vec<String>,
    entry: Entry,
}

impl Audit {
    /// Opens the database. `generate` makes an embedded one; nothing is done to the tables of
    /// another one.
    async fn open(
        action: Action,
        store: &StoreArgs,
        operator: &OperatorArgs,
    ) -> anyhow::Result<Self> {
        let makes_one = action == Action::KEYS_GENERATE;
        let entry = operator.attribution()?.entry(action, clock::now());
        let url = store.database();
        let (database, pending) = if url.is_embedded() && makes_one {
            let keys = store.data_dir.keys();
            let made = Database::open_or_make(&url, &keys, Outdated::MigrateEmbedded);
            (made.await?, Vec::new())
        } else if url.is_embedded() {
            (Database::open(&url).await?, Vec::new())
        } else {
            let opened = Database::open_as_it_is(&url).await;
            opened.context("nothing was done, because it could not be recorded in the audit")?
        };
        Ok(Self {
            database,
            pending,
            entry,
        })
    }

    /// Carries out a change of a key. The entry is written before, so that no key comes or goes
    /// unrecorded, and says so if the change then fails.
    async fn record(
        self,
        id: KeyId,
        change: impl FnOnce() -> Result<(), KeyError>,
    ) -> anyhow::Result<()> {
        let entry = self.entry.clone().about(id);
        match self.write(entry.clone()).await {
            // A database without tables has no audit either, and nobody to sign tokens for.
            Err(error) if !self.pending.is_empty() => tracing::warn!(
                %error,
                "this is not recorded in the audit: the database lacks migrations; run `posthaste \
                 migrate`"
            ),
            written => written.context("nothing was done, because it could not be recorded")?,
        }
        let done = change();
        if let Err(error) = &done {
            let failed = entry.with("failed", error.to_string());
            if let Err(error) = self.write(failed).await {
                tracing::warn!(%error, "the audit does not say that this failed");
            }
        }
        Ok(done?)
    }

    async fn write(&self, entry: Entry) -> anyhow::Result<()> {
        let mut writes = WriteSet::new(entry.at);
        writes.tasks.audit.push(entry);
        Ok(self.database.store.commit(writes).await?)
    }
}

async fn generate(args: &KeysGenerateArgs) -> anyhow::Result<()> {
    let folder = KeyFolder::new(args.store.data_dir.keys());
    refuse_exposed(&folder)?;
    let audit = Audit::open(Action::KEYS_GENERATE, &args.store, &args.operator).await?;
    let id = new_id()?;
    audit.record(id, || folder.generate(id)).await?;
    output::print(id)
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
    let rows = rows(&KeyFolder::new(args.data_dir.keys()))?;
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

async fn retire(args: &KeysRetireArgs) -> anyhow::Result<()> {
    let (folder, id) = (KeyFolder::new(args.store.data_dir.keys()), args.id);
    let is_last = match folder.list_for_owner()?.keys() {
        [last] => last.id() == id,
        _ => false,
    };
    if is_last && !args.force {
        bail!(
            "{id} is the last key that can be used, and without one no token is given out or \
             accepted; run `posthaste keys generate` first, or add --force"
        );
    }
    if !folder.has(id) {
        bail!("there is no key {id}; `posthaste keys list` shows those there are");
    }
    let audit = Audit::open(Action::KEYS_RETIRE, &args.store, &args.operator).await?;
    audit.record(id, || folder.retire(id).map(drop)).await?;
    if is_last {
        tracing::warn!(
            "no key is left: no tokens can be given out until `posthaste keys generate`"
        );
    }
    output::print(format_args!(
        "Retired {id}; what it signed is refused within 10 seconds."
    ))
}
