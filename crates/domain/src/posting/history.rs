//! A posting's history: changes with time, reason and actor.

use std::{fmt, str::FromStr};

use time::OffsetDateTime;

use super::Status;
use crate::client::ClientId;

/// One step of a posting's history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryEntry {
    /// The status from then on.
    pub status: Status,
    /// The time.
    pub at: OffsetDateTime,
    /// The reason, if there is one.
    pub reason: Option<String>,
    /// The actor.
    pub by: Actor,
}

/// An actor that changes postings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Actor {
    /// An integration, by its OAuth client.
    Client(ClientId),
    /// The enrichment pipeline.
    Enricher,
    /// A person with the command line.
    Operator,
    /// The end of its lifetime.
    Lifetime,
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Client(id) => write!(f, "client:{id}"),
            Self::Enricher => f.write_str("enricher"),
            Self::Operator => f.write_str("operator"),
            Self::Lifetime => f.write_str("lifetime"),
        }
    }
}

/// A text that names no actor.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not an actor")]
pub struct UnknownActor(String);

impl FromStr for Actor {
    type Err = UnknownActor;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let unknown = || UnknownActor(text.to_owned());
        match text {
            "enricher" => Ok(Self::Enricher),
            "operator" => Ok(Self::Operator),
            "lifetime" => Ok(Self::Lifetime),
            _ => {
                let id = text.strip_prefix("client:").ok_or_else(unknown)?;
                id.parse().map(Self::Client).map_err(|_| unknown())
            }
        }
    }
}
