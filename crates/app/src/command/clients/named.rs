use access::{Client, ClientRef, ClientRefError, Clients, ManagedClients};
use anyhow::anyhow;
use clap::Args;
use kernel::audit::Attribution;
use stores::Stores;

use crate::args::ChangeArgs;

// The client that a command is about. Not a doc comment: clap would show it as the command's help.
#[derive(Debug, Args)]
pub struct ClientArgs {
    /// The client's id, or its name if no other client has it
    #[arg(value_name = "ID")]
    client: ClientRef,
    #[command(flatten)]
    change: ChangeArgs,
}

pub struct ClientContext {
    pub client: Client,
    pub database: Stores,
    pub by: Attribution,
}

pub async fn find(client: &ClientRef, clients: &dyn Clients) -> anyhow::Result<Client> {
    client.find(clients).await.map_err(|error| match error {
        ClientRefError::Unknown(_) => {
            anyhow!("{error}; `posthaste clients list` lists them")
        }
        error => error.into(),
    })
}

impl ClientArgs {
    pub async fn open(&self) -> anyhow::Result<ClientContext> {
        let (by, database) = self.change.open().await?;
        Ok(ClientContext {
            client: find(&self.client, &*database.clients).await?,
            database,
            by,
        })
    }
}

impl ClientContext {
    pub fn managed(&self) -> ManagedClients<'_> {
        ManagedClients {
            clients: &*self.database.clients,
            by: &self.by,
        }
    }
}
