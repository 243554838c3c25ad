//! `posthaste clients create`, `update`, `rotate` and `revoke`.

use std::num::NonZeroU32;

use access::{
    Activity, Client, ClientChange, ClientRef, ClientRefError, Clients, LONGEST_OVERLAP, NewClient,
    Rotation, Scope, interval,
};
use clap::{ArgGroup, Args};
use fields::Patch;
use kernel::{ClientId, Prefixes};
use runtime::clock;
use serde_json::json;
use time::Duration;
use tokens::ClientSecret;
use views::client::ClientOfOperator;

use super::{named::ClientArgs, show::SETTINGS};
use crate::{
    args::{
        ChangeArgs, JsonArgs,
        values::{client_limit, client_name, identifier_prefix, named, scope},
    },
    misconfigured::Misconfigured,
    operators, output,
};

/// Create a client; its secret is shown only once
#[derive(Debug, Args)]
pub struct Create {
    /// The name of the client, for people
    #[arg(long, value_name = "NAME", env = "POSTHASTE_CLIENT_NAME", value_parser = client_name)]
    name: String,

    /// A scope: `job-postings:write`, `job-postings:read`, `newsletter-subscribers:write`,
    /// `webhooks:manage` or `reports:write`; can be repeated, or separated by commas
    #[arg(
        long = "scope",
        value_name = "SCOPE",
        env = "POSTHASTE_CLIENT_SCOPE",
        required = true,
        value_delimiter = ',',
        value_parser = named(Scope::NAMES, scope)
    )]
    pub scopes: Vec<Scope>,

    /// The beginning of the identifiers that the client may use; can be repeated. Default: the
    /// whole board
    #[arg(
        long = "prefix",
        value_name = "PREFIX",
        env = "POSTHASTE_CLIENT_PREFIX",
        value_parser = identifier_prefix
    )]
    prefixes: Vec<String>,

    /// The number of requests a minute that each process accepts from the client. Default: no limit
    #[arg(
        long,
        value_name = "REQUESTS",
        env = "POSTHASTE_CLIENT_REQUESTS_PER_MINUTE",
        value_parser = client_limit
    )]
    requests_per_minute: Option<NonZeroU32>,

    /// The longest expected time between two pushes, such as `1d` or `90m`; a longer pause needs
    /// attention. Default: three times the client's usual interval, at least a day
    #[arg(
        long,
        value_name = "TIME",
        env = "POSTHASTE_CLIENT_EXPECT_EVERY",
        value_parser = interval
    )]
    expect_every: Option<Duration>,

    #[command(flatten)]
    json: JsonArgs,
    #[command(flatten)]
    change: ChangeArgs,
}

impl Create {
    pub async fn run(self) -> anyhow::Result<()> {
        let by = self.change.operator.attribution()?;
        let new = NewClient {
            name: self.name,
            scopes: self.scopes,
            prefixes: prefixes(&self.prefixes)?,
            requests_per_minute: self.requests_per_minute,
            expect_every: self.expect_every,
        };
        let database = self.change.store.open_or_make().await?;
        let (client, secret) = operators::create_client(&*database.clients, &by, new).await?;
        warn_of_namesakes(&*database.clients, &client).await?;
        print_secret(client.id, &secret, &self.json)
    }
}

/// Warns if another client has the same name: commands then need the id.
async fn warn_of_namesakes(clients: &dyn Clients, client: &Client) -> anyhow::Result<()> {
    match ClientRef::Name(client.name.clone()).find(clients).await {
        Err(several @ ClientRefError::Several { .. }) => tracing::warn!("{several}"),
        found => _ = found?,
    }
    Ok(())
}

fn print_secret(id: ClientId, secret: &ClientSecret, json: &JsonArgs) -> anyhow::Result<()> {
    let secret = secret.expose();
    let shown = json!({ "client_id": id.to_string(), "client_secret": secret });
    json.print(&shown, || {
        format!("client_id      {id}\nclient_secret  {secret}\nThe secret is not shown again.")
    })
}

pub fn prefixes(texts: &[String]) -> anyhow::Result<Prefixes> {
    Ok(Prefixes::new(texts).map_err(|error| Misconfigured(format!("--prefix: {error}")))?)
}

const CHANGES: [&str; 8] = [
    "name",
    "scopes",
    "prefixes",
    "no_prefix",
    "requests_per_minute",
    "no_limit",
    "expect_every",
    "no_expect_every",
];

/// Change what a client may do; effective within ten seconds
// Has its own variables: those of `create` must not change existing clients.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("change").args(CHANGES).required(true).multiple(true))]
pub struct Update {
    /// The new name
    #[arg(long, value_name = "NAME", env = "POSTHASTE_CLIENT_NEW_NAME", value_parser = client_name)]
    name: Option<String>,

    /// A scope; the given scopes replace all present ones; can be repeated, or separated by commas
    #[arg(
        long = "scope",
        value_name = "SCOPE",
        env = "POSTHASTE_CLIENT_NEW_SCOPE",
        value_delimiter = ',',
        value_parser = named(Scope::NAMES, scope)
    )]
    scopes: Vec<Scope>,

    /// The beginning of the identifiers that the client may use; can be repeated, and replaces all
    /// present ones
    #[arg(
        long = "prefix",
        value_name = "PREFIX",
        env = "POSTHASTE_CLIENT_NEW_PREFIX",
        value_parser = identifier_prefix
    )]
    prefixes: Vec<String>,

    /// Let the client use the whole board
    #[arg(long, env = "POSTHASTE_CLIENT_NO_PREFIX", conflicts_with = "prefixes")]
    no_prefix: bool,

    /// The number of requests a minute that each process accepts from the client
    #[arg(
        long,
        value_name = "REQUESTS",
        env = "POSTHASTE_CLIENT_NEW_REQUESTS_PER_MINUTE",
        value_parser = client_limit
    )]
    requests_per_minute: Option<NonZeroU32>,

    /// Remove the limit of requests
    #[arg(
        long,
        env = "POSTHASTE_CLIENT_NO_LIMIT",
        conflicts_with = "requests_per_minute"
    )]
    no_limit: bool,

    /// The longest expected time between two pushes, such as `1d` or `90m`
    #[arg(
        long,
        value_name = "TIME",
        env = "POSTHASTE_CLIENT_NEW_EXPECT_EVERY",
        value_parser = interval
    )]
    expect_every: Option<Duration>,

    /// Expect pushes at the client's usual interval
    #[arg(
        long,
        env = "POSTHASTE_CLIENT_NO_EXPECT_EVERY",
        conflicts_with = "expect_every"
    )]
    no_expect_every: bool,

    #[command(flatten)]
    client: ClientArgs,
}

impl Update {
    pub async fn run(self) -> anyhow::Result<()> {
        let change = ClientChange {
            name: self.name,
            scopes: (!self.scopes.is_empty()).then_some(self.scopes),
            prefixes: match (&*self.prefixes, self.no_prefix) {
                ([], false) => None,
                ([], true) => Some(Prefixes::ALL),
                (texts, _) => Some(prefixes(texts)?),
            },
            requests_per_minute: match (self.requests_per_minute, self.no_limit) {
                (None, false) => Patch::Keep,
                (limit, _) => limit.into(),
            },
            expect_every: match (self.expect_every, self.no_expect_every) {
                (None, false) => Patch::Keep,
                (interval, _) => interval.into(),
            },
        };
        let named = self.client.open().await?;
        let (clients, id) = (named.managed(), named.client.id);
        let client = clients.update(id, &change, clock::now()).await?;
        if change.name.is_some() {
            warn_of_namesakes(clients.clients, &client).await?;
        }
        let nothing = Activity::default();
        output::print(output::record(
            &ClientOfOperator::new(&client, &nothing),
            SETTINGS,
        )?)?;
        output::print("The change takes effect within 10 seconds.")
    }
}

/// Give a client a new secret, shown only once; the present secret stays valid for a while
#[derive(Debug, Args)]
pub struct Rotate {
    /// How long the present secret stays valid beside the new one, such as `7d`, `12h` or `0s`
    #[arg(
        long,
        value_name = "TIME",
        env = "POSTHASTE_CLIENT_OVERLAP",
        default_value = "7d",
        value_parser = overlap
    )]
    overlap: Duration,

    /// Also end all earlier tokens; effective within ten seconds
    #[arg(long, env = "POSTHASTE_CLIENT_END_TOKENS")]
    end_tokens: bool,

    #[command(flatten)]
    json: JsonArgs,
    #[command(flatten)]
    client: ClientArgs,
}

fn overlap(text: &str) -> Result<Duration, String> {
    let time = humantime::parse_duration(text.trim());
    let time = time.map_err(|_| format!("{text:?} is not a time such as 7d, 12h or 0s"))?;
    let time = Duration::try_from(time).ok();
    let time = time.filter(|time| *time <= LONGEST_OVERLAP);
    time.ok_or_else(|| "must be at most 90d".to_owned())
}

impl Rotate {
    pub async fn run(self) -> anyhow::Result<()> {
        let secret = ClientSecret::generate()?;
        let named = self.client.open().await?;
        let rotation = Rotation {
            digest: secret.digest(),
            overlap: self.overlap,
            ends_tokens: self.end_tokens,
        };
        let (clients, id) = (named.managed(), named.client.id);
        let client = clients.rotate(id, rotation, clock::now()).await?;
        print_secret(client.id, &secret, &self.json)?;
        if !self.json.enabled {
            let before = client.secrets.get(1).and_then(|before| before.expires_at);
            output::print(before.map_or_else(
                || "The former secret is no longer valid.".to_owned(),
                |end| format!("The former secret is valid until {}.", output::time(end)),
            ))?;
            if self.end_tokens {
                output::print("Earlier tokens stop working within 10 seconds.")?;
            }
        }
        Ok(())
    }
}

/// Revoke a client; its tokens stop working within ten seconds
#[derive(Debug, Args)]
pub struct Revoke {
    #[command(flatten)]
    client: ClientArgs,
}

impl Revoke {
    pub async fn run(self) -> anyhow::Result<()> {
        let named = self.client.open().await?;
        let id = named.client.id;
        named.managed().revoke(id, clock::now()).await?;
        output::print(format_args!(
            "Revoked {id}; its tokens stop working within 10 seconds."
        ))
    }
}
