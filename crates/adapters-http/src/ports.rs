//! The ports that the handlers call.

use std::{sync::Arc, time::Duration};

use access::{ActivityRecorder, Client, ClientError};
use actix_web::{
    HttpResponse,
    http::header::{HeaderName, HeaderValue},
    web::ServiceConfig,
};
use async_trait::async_trait;
use domain::{
    posting::Lifetime,
    store::PostingReader,
    usecase::{CatalogueCorrections, Imports, Ingest},
};
use kernel::{ClientId, event::EventFeed, trace::OptionalTracer};
use newsletter::usecase::Newsletter;
use stores::Stores;
use time::OffsetDateTime;
use webhooks::{ManagedWebhooks, Manager, PrivateAddresses, Sender};

/// The header with the replica's lag in seconds. It is absent if the lag is below 1.
const LAG: HeaderName = HeaderName::from_static("posthaste-replica-lag");

#[derive(Clone)]
pub struct Ports {
    pub stores: Stores,
    pub ingest: Arc<dyn Ingest>,
    pub lifetime: Lifetime,
    pub imports: Arc<dyn Imports>,
    pub corrections: Arc<dyn CatalogueCorrections>,
    /// For lists, exports and events. A replica may serve these reads.
    pub reads: Arc<dyn ReadSource>,
    pub newsletter: Arc<dyn Newsletter>,
    pub sender: Arc<dyn Sender>,
    pub private_addresses: PrivateAddresses,
    pub recorder: Arc<dyn ActivityRecorder>,
    pub pages: Arc<dyn ClientPages>,
    pub tracer: OptionalTracer,
}

impl Ports {
    pub(crate) fn webhooks_of(&self, client: ClientId) -> ManagedWebhooks<'_> {
        ManagedWebhooks {
            webhooks: &*self.stores.webhooks,
            log: &*self.stores.events,
            clients: &*self.stores.clients,
            sender: &*self.sender,
            by: Manager::Client(client),
        }
    }
}

/// Adds the routes of pages. Their paths omit the common prefix.
pub type PageRoutes = Arc<dyn Fn(&mut ServiceConfig) + Send + Sync>;

#[async_trait]
pub trait ClientPages: Send + Sync {
    fn routes(&self, public_url: &str) -> PageRoutes;

    /// Creates a one-time sign-in link with this client's scopes. Returns the link and its expiry.
    async fn link(
        &self,
        client: &Client,
        public_url: &str,
    ) -> Result<(String, OffsetDateTime), ClientError>;
}

/// A source of reads. Each answer uses a single source, because another may be further behind.
#[derive(Clone)]
pub struct ReadPorts {
    pub postings: Arc<dyn PostingReader>,
    pub events: Arc<dyn EventFeed>,
    pub lag: Duration,
}

pub trait ReadSource: Send + Sync {
    fn choose(&self) -> ReadPorts;
}

impl ReadSource for ReadPorts {
    fn choose(&self) -> Self {
        self.clone()
    }
}

impl ReadPorts {
    pub(crate) fn label(&self, mut answer: HttpResponse) -> HttpResponse {
        let seconds = self.lag.as_secs();
        if seconds > 0 {
            answer.headers_mut().insert(LAG, HeaderValue::from(seconds));
        }
        answer
    }
}
