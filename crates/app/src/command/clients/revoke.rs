//! `posthaste clients revoke`.

use access::ManagedClients;
use clap::Args;
use runtime::clock;

use super::named::find;
use crate::{
    cli::{OperatorArgs, StoreArgs},
    config::{self, ClientRef},
    output,
};

/// Revoke a client; its tokens stop working within ten seconds
#[derive(Debug, Args)]
pub struct Revoke {
    /// The client's id, or its name if no other client has it
    #[arg(value_name = "ID", value_parser = config::client)]
    client: ClientRef,
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    operator: OperatorArgs,
}

impl Revoke {
    pub async fn run(self) -> anyhow::Result<()> {
        let by = self.operator.attribution()?;
        let database = self.store.open().await?;
        let clients = ManagedClients {
            clients: &*database.clients,
            by: &by,
        };
        let id = find(clients.clients, &self.client).await?.id;
        clients.revoke(id, clock::now()).await?;
        output::print(format_args!(
            "Revoked {id}; its tokens stop working within 10 seconds."
        ))
    }
}
