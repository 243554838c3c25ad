//! The ports that the handlers of webhooks use.

use std::sync::Arc;

use kernel::{ClientId, event::EventLog};
use webhooks::{ManagedWebhooks, Manager, PrivateAddresses, Sender, Webhooks};

/// The ports that the handlers of webhooks use.
#[derive(Clone)]
pub struct WebhookPorts {
    /// The endpoints.
    pub webhooks: Arc<dyn Webhooks>,
    /// The event log.
    pub log: Arc<dyn EventLog>,
    /// Calls receivers.
    pub sender: Arc<dyn Sender>,
    /// Whether receivers may have private addresses.
    pub private: PrivateAddresses,
}

impl WebhookPorts {
    /// The commands of a client.
    pub fn of(&self, client: ClientId) -> ManagedWebhooks<'_> {
        ManagedWebhooks {
            webhooks: &*self.webhooks,
            log: &*self.log,
            sender: &*self.sender,
            by: Manager::Client(client),
        }
    }
}
