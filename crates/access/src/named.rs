use std::str::FromStr;

use fields::line::InvalidText;
use kernel::{ClientId, StoreError};

use crate::{Client, Clients, client_name};

/// An operator's reference to a client: its id or its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientRef {
    /// The id.
    Id(ClientId),
    /// The name.
    Name(String),
}

/// Why a reference does not name one client.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClientRefError {
    /// No client has this id or name.
    #[error("there is no client {0}")]
    Unknown(String),
    /// Several clients have this name.
    #[error("{} clients are called {name:?}; say which by its id: {}", ids.len(), ids.join(", "))]
    Several {
        /// The name.
        name: String,
        /// Their ids.
        ids: Vec<String>,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl FromStr for ClientRef {
    type Err = InvalidText;

    fn from_str(text: &str) -> Result<Self, InvalidText> {
        match ClientId::from_str(text.trim()) {
            Ok(id) => Ok(Self::Id(id)),
            Err(_) => client_name(text).map(Self::Name),
        }
    }
}

impl ClientRef {
    /// The referenced client.
    pub async fn find(&self, clients: &dyn Clients) -> Result<Client, ClientRefError> {
        match self {
            Self::Id(id) => {
                let found = clients.find(*id).await?;
                found.ok_or_else(|| ClientRefError::Unknown(id.to_string()))
            }
            Self::Name(name) => by_name(clients.list(usize::MAX).await?, name),
        }
    }
}

/// A live client takes precedence over revoked ones of the same name.
fn by_name(all: Vec<Client>, name: &str) -> Result<Client, ClientRefError> {
    let of_name = all.into_iter().filter(|client| client.name == name);
    let (live, revoked): (Vec<_>, Vec<_>) = of_name.partition(|client| client.revoked_at.is_none());
    let mut found = if live.is_empty() { revoked } else { live };
    if found.len() > 1 {
        let ids = found.iter().map(|client| client.id.to_string()).collect();
        return Err(ClientRefError::Several {
            name: name.to_owned(),
            ids,
        });
    }
    let found = found.pop();
    found.ok_or_else(|| ClientRefError::Unknown(format!("{name:?}")))
}

#[cfg(test)]
mod tests {
    use kernel::testing::{noon, uuid};

    use super::*;

    fn client(id: u128, name: &str, is_revoked: bool) -> Client {
        Client {
            name: name.to_owned(),
            revoked_at: is_revoked.then(noon),
            ..crate::testing::client(id)
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
