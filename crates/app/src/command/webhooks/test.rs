//! `posthaste webhooks test`.

use std::process::ExitCode;

use ::webhooks::Outcome;
use adapters_http::new_ping;
use clap::Args;
use runtime::clock;
use serde_json::json;

use super::context::{Context, WebhookArgs, in_words};
use crate::{
    cli::{JsonArgs, WebhookAddressArgs},
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
    /// Fails if the receiver does not take the ping.
    pub async fn run(self) -> anyhow::Result<ExitCode> {
        let id = self.webhook.id;
        let by = self.webhook.operator.attribution()?;
        let database = self.webhook.store.open().await?;
        let context = Context::new(database, by, self.addresses.private)?;
        let (webhooks, now) = (context.webhooks(), clock::now());
        let announced = webhooks.announce_test(id, &*context.database.store, now);
        announced.await.map_err(in_words)?;
        let (delivery, body) = new_ping(now)?;
        let attempt = webhooks.test(id, (&delivery, &body), now).await;
        let attempt = attempt.map_err(in_words)?;
        let milliseconds = attempt.duration.as_millis();
        let status = attempt.outcome.status();
        if self.json.enabled {
            output::print_json(&json!({
                "status": status,
                "duration_ms": u64::try_from(milliseconds)?,
                "error": attempt.error,
            }))?;
        } else {
            let error = attempt.error.as_deref().map(text::plain);
            output::print(match (attempt.outcome, error) {
                (Outcome::Delivered(status), _) => {
                    format!("answered {status} in {milliseconds} ms")
                }
                (_, error) => format!(
                    "{} after {milliseconds} ms",
                    error.as_deref().unwrap_or("failed")
                ),
            })?;
        }
        Ok(if attempt.outcome.is_delivered() {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        })
    }
}
