use std::future::{Future, ready};

use anyhow::{Context as _, bail};
use clap::Args;
use domain::store::WriteSet;
use kernel::audit::{Action, Entry};
use runtime::clock;
use serde_json::{Value, json};
use stores::Stores;
use tokens::{KeyError, KeyFolder, KeyId, Need, audit};

use crate::{
    args::{ChangeArgs, DataDirArgs, ListArgs, TokenArgs},
    database, output,
    signing_keys::{new_id, refuse_exposed},
};

commands! {
    /// Manage the keys that sign access tokens
    Keys {
        Generate(Generate),
        List(List),
        Retire(Retire),
    }
}

struct Audit {
    database: Stores,
    pending: Vec<String>,
    entry: Entry,
}

impl Audit {
    /// Opens the database. `generate` creates a missing embedded database. PostgreSQL is not
    /// migrated.
    async fn open(
        action: Action,
        ChangeArgs { store, operator }: &ChangeArgs,
    ) -> anyhow::Result<Self> {
        let makes_one = action == audit::KEYS_GENERATE;
        let by = operator.attribution()?;
        let url = store.database();
        let (database, pending) = if url.is_embedded() && makes_one {
            (store.open_or_make().await?, Vec::new())
        } else if url.is_embedded() {
            (store.open().await?, Vec::new())
        } else {
            let opened = database::open_as_it_is(&url).await;
            opened.context("nothing was done, because the audit cannot be written")?
        };
        Ok(Self {
            database,
            pending,
            entry: by.entry(action, clock::now()),
        })
    }

    /// Changes a key. An audit entry is written first; only a database that lacks migrations may go
    /// without it. A second entry records a failure.
    async fn record(
        self,
        id: KeyId,
        change: impl FnOnce() -> Result<(), KeyError>,
    ) -> anyhow::Result<()> {
        let entry = self.entry.clone().about(id);
        match self.write(entry.clone()).await {
            Err(error) if !self.pending.is_empty() => tracing::warn!(
                %error,
                "the change is not in the audit: the database lacks migrations; run `posthaste \
                 migrate`"
            ),
            written => written.context("nothing was done, because the audit cannot be written")?,
        }
        let done = change();
        if let Err(error) = &done {
            let failed = entry.with("failed", error.to_string());
            if let Err(error) = self.write(failed).await {
                tracing::warn!(%error, "the failure of the change is not in the audit");
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

/// Create a key; it verifies tokens at once and signs them after 30 seconds. A key that root
/// creates belongs to the owner of the folder
#[derive(Debug, Args)]
pub struct Generate {
    #[command(flatten)]
    change: ChangeArgs,
}

impl Generate {
    pub async fn run(self) -> anyhow::Result<()> {
        let folder = self.change.store.data_dir.key_folder();
        refuse_exposed(&folder)?;
        let audit = Audit::open(audit::KEYS_GENERATE, &self.change).await?;
        let id = new_id()?;
        audit.record(id, || folder.generate(id)).await?;
        output::print(id)
    }
}

const COLUMNS: &str = "KEY=key  CREATED=created_at  USE=state  =problem:below";

/// List the keys, oldest first, and the unusable files
#[derive(Debug, Args)]
pub struct List {
    #[command(flatten)]
    rows: ListArgs,
    #[command(flatten)]
    data_dir: DataDirArgs,
}

impl List {
    pub fn run(self) -> impl Future<Output = anyhow::Result<()>> {
        ready(self.print())
    }

    /// Lists the keys, and last the unusable files, so that a broken key is noticed.
    fn print(&self) -> anyhow::Result<()> {
        let rows = rows(&self.data_dir.key_folder())?;
        let shown = rows.get(..self.rows.limit).unwrap_or(&rows);
        let more = match rows.len() - shown.len() {
            0 => None,
            more => Some(format!(
                "and {more} more; `--limit` takes a larger number of rows"
            )),
        };
        self.rows.print(COLUMNS, shown, "", more)
    }
}

fn rows(folder: &KeyFolder) -> anyhow::Result<Vec<Value>> {
    let keys = folder.list_for_owner()?;
    let signing = keys.signing(clock::now()).map(|key| key.id());
    let usable = keys.keys().iter().map(|key| {
        let signs = Some(key.id()) == signing;
        json!({
            "key": key.id().to_string(),
            "created_at": output::time(key.id().created_at()),
            "state": if signs { "signs" } else { "verifies" },
            "problem": null,
        })
    });
    let unusable = keys.problems().iter().map(|problem| {
        let name = problem.path().file_name().unwrap_or_default();
        json!({
            "key": name.to_string_lossy(),
            "created_at": null,
            "state": "unusable",
            "problem": problem.reason(),
        })
    });
    Ok(usable.chain(unusable).collect())
}

/// Remove a key; its tokens end within 10 seconds. A key that valid tokens need is not removed
#[derive(Debug, Args)]
pub struct Retire {
    /// The key's id
    #[arg(value_name = "KID")]
    id: KeyId,

    /// Remove the key although valid tokens need it; these tokens end within 10 seconds. Without a
    /// usable key no token is issued or accepted
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    tokens: TokenArgs,
    #[command(flatten)]
    change: ChangeArgs,
}

impl Retire {
    pub async fn run(self) -> anyhow::Result<()> {
        let (folder, id) = (self.change.store.data_dir.key_folder(), self.id);
        let keys = folder.list_for_owner()?;
        let is_last = match keys.keys() {
            [last] => last.id() == id,
            _ => false,
        };
        if is_last && !self.force {
            bail!(
                "{id} is the last usable key, and without one no token is issued or \
                 accepted; run `posthaste keys generate` first, or add --force"
            );
        }
        if !folder.has(id) {
            bail!("there is no key {id}; `posthaste keys list` lists them");
        }
        let need = if self.force {
            Need::Over
        } else {
            keys.need_of(id, self.tokens.token_ttl, clock::now())
        };
        match need {
            Need::Over => {}
            Need::Until(end) => bail!(
                "{id} is needed until {}: tokens that it signed, valid for POSTHASTE_TOKEN_TTL, end \
                 then at the latest; retire it after that, or add --force to end them now",
                output::time(end)
            ),
            Need::Signs => bail!(
                "{id} signs tokens, and there is no newer key; run `posthaste keys generate` first, \
                 or add --force to end its tokens now"
            ),
        }
        let audit = Audit::open(audit::KEYS_RETIRE, &self.change).await?;
        audit.record(id, || folder.retire(id).map(drop)).await?;
        if is_last {
            tracing::warn!(
                "no key is left: no tokens can be issued until `posthaste keys generate`"
            );
        }
        output::print(format_args!(
            "Retired {id}; its tokens are refused within 10 seconds."
        ))
    }
}
