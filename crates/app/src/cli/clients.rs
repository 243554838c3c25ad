//! The commands about OAuth clients.

use std::{num::NonZeroU32, time::Duration};

use access::Scope;
use clap::{ArgAction, Args, Subcommand, builder::FalseyValueParser};

use super::{JsonArgs, OperatorArgs, StoreArgs};
use crate::config::{self, ClientRef};

#[derive(Debug, Subcommand)]
pub enum ClientsCommand {
    /// Make a client; its secret is shown this once
    Create(ClientsCreateArgs),
    /// List the clients, oldest first
    List(ClientsListArgs),
    /// Show a client and its activity
    Show(ClientsShowArgs),
    /// Change what a client may do; effective within ten seconds
    Update(ClientsUpdateArgs),
    /// Give a client another secret, shown this once; the present one stays valid for a while
    Rotate(ClientsRotateArgs),
    /// Revoke a client; its tokens stop working within ten seconds
    Revoke(ClientsRevokeArgs),
}

#[derive(Debug, Args)]
pub struct ClientsCreateArgs {
    /// What people call the client
    #[arg(long, value_name = "NAME", env = "POSTHASTE_CLIENT_NAME", value_parser = config::client_name)]
    pub name: String,

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
    pub prefixes: Vec<String>,

    /// The most requests that each process accepts from it in a minute. Default: any number
    #[arg(
        long,
        value_name = "REQUESTS",
        env = "POSTHASTE_CLIENT_REQUESTS_PER_MINUTE",
        value_parser = config::client_limit
    )]
    pub requests_per_minute: Option<NonZeroU32>,

    #[command(flatten)]
    pub json: JsonArgs,
    #[command(flatten)]
    pub store: StoreArgs,
    #[command(flatten)]
    pub operator: OperatorArgs,
}

#[derive(Debug, Args)]
pub struct ClientsListArgs {
    /// List so many at most
    #[arg(
        long,
        value_name = "ROWS",
        env = "POSTHASTE_CLIENTS_LIMIT",
        default_value_t = 100
    )]
    pub limit: usize,
    #[command(flatten)]
    pub json: JsonArgs,
    #[command(flatten)]
    pub store: StoreArgs,
}

#[derive(Debug, Args)]
pub struct ClientsShowArgs {
    /// The client's id, or its name if no other client has it
    #[arg(value_name = "ID", value_parser = config::client)]
    pub client: ClientRef,
    #[command(flatten)]
    pub json: JsonArgs,
    #[command(flatten)]
    pub store: StoreArgs,
}

// The variables are not those of `create`: what is set for new clients must not change others.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("change").required(true).multiple(true))]
pub struct ClientsUpdateArgs {
    /// The client's id, or its name if no other client has it
    #[arg(value_name = "ID", value_parser = config::client)]
    pub client: ClientRef,

    /// Call it so
    #[arg(
        long,
        value_name = "NAME",
        env = "POSTHASTE_CLIENT_NEW_NAME",
        value_parser = config::client_name,
        group = "change"
    )]
    pub name: Option<String>,

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
    pub scopes: Vec<Scope>,

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
    pub prefixes: Vec<String>,

    /// Let it use the whole board
    #[arg(
        long,
        env = "POSTHASTE_CLIENT_NO_PREFIX",
        value_parser = FalseyValueParser::new(),
        conflicts_with = "prefixes",
        group = "change"
    )]
    pub no_prefix: bool,

    /// The most requests that each process accepts from it in a minute
    #[arg(
        long,
        value_name = "REQUESTS",
        env = "POSTHASTE_CLIENT_NEW_REQUESTS_PER_MINUTE",
        value_parser = config::client_limit,
        group = "change"
    )]
    pub requests_per_minute: Option<NonZeroU32>,

    /// Accept any number of requests
    #[arg(
        long,
        env = "POSTHASTE_CLIENT_NO_LIMIT",
        value_parser = FalseyValueParser::new(),
        conflicts_with = "requests_per_minute",
        group = "change"
    )]
    pub no_limit: bool,

    #[command(flatten)]
    pub store: StoreArgs,
    #[command(flatten)]
    pub operator: OperatorArgs,
}

#[derive(Debug, Args)]
pub struct ClientsRotateArgs {
    /// The client's id, or its name if no other client has it
    #[arg(value_name = "ID", value_parser = config::client)]
    pub client: ClientRef,

    /// How long the present secret stays valid beside the new one, such as `7d`, `12h` or `0s`
    #[arg(
        long,
        value_name = "TIME",
        env = "POSTHASTE_CLIENT_OVERLAP",
        default_value = "7d",
        value_parser = config::overlap
    )]
    pub overlap: Duration,

    /// End every token that was issued before; effective within ten seconds
    #[arg(
        long,
        env = "POSTHASTE_CLIENT_END_TOKENS",
        value_parser = FalseyValueParser::new()
    )]
    pub end_tokens: bool,

    #[command(flatten)]
    pub json: JsonArgs,
    #[command(flatten)]
    pub store: StoreArgs,
    #[command(flatten)]
    pub operator: OperatorArgs,
}

#[derive(Debug, Args)]
pub struct ClientsRevokeArgs {
    /// The client's id, or its name if no other client has it
    #[arg(value_name = "ID", value_parser = config::client)]
    pub client: ClientRef,
    #[command(flatten)]
    pub store: StoreArgs,
    #[command(flatten)]
    pub operator: OperatorArgs,
}
