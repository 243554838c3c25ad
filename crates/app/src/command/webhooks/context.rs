//! What commands on one webhook share.

use std::sync::Arc;

use ::webhooks::{
    EndpointId, ManagedWebhooks, Manager, PrivateAddresses, TrackedEndpoint, WebhookError,
};
use adapters_webhooks::WebhookClient;
use anyhow::bail;
use clap::Args;
use kernel::audit::Attribution;

use crate::{
    cli::{OperatorArgs, StoreArgs},
    config,
    database::Database,
};

// The webhook that a command changes. Clap would show a doc comment as the command's help.
#[derive(Debug, Args)]
pub struct WebhookArgs {
    /// The webhook's id
    #[arg(value_name = "ID", value_parser = config::endpoint_id)]
    pub id: EndpointId,
    #[command(flatten)]
    pub store: StoreArgs,
    #[command(flatten)]
    pub operator: OperatorArgs,
}

/// The database, the client that calls receivers, and the operator who gives a command.
pub struct Context {
    pub database: Database,
    client: Arc<WebhookClient>,
    by: Attribution,
}

impl Context {
    pub fn new(
        database: Database,
        by: Attribution,
        private: PrivateAddresses,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            client: crate::webhooks::quiet_client(private)?,
            database,
            by,
        })
    }

    /// For a command that calls no receiver.
    pub async fn open(args: &WebhookArgs) -> anyhow::Result<Self> {
        let by = args.operator.attribution()?;
        let database = args.store.open().await?;
        Self::new(database, by, PrivateAddresses::default())
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

/// The webhook of an id.
pub async fn find(database: &Database, id: EndpointId) -> anyhow::Result<TrackedEndpoint> {
    match database.webhooks.find(id).await? {
        Some(tracked) => Ok(tracked),
        None => bail!(in_words(WebhookError::NotFound)),
    }
}

/// An error as a command says it.
pub fn in_words(error: WebhookError) -> anyhow::Error {
    match error {
        WebhookError::NotFound => anyhow::anyhow!(
            "there is no such webhook; `posthaste webhooks list` shows those there are"
        ),
        WebhookError::EventNotFound => anyhow::anyhow!(
            "there is no such event, it is no longer kept, or the webhook's owner may not see it"
        ),
        error => error.into(),
    }
}
