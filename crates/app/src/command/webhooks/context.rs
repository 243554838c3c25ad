use std::sync::Arc;

use ::webhooks::{
    EndpointId, ManagedWebhooks, Manager, PrivateAddresses, TrackedEndpoint, WebhookError,
};
use adapters_webhooks::WebhookClient;
use anyhow::anyhow;
use clap::Args;
use kernel::audit::Attribution;
use stores::Stores;

use crate::args::ChangeArgs;

// The webhook that a command changes. Not a doc comment: clap would show it as the command's help.
#[derive(Debug, Args)]
pub struct WebhookArgs {
    /// The webhook's id
    #[arg(value_name = "ID", value_parser = endpoint_id)]
    pub id: EndpointId,
    #[command(flatten)]
    pub change: ChangeArgs,
}

pub fn endpoint_id(text: &str) -> Result<EndpointId, String> {
    let id = text.trim().parse();
    id.map_err(|_| format!("{text:?} is not a webhook's id, which is a UUID"))
}

pub struct Context {
    pub database: Stores,
    client: Arc<WebhookClient>,
    by: Attribution,
}

impl Context {
    pub fn new(
        (by, database): (Attribution, Stores),
        private: PrivateAddresses,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            client: crate::serve::webhooks::client(private)?,
            database,
            by,
        })
    }

    /// Opens the webhook for commands that call no receiver.
    pub async fn open(args: &WebhookArgs) -> anyhow::Result<Self> {
        Self::new(args.change.open().await?, PrivateAddresses::default())
    }

    pub fn webhooks(&self) -> ManagedWebhooks<'_> {
        ManagedWebhooks {
            webhooks: &*self.database.webhooks,
            log: &*self.database.events,
            clients: &*self.database.clients,
            sender: &*self.client,
            by: Manager::Operator(&self.by),
        }
    }
}

pub async fn find(database: &Stores, id: EndpointId) -> anyhow::Result<TrackedEndpoint> {
    let found = database.webhooks.find(id).await?;
    found.ok_or_else(|| in_words(WebhookError::NotFound))
}

pub fn in_words(error: WebhookError) -> anyhow::Error {
    match error {
        WebhookError::NotFound => {
            anyhow!("there is no such webhook; `posthaste webhooks list` lists them")
        }
        WebhookError::EventNotFound => anyhow!(
            "there is no such event, it is no longer kept, or the webhook's owner may not see it"
        ),
        error => error.into(),
    }
}
