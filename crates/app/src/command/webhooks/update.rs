//! `posthaste webhooks update`.

use ::webhooks::{EndpointChange, EndpointUrl};
use clap::{ArgAction, Args};
use kernel::{event::EventName, field::Patch};
use runtime::clock;

use super::{
    context::{Context, WebhookArgs, in_words},
    create::{distinct, url},
};
use crate::{cli::WebhookAddressArgs, config, output};

/// Change where a webhook leads, or what it gets
// The variables are not those of `create`: what is set for new webhooks must not change others.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("change").required(true).multiple(true))]
pub struct Update {
    /// Where events are delivered from now on; those that failed are due at once
    #[arg(
        long,
        value_name = "URL",
        env = "POSTHASTE_WEBHOOK_NEW_URL",
        group = "change"
    )]
    url: Option<String>,

    /// The type of wanted events, in place of the present ones; several times, or separated by
    /// commas
    #[arg(
        long = "type",
        value_name = "TYPE",
        env = "POSTHASTE_WEBHOOK_NEW_TYPE",
        value_delimiter = ',',
        action = ArgAction::Append,
        value_parser = config::event_type,
        group = "change"
    )]
    types: Vec<EventName>,

    /// Deliver events of all types
    #[arg(
        long,
        env = "POSTHASTE_WEBHOOK_ALL_TYPES",
        conflicts_with = "types",
        group = "change"
    )]
    all_types: bool,

    /// What the webhook is for
    #[arg(
        long,
        value_name = "TEXT",
        env = "POSTHASTE_WEBHOOK_NEW_DESCRIPTION",
        value_parser = config::webhook_description,
        group = "change"
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
                types => Patch::Set(distinct(types)),
            },
            description: self.description.map_or(Patch::Keep, Patch::Set),
            ..EndpointChange::default()
        };
        let by = self.webhook.operator.attribution()?;
        let context = Context::new(self.webhook.store.open().await?, by, private)?;
        let webhooks = context.webhooks();
        let updated = webhooks.update(id, &change, clock::now()).await;
        updated.map_err(in_words)?;
        output::print(format_args!("{id} is changed."))
    }
}
