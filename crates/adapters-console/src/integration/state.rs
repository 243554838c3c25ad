//! What the handlers share: the ports, and whose pages they are.

use std::sync::Arc;

use ::webhooks::{PrivateAddresses, Sender, Webhooks};
use access::{
    ActivityLog, Client, ClientError, Clients, Scope,
    sign_in::{Integrators, SignInTokens, issue_client_link, token_digest},
};
use actix_web::HttpRequest;
use domain::{
    browse::PostingBrowser, catalogue::Catalogues, store::PostingReader, usecase::UndoCatalogue,
};
use kernel::{audit::Attribution, event::EventLog};
use time::OffsetDateTime;

use crate::{
    error::Failure,
    page::Place,
    session::{Named, SIGN_IN_PATH, Signed, new_token},
    sign_in::{Door, LINK_PARAMETER, Way},
    state::{EventText, NewPing, Site},
};

/// Where the pages are.
pub static INTEGRATION: Place = Place {
    base: "/integration",
    cookie: "posthaste_integration",
    navigation: &[
        ("/", "Overview"),
        ("/postings", "Postings"),
        ("/catalogues", "Catalogues"),
        ("/webhooks", "Webhooks"),
    ],
};
/// The ports that the pages call.
#[derive(Clone)]
pub struct IntegrationPorts {
    /// Links and sessions.
    pub sign_in_tokens: Arc<dyn SignInTokens>,
    /// The OAuth clients.
    pub clients: Arc<dyn Clients>,
    /// What clients did.
    pub activity: Arc<dyn ActivityLog>,
    /// Looks through postings.
    pub browser: Arc<dyn PostingBrowser>,
    /// Reads one posting.
    pub postings: Arc<dyn PostingReader>,
    /// The catalogues.
    pub catalogues: Arc<dyn Catalogues>,
    /// Undoes what a catalogue's import expired.
    pub undo: Arc<dyn UndoCatalogue>,
    /// Webhooks.
    pub webhooks: Arc<dyn Webhooks>,
    /// The event log.
    pub log: Arc<dyn EventLog>,
    /// Calls receivers of webhooks.
    pub sender: Arc<dyn Sender>,
    /// Writes pings.
    pub new_ping: NewPing,
    /// Writes the payload of a delivery.
    pub event_text: EventText,
    /// Where decisions can be contested.
    pub appeal: Option<Arc<str>>,
    /// Whether webhooks may lead to private addresses.
    pub private_addresses: PrivateAddresses,
    /// The clock.
    pub clock: Arc<dyn Fn() -> OffsetDateTime + Send + Sync>,
}

pub struct State {
    pub ports: IntegrationPorts,
    pub site: Site,
}

impl State {
    pub fn now(&self) -> OffsetDateTime {
        (self.ports.clock)()
    }

    pub fn door(&self) -> Door<'_, Integrators<'_>> {
        Door {
            site: &self.site,
            way: Way::Client,
            tokens: &*self.ports.sign_in_tokens,
            admission: Integrators(&*self.ports.clients),
            now: self.now(),
        }
    }
}

/// Somebody who is signed in for a client.
pub type Visitor = Signed<Client>;

impl Named for Client {
    fn name(&self) -> &str {
        &self.name
    }
}

/// Makes a link of a client that signs in to its pages once, by an operator or for itself. Says
/// until when.
pub async fn client_link(
    tokens: &dyn SignInTokens,
    client: &Client,
    by: Option<&Attribution>,
    public_url: &str,
    now: OffsetDateTime,
) -> Result<(String, OffsetDateTime), ClientError> {
    let token = new_token();
    let link = issue_client_link(tokens, token_digest(&token), client, by, now).await?;
    let base = INTEGRATION.base;
    let url = format!("{public_url}{base}{SIGN_IN_PATH}?{LINK_PARAMETER}={token}");
    Ok((url, link.expires_at))
}

/// The client of a request, which must have one of these scopes.
pub fn client_with(request: &HttpRequest, scopes: &'static [Scope]) -> Result<Client, Failure> {
    let client = Visitor::of(request)?.who;
    if client.may(scopes) {
        Ok(client)
    } else {
        Err(Failure::Scope(scopes))
    }
}
