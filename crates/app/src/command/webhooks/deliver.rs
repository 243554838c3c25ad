//! `posthaste webhooks test`, `replay` and `resend`.

use std::process::ExitCode;

use ::webhooks::Outcome;
use clap::Args;
use kernel::event::Cursor;
use runtime::clock;
use time::OffsetDateTime;
use uuid::Uuid;
use views::webhook::{TestOutcome, ping};

use super::context::{Context, WebhookArgs, in_words};
use crate::{
    args::{JsonArgs, WebhookAddressArgs, exit_code, values::since},
    output, text,
};

/// Deliver a ping now, and print the outcome
#[derive(Debug, Args)]
pub struct Test {
    #[command(flatten)]
    webhook: WebhookArgs,
    #[command(flatten)]
    addresses: WebhookAddressArgs,
    #[command(flatten)]
    json: JsonArgs,
}

impl Test {
    pub async fn run(self) -> anyhow::Result<ExitCode> {
        let id = self.webhook.id;
        let context = Context::new(self.webhook.change.open().await?, self.addresses.private)?;
        let (webhooks, now) = (context.webhooks(), clock::now());
        let announced = webhooks.announce_test(id, &*context.database.store, now);
        announced.await.map_err(in_words)?;
        let (delivery, body) = ping(Uuid::now_v7(), now)?;
        let attempt = webhooks.test(id, (&delivery, &body), now).await;
        let attempt = attempt.map_err(in_words)?;
        let milliseconds = attempt.duration.as_millis();
        self.json.print(&TestOutcome::new(&attempt), || {
            if let Outcome::Delivered(status) = attempt.outcome {
                return format!("answered {status} in {milliseconds} ms");
            }
            let error = attempt.error.as_deref().map(text::plain);
            let error = error.as_deref().unwrap_or("failed");
            format!("{error} after {milliseconds} ms")
        })?;
        Ok(exit_code(attempt.outcome.is_delivered()))
    }
}

/// Deliver all events since a time again, if they are still kept
#[derive(Debug, Args)]
pub struct Replay {
    /// The earliest time: a day such as `2026-03-01`, or an RFC 3339 time
    #[arg(long, value_name = "TIME", env = "POSTHASTE_WEBHOOK_SINCE", value_parser = since)]
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

/// Deliver one event again, if it is still kept
#[derive(Debug, Args)]
pub struct Resend {
    #[command(flatten)]
    webhook: WebhookArgs,
    /// The event's id, as `webhooks deliveries` shows it
    #[arg(value_name = "EVENT_ID", value_parser = event_id)]
    event: Cursor,
}

fn event_id(text: &str) -> Result<Cursor, String> {
    let id = text.trim().parse();
    id.map_err(|_| format!("{text:?} is not the id of an event"))
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
