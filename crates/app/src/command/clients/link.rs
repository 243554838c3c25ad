//! `posthaste clients link`.

use adapters_console::client_link;
use clap::Args;
use runtime::clock;
use serde_json::json;

use super::named::find;
use crate::{
    cli::{JsonArgs, OperatorArgs, PublicUrlArgs, StoreArgs},
    config::{self, ClientRef},
    output,
};

/// Print a link to a client's own pages, for whoever runs it: good once, within 24 hours
#[derive(Debug, Args)]
pub struct Link {
    /// The client's id, or its name if no other client has it
    #[arg(value_name = "ID", value_parser = config::client)]
    client: ClientRef,
    #[command(flatten)]
    place: PublicUrlArgs,
    #[command(flatten)]
    json: JsonArgs,
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    operator: OperatorArgs,
}

impl Link {
    pub async fn run(self) -> anyhow::Result<()> {
        let by = self.operator.attribution()?;
        let database = self.store.open().await?;
        let client = find(&*database.clients, &self.client).await?;
        let (tokens, url) = (&*database.sign_in_tokens, self.place.url());
        let (url, end) = client_link(tokens, &client, Some(&by), &url, clock::now()).await?;
        if self.json.enabled {
            let end = output::time(end);
            return output::print_json(&json!({ "url": url, "expires_at": end }));
        }
        output::print(url)
    }
}
