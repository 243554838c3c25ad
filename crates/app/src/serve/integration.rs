//! The pages of clients on the API's listener.

use std::sync::Arc;

use access::{
    Client, ClientError,
    sign_in::{LinkMaker, SignInTokens},
};
use adapters_console::{SharedPorts, client_link, integration_routes};
use adapters_http::{ClientPages, PageRoutes, event_data, new_ping};
use async_trait::async_trait;
use domain::usecase::CatalogueCorrections;
use runtime::clock;
use time::OffsetDateTime;
use webhooks::Sender;

use crate::{cli::WorkArgs, database::Database};

/// What these pages and the console call.
pub fn shared_ports(
    database: &Database,
    sender: Arc<dyn Sender>,
    corrections: Arc<dyn CatalogueCorrections>,
    work: &WorkArgs,
) -> SharedPorts {
    let appeal = work.appeal.appeal_url.clone();
    let of_events = appeal.clone();
    SharedPorts {
        sign_in_tokens: Arc::clone(&database.sign_in_tokens),
        clients: Arc::clone(&database.clients),
        activity: Arc::clone(&database.activity),
        browser: Arc::clone(&database.browser),
        postings: Arc::clone(&database.postings),
        catalogues: Arc::clone(&database.catalogues),
        corrections,
        webhooks: Arc::clone(&database.webhooks),
        log: Arc::clone(&database.events),
        sender,
        new_ping: Arc::new(|at| new_ping(at).ok()),
        event_text: Arc::new(move |event, posting| {
            let data = event_data(event, posting, of_events.as_deref())?;
            serde_json::to_string_pretty(&data).ok()
        }),
        appeal,
        private_addresses: work.addresses.private,
        clock: clock::system(),
    }
}

/// The pages, with what they call.
pub struct Pages(pub SharedPorts);

#[async_trait]
impl ClientPages for Pages {
    fn routes(&self, public_url: &str) -> PageRoutes {
        Arc::new(integration_routes(self.0.clone(), public_url))
    }

    async fn link(
        &self,
        client: &Client,
        public_url: &str,
    ) -> Result<(String, OffsetDateTime), ClientError> {
        let tokens: &dyn SignInTokens = &*self.0.sign_in_tokens;
        let by = LinkMaker::Client;
        client_link(tokens, client, by, public_url, clock::now()).await
    }
}
