use anyhow::bail;
use clap::Args;
use domain::{
    posting::Rejection,
    usecase::{Restoration, restore_version},
};
use kernel::{SourceIdentifier, Version};
use runtime::{COMMAND_PATIENCE, clock, decide_again};
use serde_json::{Value, json};

use super::resolve;
use crate::{
    args::{ChangeArgs, LifetimeArgs, ListArgs, StoreArgs, values},
    output, text,
};

const PAGE: usize = 50;

/// List the changes of a posting, newest first, with the values that each replaced
#[derive(Debug, Args)]
pub struct Versions {
    /// The posting's unique source identifier, or its UUID
    #[arg(value_name = "ID", value_parser = values::source_identifier)]
    id: SourceIdentifier,
    #[command(flatten)]
    rows: ListArgs,
    #[command(flatten)]
    store: StoreArgs,
}

const COLUMNS: &str = "VERSION=version  AT (UTC)=at:16  BY=by  CHANGED=changed:..80";

impl Versions {
    pub async fn run(self) -> anyhow::Result<()> {
        let database = self.store.open().await?;
        let id = resolve(&*database.store, &self.id).await?;
        let as_json = self.rows.json.enabled;
        let mut list = output::List::new(as_json, COLUMNS, output::print);
        list.page(&[(); 0])?;
        let (mut before, mut has_more) = (None, true);
        while has_more && list.shown() < self.rows.limit {
            let limit = (self.rows.limit - list.shown()).min(PAGE);
            let found = database.postings.versions(&id, before, limit + 1).await?;
            let Some(mut found) = found else {
                bail!(Rejection::NotFound);
            };
            has_more = found.len() > limit;
            found.truncate(limit);
            before = found.last().map(|it| it.version);
            let rows = found.iter().map(|it| row(it, as_json));
            list.page(&rows.collect::<serde_json::Result<Vec<_>>>()?)?;
        }
        list.end("", output::more(has_more))
    }
}

/// A version as JSON. For a table, the field names are one text.
fn row(version: &domain::posting::PostingVersion, as_json: bool) -> serde_json::Result<Value> {
    let mut row = serde_json::to_value(views::version::Version::new(version))?;
    if !as_json {
        let names: Vec<_> = views::version::replaced(version)
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        row["changed"] = json!(names.join(", "));
    }
    Ok(row)
}

/// Restore former values of a posting; approved content is not judged again
#[derive(Debug, Args)]
pub struct Restore {
    /// The posting's unique source identifier, or its UUID
    #[arg(value_name = "ID", value_parser = values::source_identifier)]
    id: SourceIdentifier,

    /// The version to restore, as `postings versions` lists it
    #[arg(long, value_name = "N")]
    version: Version,

    /// The reason, which the integrator reads
    #[arg(long, value_name = "REASON", value_parser = values::reason)]
    reason: String,
    #[command(flatten)]
    lifetime: LifetimeArgs,
    #[command(flatten)]
    change: ChangeArgs,
}

impl Restore {
    pub async fn run(self) -> anyhow::Result<()> {
        let (by, database) = self.change.open().await?;
        let (store, reader) = (&*database.store, &*database.postings);
        let order = Restoration {
            identifier: resolve(store, &self.id).await?,
            version: self.version,
            reason: self.reason,
            seen: None,
            by,
        };
        let lifetime = self.lifetime.lifetime;
        let attempt = || restore_version(store, reader, &order, lifetime, clock::now());
        let posting = decide_again(COMMAND_PATIENCE, attempt).await?;
        let named = text::plain(order.identifier.as_str());
        let (version, status) = (order.version, posting.status());
        output::print(format!(
            "{named} has the values of version {version}; it is {status}."
        ))
    }
}
