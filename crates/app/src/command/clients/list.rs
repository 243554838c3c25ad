//! `posthaste clients list`.

use clap::Args;

use super::show::{Shown, scopes};
use crate::{
    cli::{JsonArgs, StoreArgs},
    output,
};

/// List the clients, oldest first
#[derive(Debug, Args)]
pub struct List {
    /// List so many at most
    #[arg(
        long,
        value_name = "ROWS",
        env = "POSTHASTE_CLIENTS_LIMIT",
        default_value_t = 100
    )]
    limit: usize,
    #[command(flatten)]
    json: JsonArgs,
    #[command(flatten)]
    store: StoreArgs,
}

impl List {
    pub async fn run(self) -> anyhow::Result<()> {
        let database = self.store.open().await?;
        // One more shows whether there are more.
        let most = self.limit.saturating_add(1);
        let mut all = database.clients.list(most).await?;
        let has_more = output::cut(&mut all, self.limit);
        let mut list = output::List::new(self.json.enabled, output::print);
        list.page(&Shown::read(all, &*database.activity).await?)?;
        list.end("", output::more(has_more))
    }
}

impl output::Row for Shown {
    const COLUMNS: &'static [(&'static str, usize)] = &[
        ("CLIENT", 0),
        ("NAME", 0),
        ("SCOPES", 0),
        ("PREFIXES", 0),
        ("CREATED", 0),
        ("REVOKED", 0),
    ];

    fn cells(&self) -> Vec<String> {
        let client = &self.client;
        vec![
            client.id.to_string(),
            client.name.clone(),
            scopes(client),
            client.prefixes.as_slice().join(" "),
            output::time(client.created_at),
            client.revoked_at.map(output::time).unwrap_or_default(),
        ]
    }
}
