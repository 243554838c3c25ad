//! Finds the client that an operator names.

use access::{Client, Clients, ManagedClients};
use anyhow::{anyhow, bail};
use clap::Args;
use kernel::audit::Attribution;

use crate::{
    cli::{
        ChangeArgs,
        values::{ClientRef, client},
    },
    database::Database,
};

// The client that a command is about. Clap would show a doc comment as the command's help.
#[derive(Debug, Args)]
pub struct ClientArgs {
    /// The client's id, or its name if no other client has it
    #[arg(value_name = "ID", value_parser = client)]
    client: ClientRef,
    #[command(flatten)]
    change: ChangeArgs,
}

/// The client that a command is about, the database, and the operator who gives the command.
pub struct ClientContext {
    pub client: Client,
    pub database: Database,
    pub by: Attribution,
}

impl ClientArgs {
    pub async fn open(&self) -> anyhow::Result<ClientContext> {
        let (by, database) = self.change.open().await?;
        Ok(ClientContext {
            client: find(&*database.clients, &self.client).await?,
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

/// The client with this id or name.
pub async fn find(clients: &dyn Clients, named: &ClientRef) -> anyhow::Result<Client> {
    match named {
        ClientRef::Id(id) => {
            let found = clients.find(*id).await?;
            found.ok_or_else(|| unknown(&id.to_string()))
        }
        ClientRef::Name(name) => by_name(clients.list(usize::MAX).await?, name),
    }
}

/// The client of a name. One that is revoked gives way to a live one, which has taken its place.
fn by_name(all: Vec<Client>, name: &str) -> anyhow::Result<Client> {
    let of_name = all.into_iter().filter(|client| client.name == name);
    let (live, revoked): (Vec<_>, Vec<_>) = of_name.partition(|client| client.revoked_at.is_none());
    let mut found = if live.is_empty() { revoked } else { live };
    if found.len() > 1 {
        let ids: Vec<_> = found.iter().map(|client| client.id.to_string()).collect();
        bail!(
            "{} clients are called {name:?}; say which by its id: {}",
            ids.len(),
            ids.join(", ")
        );
    }
    found.pop().ok_or_else(|| unknown(&format!("{name:?}")))
}

fn unknown(named: &str) -> anyhow::Error {
    anyhow!("there is no client {named}; `posthaste clients list` shows those there are")
}

#[cfg(test)]
mod tests {
    use kernel::testing::{noon, uuid};

    use super::*;

    fn client(id: u128, name: &str, is_revoked: bool) -> Client {
        Client {
            name: name.to_owned(),
            revoked_at: is_revoked.then(noon),
            ..access::testing::client(id)
        }
    }

    #[test]
    fn a_name_is_that_of_the_one_client_that_is_live() {
        let all = || {
            vec![
                client(1, "Ada", true),
                client(2, "Ada", false),
                client(3, "Bob", true),
                client(4, "Eve", false),
                client(5, "Eve", false),
            ]
        };
        let find = |name| by_name(all(), name).map(|client| client.id.uuid());
        assert_eq!(find("Ada").unwrap(), uuid(2));
        assert_eq!(find("Bob").unwrap(), uuid(3));
        let refused = find("Eve").unwrap_err().to_string();
        assert!(
            refused.starts_with("2 clients are called \"Eve\""),
            "{refused}"
        );
        assert!(refused.ends_with("000000000005"), "{refused}");
        let refused = find("ada").unwrap_err().to_string();
        assert!(
            refused.starts_with("there is no client \"ada\""),
            "{refused}"
        );
    }
}
