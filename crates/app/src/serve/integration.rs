use std::sync::Arc;

use access::{
    Client, ClientError,
    sign_in::{LinkMaker, SignInTokens},
};
use adapters_console::{Ports, client_link, integration_routes};
use adapters_http::{ClientPages, PageRoutes};
use async_trait::async_trait;
use domain::usecase::CatalogueCorrections;
use runtime::clock;
use stores::Stores;
use time::OffsetDateTime;
use webhooks::Sender;

use crate::args::WorkArgs;

pub fn page_ports(
    stores: &Stores,
    sender: &Arc<dyn Sender>,
    corrections: &Arc<dyn CatalogueCorrections>,
    work: &WorkArgs,
) -> Ports {
    Ports {
        stores: stores.clone(),
        corrections: Arc::clone(corrections),
        sender: Arc::clone(sender),
        appeal: work.appeal.appeal_url.clone(),
        private_addresses: work.addresses.private,
        lifetime: work.lifetime.lifetime,
        clock: clock::system(),
    }
}

pub struct Pages(pub Ports);

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
        let tokens: &dyn SignInTokens = &*self.0.stores.sign_in_tokens;
        let by = LinkMaker::Client;
        client_link(tokens, client, by, public_url, clock::now()).await
    }
}
