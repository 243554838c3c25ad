//! `posthaste webhooks rotate`.

use std::slice;

use ::webhooks::{Owner, Secret};
use clap::Args;
use runtime::clock;

use super::{
    context::{Context, WebhookArgs, in_words},
    show::{self, Shown},
};
use crate::{cli::JsonArgs, output};

/// Replace the secret; the old one signs too for 24 hours
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
        if self.json.enabled {
            let owners =
                show::owners(&*context.database.clients, slice::from_ref(&tracked)).await?;
            let shown = Shown::new(&tracked, &owners, None);
            return output::print_json(&shown.with_secret(&secret));
        }
        output::print(format_args!(
            "secret  {secret}\nThe secret is not shown again. The old one signs too for 24 hours."
        ))?;
        if let Owner::Client(client) = tracked.endpoint.owner {
            output::print(format_args!(
                "The webhook is that of client {client}, which needs the new one."
            ))?;
        }
        Ok(())
    }
}
