//! `posthaste webhooks pause`, `resume` and `delete`.

use ::webhooks::{EndpointChange, WantedState};
use clap::Args;
use kernel::field::Patch;
use runtime::clock;

use super::context::{Context, WebhookArgs, in_words};
use crate::output;

/// Stop deliveries for a while; events wait
#[derive(Debug, Args)]
pub struct Pause {
    #[command(flatten)]
    webhook: WebhookArgs,
}

impl Pause {
    pub async fn run(self) -> anyhow::Result<()> {
        set(&self.webhook, WantedState::Paused).await
    }
}

/// Resume deliveries, also to a webhook that was disabled; events that waited follow
#[derive(Debug, Args)]
pub struct Resume {
    #[command(flatten)]
    webhook: WebhookArgs,
}

impl Resume {
    pub async fn run(self) -> anyhow::Result<()> {
        set(&self.webhook, WantedState::Active).await
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

async fn set(args: &WebhookArgs, state: WantedState) -> anyhow::Result<()> {
    let context = Context::open(args).await?;
    let change = EndpointChange {
        state: Patch::Set(state),
        ..EndpointChange::default()
    };
    let webhooks = context.webhooks();
    let changed = webhooks.update(args.id, &change, clock::now()).await;
    let endpoint = changed.map_err(in_words)?.endpoint;
    output::print(format_args!("{} is {}.", endpoint.id, endpoint.state))
}
