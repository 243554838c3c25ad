//! `posthaste clients update`.

use std::num::NonZeroU32;

use access::{ClientChange, ManagedClients, Scope};
use clap::{ArgAction, Args};
use kernel::Prefixes;
use runtime::clock;

use super::{named::find, parts::prefixes, show};
use crate::{
    cli::{OperatorArgs, StoreArgs},
    config::{self, ClientRef},
    output,
};

/// Change what a client may do; effective within ten seconds
// The variables are not those of `create`: what is set for new clients must not change others.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("change").required(true).multiple(true))]
pub struct Update {
    /// The client's id, or its name if no other client has it
    #[arg(value_name = "ID", value_parser = config::client)]
    client: ClientRef,

    /// Call it so
    #[arg(
        long,
        value_name = "NAME",
        env = "POSTHASTE_CLIENT_NEW_NAME",
        value_parser = config::client_name,
        group = "change"
    )]
    name: Option<String>,

    /// A scope, in place of all present ones; several times, or separated by commas
    #[arg(
        long = "scope",
        value_name = "SCOPE",
        env = "POSTHASTE_CLIENT_NEW_SCOPE",
        value_delimiter = ',',
        action = ArgAction::Append,
        value_parser = config::scope,
        group = "change"
    )]
    scopes: Vec<Scope>,

    /// The beginning of the identifiers that it may use, in place of the present ones; several
    /// times
    #[arg(
        long = "prefix",
        value_name = "PREFIX",
        env = "POSTHASTE_CLIENT_NEW_PREFIX",
        action = ArgAction::Append,
        value_parser = config::identifier_prefix,
        group = "change"
    )]
    prefixes: Vec<String>,

    /// Let it use the whole board
    #[arg(
        long,
        env = "POSTHASTE_CLIENT_NO_PREFIX",
        conflicts_with = "prefixes",
        group = "change"
    )]
    no_prefix: bool,

    /// The most requests that each process accepts from it in a minute
    #[arg(
        long,
        value_name = "REQUESTS",
        env = "POSTHASTE_CLIENT_NEW_REQUESTS_PER_MINUTE",
        value_parser = config::client_limit,
        group = "change"
    )]
    requests_per_minute: Option<NonZeroU32>,

    /// Accept any number of requests
    #[arg(
        long,
        env = "POSTHASTE_CLIENT_NO_LIMIT",
        conflicts_with = "requests_per_minute",
        group = "change"
    )]
    no_limit: bool,

    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    operator: OperatorArgs,
}

impl Update {
    pub async fn run(self) -> anyhow::Result<()> {
        let by = self.operator.attribution()?;
        let change = ClientChange {
            name: self.name.clone(),
            scopes: (!self.scopes.is_empty()).then(|| self.scopes.clone()),
            prefixes: match (&*self.prefixes, self.no_prefix) {
                ([], false) => None,
                ([], true) => Some(Prefixes::ALL),
                (texts, _) => Some(prefixes(texts)?),
            },
            requests_per_minute: match (self.requests_per_minute, self.no_limit) {
                (None, false) => None,
                (limit, _) => Some(limit),
            },
        };
        let database = self.store.open().await?;
        let clients = ManagedClients {
            clients: &*database.clients,
            by: &by,
        };
        let id = find(clients.clients, &self.client).await?.id;
        let client = clients.update(id, &change, clock::now()).await?;
        output::print(show::settings(&client).text())?;
        output::print("Every process knows it within 10 seconds.")
    }
}
