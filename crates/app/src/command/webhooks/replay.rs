//! `posthaste webhooks replay`.

use clap::Args;
use runtime::clock;
use time::OffsetDateTime;

use super::context::{Context, WebhookArgs, in_words};
use crate::{config, output};

/// Deliver all events since a time again, as far as they are kept
#[derive(Debug, Args)]
pub struct Replay {
    /// From when on: a day such as `2026-03-01`, or an RFC 3339 time
    #[arg(
        long,
        value_name = "TIME",
        env = "POSTHASTE_WEBHOOK_SINCE",
        value_parser = config::since
    )]
    since: OffsetDateTime,
    #[command(flatten)]
    webhook: WebhookArgs,
}

impl Replay {
    pub async fn run(self) -> anyhow::Result<()> {
        let (id, since) = (self.webhook.id, self.since);
        let context = Context::open(&self.webhook).await?;
        let webhooks = context.webhooks();
        let replayed = webhooks.replay(id, since, clock::now()).await;
        replayed.map_err(in_words)?;
        output::print(format_args!(
            "Events since {} are delivered again to {id}, as far as they are kept.",
            output::time(since)
        ))
    }
}
