//! `posthaste clients create`.

use std::num::NonZeroU32;

use access::{NewClient, Scope};
use clap::{ArgAction, Args};

use super::parts::{prefixes, print_secret};
use crate::{
    cli::{JsonArgs, OperatorArgs, StoreArgs},
    config, operators,
};

/// Make a client; its secret is shown this once
#[derive(Debug, Args)]
pub struct Create {
    /// What people call the client
    #[arg(long, value_name = "NAME", env = "POSTHASTE_CLIENT_NAME", value_parser = config::client_name)]
    name: String,

    /// A scope: `job-postings:write`, `job-postings:read`, `newsletter-subscribers:write` or
    /// `webhooks:manage`; several times, or separated by commas
    #[arg(
        long = "scope",
        value_name = "SCOPE",
        env = "POSTHASTE_CLIENT_SCOPE",
        required = true,
        value_delimiter = ',',
        action = ArgAction::Append,
        value_parser = config::scope
    )]
    pub scopes: Vec<Scope>,

    /// The beginning of the identifiers that it may use; several times. Default: the whole board
    #[arg(
        long = "prefix",
        value_name = "PREFIX",
        env = "POSTHASTE_CLIENT_PREFIX",
        action = ArgAction::Append,
        value_parser = config::identifier_prefix
    )]
    prefixes: Vec<String>,

    /// The most requests that each process accepts from it in a minute. Default: any number
    #[arg(
        long,
        value_name = "REQUESTS",
        env = "POSTHASTE_CLIENT_REQUESTS_PER_MINUTE",
        value_parser = config::client_limit
    )]
    requests_per_minute: Option<NonZeroU32>,

    #[command(flatten)]
    json: JsonArgs,
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    operator: OperatorArgs,
}

impl Create {
    pub async fn run(self) -> anyhow::Result<()> {
        let by = self.operator.attribution()?;
        let new = NewClient {
            name: self.name.clone(),
            scopes: self.scopes.clone(),
            prefixes: prefixes(&self.prefixes)?,
            requests_per_minute: self.requests_per_minute,
        };
        let database = self.store.open_or_make().await?;
        let (client, secret) =
            operators::create_client(database.clients.as_ref(), &by, new).await?;
        print_secret(client.id, &secret, self.json.enabled)
    }
}
