//! `posthaste webhooks list`.

use clap::Args;

use super::show::{self, Shown};
use crate::{
    cli::{JsonArgs, StoreArgs},
    output,
};

/// List the webhooks, those of clients too, oldest first
#[derive(Debug, Args)]
pub struct List {
    /// List so many at most
    #[arg(
        long,
        value_name = "ROWS",
        env = "POSTHASTE_WEBHOOKS_LIMIT",
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
        let mut all = database.webhooks.list(None, None, most).await?;
        let has_more = output::cut(&mut all, self.limit);
        let backlog = show::backlog(&*database.webhooks).await?;
        let owners = show::owners(&*database.clients, &all).await?;
        let shown = all
            .iter()
            .map(|tracked| Shown::new(tracked, &owners, backlog.get(&tracked.endpoint.id)));
        let shown: Vec<_> = shown.collect();
        let mut list = output::List::new(self.json.enabled, output::print);
        if !shown.is_empty() {
            list.page(&shown)?;
        }
        list.end("There are no webhooks.", output::more(has_more))
    }
}

impl output::Row for Shown<'_> {
    const COLUMNS: &'static [(&'static str, usize)] = &[
        ("ID", 0),
        ("STATE", 0),
        ("OWNER", 0),
        ("WAITING", 0),
        ("URL", 0),
    ];

    fn cells(&self) -> Vec<String> {
        let endpoint = &self.tracked.endpoint;
        let waiting = self.backlog.map(|of| of.waiting.to_string());
        vec![
            endpoint.id.to_string(),
            endpoint.state.to_string(),
            show::owner(endpoint.owner),
            waiting.unwrap_or_default(),
            endpoint.url.as_str().to_owned(),
        ]
    }
}
