//! What handlers share: the ports and the settings.

use std::{net::IpAddr, sync::Arc};

use actix_web::http::header::HeaderName;
use async_trait::async_trait;
use domain::{
    audit::Attribution,
    client::Clients,
    console::{Passes, search::PostingBrowser},
    posting::{Posting, SourceIdentifier, moderation::Moderation},
    store::{PostingReader, Store},
    usecase::ModerationError,
};
use time::OffsetDateTime;

/// Moderates postings, as the command line does.
#[async_trait]
pub trait Moderator: Send + Sync {
    /// Carries out a command about one posting, and decides it again after conflicts.
    async fn moderate(
        &self,
        identifier: &SourceIdentifier,
        command: &Moderation,
        by: &Attribution,
    ) -> Result<Posting, ModerationError>;
}

/// The ports that the pages call.
#[derive(Clone)]
pub struct Ports {
    /// Links and sessions.
    pub passes: Arc<dyn Passes>,
    /// Looks through postings.
    pub browser: Arc<dyn PostingBrowser>,
    /// Reads one posting.
    pub postings: Arc<dyn PostingReader>,
    /// Loads postings by id.
    pub store: Arc<dyn Store>,
    /// Moderates postings.
    pub moderator: Arc<dyn Moderator>,
    /// The OAuth clients.
    pub clients: Arc<dyn Clients>,
    /// The clock.
    pub clock: Arc<dyn Fn() -> OffsetDateTime + Send + Sync>,
}

/// The settings of the console.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The address that browsers use, without a slash at the end.
    pub url: String,
    /// The header in which a trusted proxy names the operator.
    pub user_header: Option<String>,
    /// The addresses of trusted proxies.
    pub proxies: Vec<IpAddr>,
}

/// What handlers share.
pub struct State {
    pub ports: Ports,
    /// Whether cookies are for `https` alone.
    pub is_secure: bool,
    /// The origin of its own pages.
    pub origin: String,
    pub user_header: Option<HeaderName>,
    pub proxies: Vec<IpAddr>,
}

impl State {
    pub fn new(ports: Ports, settings: Settings) -> Self {
        let origin = url::Url::parse(&settings.url).map(|url| url.origin().ascii_serialization());
        Self {
            ports,
            is_secure: settings.url.starts_with("https://"),
            origin: origin.unwrap_or_default(),
            user_header: settings
                .user_header
                .and_then(|name| HeaderName::try_from(name).ok()),
            proxies: settings.proxies,
        }
    }

    /// The time.
    pub fn now(&self) -> OffsetDateTime {
        (self.ports.clock)()
    }
}
