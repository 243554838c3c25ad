//! `posthaste clients rotate`.

use std::time::Duration;

use access::{ManagedClients, Rotation};
use clap::Args;
use runtime::clock;
use tokens::ClientSecret;

use super::{named::find, parts::print_secret};
use crate::{
    cli::{JsonArgs, OperatorArgs, StoreArgs},
    config::{self, ClientRef},
    output,
};

/// Give a client another secret, shown this once; the present one stays valid for a while
#[derive(Debug, Args)]
pub struct Rotate {
    /// The client's id, or its name if no other client has it
    #[arg(value_name = "ID", value_parser = config::client)]
    client: ClientRef,

    /// How long the present secret stays valid beside the new one, such as `7d`, `12h` or `0s`
    #[arg(
        long,
        value_name = "TIME",
        env = "POSTHASTE_CLIENT_OVERLAP",
        default_value = "7d",
        value_parser = config::overlap
    )]
    overlap: Duration,

    /// End every token that was issued before; effective within ten seconds
    #[arg(long, env = "POSTHASTE_CLIENT_END_TOKENS")]
    end_tokens: bool,

    #[command(flatten)]
    json: JsonArgs,
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    operator: OperatorArgs,
}

impl Rotate {
    pub async fn run(self) -> anyhow::Result<()> {
        let by = self.operator.attribution()?;
        let secret = ClientSecret::generate()?;
        let overlap = time::Duration::try_from(self.overlap)?;
        let database = self.store.open().await?;
        let clients = ManagedClients {
            clients: &*database.clients,
            by: &by,
        };
        let id = find(clients.clients, &self.client).await?.id;
        let rotation = Rotation {
            digest: secret.digest(),
            overlap,
            ends_tokens: self.end_tokens,
        };
        let client = clients.rotate(id, rotation, clock::now()).await?;
        print_secret(id, &secret, self.json.enabled)?;
        if !self.json.enabled {
            let before = client.secrets.get(1).and_then(|before| before.expires_at);
            output::print(before.map_or_else(
                || "The former secret is not valid any more.".to_owned(),
                |end| format!("The former secret is valid until {}.", output::time(end)),
            ))?;
            if self.end_tokens {
                output::print("Tokens issued before stop working within 10 seconds.")?;
            }
        }
        Ok(())
    }
}
