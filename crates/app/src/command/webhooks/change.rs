//! `posthaste webhooks create`, `update`, `pause`, `resume`, `rotate` and `delete`.

use ::webhooks::{
    EndpointChange, EndpointId, EndpointUrl, LONGEST_DESCRIPTION, NewEndpoint, Owner,
    PrivateAddresses, PublicEvent, Secret, WantedState,
};
use clap::{ArgGroup, Args};
use fields::Patch;
use runtime::clock;
use uuid::Uuid;

use super::{
    context::{Context, WebhookArgs, find, in_words},
    show::shown,
};
use crate::{
    args::{
        ChangeArgs, JsonArgs, WebhookAddressArgs,
        values::{identifier_prefix, line},
    },
    command::clients::prefixes,
    misconfigured::Misconfigured,
    output,
};

/// Register a webhook of the operators; its secret is shown only once
#[derive(Debug, Args)]
pub struct Create {
    /// The address that events are delivered to
    #[arg(long, value_name = "URL", env = "POSTHASTE_WEBHOOK_URL")]
    url: String,

    /// A type of events to deliver, such as `JobPostingApproved`; can be repeated, or separated by
    /// commas. Default: all
    #[arg(
        long = "type",
        value_name = "TYPE",
        env = "POSTHASTE_WEBHOOK_TYPE",
        value_delimiter = ','
    )]
    types: Vec<PublicEvent>,

    /// The beginning of identifiers of postings to report; can be repeated. Default: the whole
    /// board
    #[arg(
        long = "prefix",
        value_name = "PREFIX",
        env = "POSTHASTE_WEBHOOK_PREFIX",
        value_parser = identifier_prefix
    )]
    prefixes: Vec<String>,

    /// Deliver events of a posting together with the posting as the API shows it at that moment
    #[arg(long, env = "POSTHASTE_WEBHOOK_INCLUDE_POSTING")]
    include_posting: bool,

    /// What the webhook is for
    #[arg(
        long,
        value_name = "TEXT",
        env = "POSTHASTE_WEBHOOK_DESCRIPTION",
        value_parser = line(LONGEST_DESCRIPTION)
    )]
    description: Option<String>,

    #[command(flatten)]
    addresses: WebhookAddressArgs,
    #[command(flatten)]
    json: JsonArgs,
    #[command(flatten)]
    change: ChangeArgs,
}

impl Create {
    pub async fn run(self) -> anyhow::Result<()> {
        let by = self.change.operator.attribution()?;
        let private = self.addresses.private;
        let url = url(&self.url, private)?;
        let names = PublicEvent::names(self.types);
        let prefixes = prefixes(&self.prefixes)?;
        let new = NewEndpoint {
            url,
            names: (!names.is_empty()).then_some(names),
            include_posting: self.include_posting,
            description: self.description,
        };
        let context = Context::new((by, self.change.store.open_or_make().await?), private)?;
        let (id, now) = (EndpointId::new(Uuid::now_v7()), clock::now());
        let created = context.webhooks();
        let created = created.create(new, prefixes, id, Secret::drawn(rand::random()), now);
        let endpoint = created.await.map_err(in_words)?;
        let secret = endpoint.secret.reveal();
        let tracked = find(&context.database, id).await?;
        let shown = shown(&context.database, &tracked, &[], Some(&secret)).await?;
        self.json.print(&shown, || {
            format!("id      {id}\nsecret  {secret}\nThe secret is not shown again.")
        })
    }
}

fn url(text: &str, private: PrivateAddresses) -> anyhow::Result<EndpointUrl> {
    let url = EndpointUrl::parse(text, private);
    Ok(url.map_err(|error| Misconfigured(format!("--url: {error}")))?)
}

const CHANGES: [&str; 4] = ["url", "types", "all_types", "description"];

/// Change the address or the events of a webhook
// Has its own variables: those of `create` must not change existing webhooks.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("change").args(CHANGES).required(true).multiple(true))]
pub struct Update {
    /// The address that events are delivered to from now on; failed events are due at once
    #[arg(long, value_name = "URL", env = "POSTHASTE_WEBHOOK_NEW_URL")]
    url: Option<String>,

    /// A type of events to deliver; can be repeated, or separated by commas, and replaces all
    /// present types
    #[arg(
        long = "type",
        value_name = "TYPE",
        env = "POSTHASTE_WEBHOOK_NEW_TYPE",
        value_delimiter = ','
    )]
    types: Vec<PublicEvent>,

    /// Deliver events of all types
    #[arg(long, env = "POSTHASTE_WEBHOOK_ALL_TYPES", conflicts_with = "types")]
    all_types: bool,

    /// What the webhook is for
    #[arg(
        long,
        value_name = "TEXT",
        env = "POSTHASTE_WEBHOOK_NEW_DESCRIPTION",
        value_parser = line(LONGEST_DESCRIPTION)
    )]
    description: Option<String>,

    #[command(flatten)]
    webhook: WebhookArgs,
    #[command(flatten)]
    addresses: WebhookAddressArgs,
}

impl Update {
    pub async fn run(self) -> anyhow::Result<()> {
        let (id, private) = (self.webhook.id, self.addresses.private);
        let url = self.url.map(|text| url(&text, private)).transpose()?;
        let change = EndpointChange {
            url: url.map_or(Patch::Keep, Patch::<EndpointUrl>::Set),
            names: match self.types {
                _ if self.all_types => Patch::Clear,
                types if types.is_empty() => Patch::Keep,
                types => Patch::Set(PublicEvent::names(types)),
            },
            description: self.description.map_or(Patch::Keep, Patch::Set),
            ..EndpointChange::default()
        };
        let context = Context::new(self.webhook.change.open().await?, private)?;
        let webhooks = context.webhooks();
        let updated = webhooks.update(id, &change, clock::now()).await;
        updated.map_err(in_words)?;
        output::print(format_args!("{id} is changed."))
    }
}

pub async fn set(args: WebhookArgs, state: WantedState) -> anyhow::Result<()> {
    let context = Context::open(&args).await?;
    let change = EndpointChange {
        state: Patch::Set(state),
        ..EndpointChange::default()
    };
    let webhooks = context.webhooks();
    let changed = webhooks.update(args.id, &change, clock::now()).await;
    let endpoint = changed.map_err(in_words)?.endpoint;
    output::print(format_args!("{} is {}.", endpoint.id, endpoint.state))
}

/// Replace the secret; for 24 hours the old one signs, too
#[derive(Debug, Args)]
pub struct Rotate {
    #[command(flatten)]
    webhook: WebhookArgs,
    #[command(flatten)]
    json: JsonArgs,
}

impl Rotate {
    pub async fn run(self) -> anyhow::Result<()> {
        let context = Context::open(&self.webhook).await?;
        let webhooks = context.webhooks();
        let rotated = webhooks.rotate(self.webhook.id, Secret::drawn(rand::random()), clock::now());
        let tracked = rotated.await.map_err(in_words)?;
        let secret = tracked.endpoint.secret.reveal();
        let shown = shown(&context.database, &tracked, &[], Some(&secret)).await?;
        self.json.print(&shown, || {
            let whose = match tracked.endpoint.owner {
                Owner::Operator => String::new(),
                Owner::Client(client) => {
                    format!("\nThe webhook belongs to client {client}, which needs the new secret.")
                }
            };
            format!(
                "secret  {secret}\nThe secret is not shown again. The old one signs too for 24 \
                 hours.{whose}"
            )
        })
    }
}

/// Delete a webhook
#[derive(Debug, Args)]
pub struct Delete {
    #[command(flatten)]
    webhook: WebhookArgs,
}

impl Delete {
    pub async fn run(self) -> anyhow::Result<()> {
        let context = Context::open(&self.webhook).await?;
        let webhooks = context.webhooks();
        let deleted = webhooks.delete(self.webhook.id, clock::now()).await;
        deleted.map_err(in_words)?;
        output::print(format_args!("{} is deleted.", self.webhook.id))
    }
}
