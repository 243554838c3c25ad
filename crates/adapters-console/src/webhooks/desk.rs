//! What the pages of webhooks need.

use access::Clients;
use domain::store::{PostingReader, Store};
use kernel::audit::Attribution;
use time::OffsetDateTime;
use webhooks::{ManagedWebhooks, Manager, PrivateAddresses};

use crate::state::{EventText, NewPing, State};

/// What the pages need, whether an operator or a client looks at them.
pub struct Desk<'a> {
    pub webhooks: ManagedWebhooks<'a>,
    pub clients: &'a dyn Clients,
    pub postings: &'a dyn PostingReader,
    pub private_addresses: PrivateAddresses,
    pub new_ping: &'a NewPing,
    pub event_text: &'a EventText,
    /// Where the tests of operators are recorded.
    pub store: Option<&'a dyn Store>,
    pub now: OffsetDateTime,
}

impl<'a> Desk<'a> {
    /// That of an operator.
    pub fn of_operator(state: &'a State, by: &'a Attribution) -> Self {
        let ports = &state.ports;
        Self {
            webhooks: ManagedWebhooks {
                webhooks: &*ports.webhooks,
                log: &*ports.log,
                clients: &*ports.clients,
                sender: &*ports.sender,
                by: Manager::Operator(by),
            },
            clients: &*ports.clients,
            postings: &*ports.postings,
            private_addresses: state.private_addresses,
            new_ping: &ports.new_ping,
            event_text: &ports.event_text,
            store: Some(&*ports.store),
            now: state.now(),
        }
    }
}
