//! `posthaste webhooks resend`.

use clap::Args;
use kernel::event::Cursor;
use runtime::clock;

use super::context::{Context, WebhookArgs, in_words};
use crate::{config, output};

/// Deliver one event again, if it is still kept
#[derive(Debug, Args)]
pub struct Resend {
    #[command(flatten)]
    webhook: WebhookArgs,
    /// The event's id, as `webhooks deliveries` shows it
    #[arg(value_name = "EVENT_ID", value_parser = config::event_id)]
    event: Cursor,
}

impl Resend {
    pub async fn run(self) -> anyhow::Result<()> {
        let (id, event) = (self.webhook.id, self.event);
        let context = Context::open(&self.webhook).await?;
        let webhooks = context.webhooks();
        let resent = webhooks.resend(id, event, clock::now()).await;
        resent.map_err(in_words)?;
        output::print(format_args!("Event {event} is delivered again to {id}."))
    }
}
