//! `posthaste webhooks create`.

use std::collections::HashSet;

use ::webhooks::{EndpointId, EndpointUrl, NewEndpoint, PrivateAddresses, Secret};
use clap::{ArgAction, Args};
use kernel::{Prefixes, event::EventName};
use runtime::clock;
use uuid::Uuid;

use super::{
    context::{Context, find, in_words},
    show::{Owners, Shown},
};
use crate::{
    cli::{JsonArgs, OperatorArgs, StoreArgs, WebhookAddressArgs},
    config,
    misconfigured::Misconfigured,
    output,
};

/// Register a webhook of the operators; its secret is shown this once
#[derive(Debug, Args)]
pub struct Create {
    /// Where events are delivered
    #[arg(long, value_name = "URL", env = "POSTHASTE_WEBHOOK_URL")]
    url: String,

    /// The type of wanted events, such as `JobPostingApproved`; several times, or separated by
    /// commas. Default: all
    #[arg(
        long = "type",
        value_name = "TYPE",
        env = "POSTHASTE_WEBHOOK_TYPE",
        value_delimiter = ',',
        action = ArgAction::Append,
        value_parser = config::event_type
    )]
    types: Vec<EventName>,

    /// The beginning of the identifiers of wanted postings; several times. Default: the whole board
    #[arg(
        long = "prefix",
        value_name = "PREFIX",
        env = "POSTHASTE_WEBHOOK_PREFIX",
        action = ArgAction::Append,
        value_parser = config::identifier_prefix
    )]
    prefixes: Vec<String>,

    /// Deliver events of a posting with the posting, as the API shows it at that moment
    #[arg(long, env = "POSTHASTE_WEBHOOK_INCLUDE_POSTING")]
    include_posting: bool,

    /// What the webhook is for
    #[arg(
        long,
        value_name = "TEXT",
        env = "POSTHASTE_WEBHOOK_DESCRIPTION",
        value_parser = config::webhook_description
    )]
    description: Option<String>,

    #[command(flatten)]
    addresses: WebhookAddressArgs,
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
        let private = self.addresses.private;
        let url = url(&self.url, private)?;
        let names = distinct(self.types);
        let prefixes = Prefixes::new(&self.prefixes)
            .map_err(|error| Misconfigured(format!("--prefix: {error}")))?;
        let new = NewEndpoint {
            url,
            names: (!names.is_empty()).then_some(names),
            include_posting: self.include_posting,
            description: self.description,
        };
        let database = self.store.open_or_make().await?;
        let context = Context::new(database, by, private)?;
        let (id, now) = (EndpointId::new(Uuid::now_v7()), clock::now());
        let created = context.webhooks();
        let created = created.create(new, prefixes, id, Secret::drawn(rand::random()), now);
        let endpoint = created.await.map_err(in_words)?;
        let secret = endpoint.secret.reveal();
        if self.json.enabled {
            let tracked = find(&context.database, id).await?;
            let shown = Shown::new(&tracked, &Owners::new(), None);
            return output::print_json(&shown.with_secret(&secret));
        }
        output::print(format_args!(
            "id      {id}\nsecret  {secret}\nThe secret is not shown again."
        ))
    }
}

/// The address of `--url`.
pub(super) fn url(text: &str, private: PrivateAddresses) -> anyhow::Result<EndpointUrl> {
    let url = EndpointUrl::parse(text, private);
    Ok(url.map_err(|error| Misconfigured(format!("--url: {error}")))?)
}

/// Each name once.
pub(super) fn distinct(names: Vec<EventName>) -> Vec<EventName> {
    let mut seen = HashSet::new();
    let names = names.into_iter();
    names.filter(|name| seen.insert(name.clone())).collect()
}
