//! What handlers share: the ports, the site and the settings.

use std::{net::IpAddr, num::NonZeroU32, sync::Arc};

use access::{
    ActivityLog, Clients,
    sign_in::{SignInToken, SignInTokens, TokenDigest, token_digest},
};
use domain::{
    browse::{PostingBrowser, WindowOrder},
    catalogue::{Catalogue, Catalogues},
    company::CompanyReader,
    posting::{Lifetime, PostingView},
    store::{PostingReader, Store},
    usecase::CatalogueCorrections,
};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use kernel::{
    ClientId, Status, StoreError,
    audit::AuditLog,
    event::{Event, EventLog},
    outbox::{Kind, Outbox},
};
use newsletter::{
    store::{Accounts, SubscriberCount, SubscriberReader},
    subscriber::{MigrationToken, SubscriberId},
};
use runtime::Gathered;
use secrecy::SecretString;
use time::{Duration, OffsetDateTime};
use webhooks::{PrivateAddresses, Sender, Webhooks};

use crate::{error::Failure, page::Place, ttl_cache::TtlCache};

/// The number of invalid links a minute that are answered with a page. Further ones get 429.
const MOST_GUESSES: NonZeroU32 = NonZeroU32::new(600).unwrap();

/// Postings of a status are counted up to this number.
pub const STATUS_COUNT: usize = 1_000_001;

/// Postings by which the time to approval is told.
const APPROVED: usize = 500;

/// The number of postings of each status.
type Counts = Vec<(Status, usize)>;

/// Draws the secret of a client: the secret and its digest; `None` without random numbers.
pub type NewSecret = Arc<dyn Fn() -> Option<(String, [u8; 32])> + Send + Sync>;
/// Draws the id and the token of a new subscriber.
pub type NewSubscriber = Arc<dyn Fn() -> (SubscriberId, MigrationToken) + Send + Sync>;
/// Writes a ping at a time: its id and its body.
pub type NewPing = Arc<dyn Fn(OffsetDateTime) -> Option<(String, Vec<u8>)> + Send + Sync>;

/// Writes the payload of an event for people, with the posting if it is given; `None` for one that
/// readers outside do not see.
pub type EventText = Arc<dyn Fn(&Event, Option<&PostingView>) -> Option<String> + Send + Sync>;

/// The ports that the pages of clients call, and the console too.
#[derive(Clone)]
pub struct SharedPorts {
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
    /// Releases and undos of catalogue imports.
    pub corrections: Arc<dyn CatalogueCorrections>,
    /// Webhooks.
    pub webhooks: Arc<dyn Webhooks>,
    /// The event log.
    pub log: Arc<dyn EventLog>,
    /// Calls receivers of webhooks.
    pub sender: Arc<dyn Sender>,
    /// Writes pings.
    pub new_ping: NewPing,
    /// Writes payloads of events.
    pub event_text: EventText,
    /// Where decisions can be contested.
    pub appeal: Option<Arc<str>>,
    /// Whether webhooks may lead to private addresses.
    pub private_addresses: PrivateAddresses,
    /// The clock.
    pub clock: Arc<dyn Fn() -> OffsetDateTime + Send + Sync>,
}

/// The ports that the console calls.
#[derive(Clone)]
pub struct Ports {
    /// Those that the pages of clients call, too.
    pub shared: SharedPorts,
    /// Loads postings and companies by id, and takes decisions about them.
    pub store: Arc<dyn Store>,
    /// How long an approved posting stays.
    pub lifetime: Lifetime,
    /// Lists companies.
    pub companies: Arc<dyn CompanyReader>,
    /// Draws secrets of clients.
    pub new_secret: NewSecret,
    /// Side effects.
    pub outbox: Arc<dyn Outbox>,
    /// Every kind of side effect.
    pub kinds: Vec<Kind>,
    /// Loads subscribers, and takes decisions about them.
    pub subscribers: Arc<dyn newsletter::store::Store>,
    /// Draws the id and the token of a subscriber.
    pub new_subscriber: NewSubscriber,
    /// Counts subscribers.
    pub subscriber_counts: Arc<dyn SubscriberReader>,
    /// The e-mail provider's accounts.
    pub accounts: Arc<dyn Accounts>,
    /// What operators did.
    pub audit: Arc<dyn AuditLog>,
}

/// The settings of the console.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The address that browsers use, without a slash at the end.
    pub url: String,
    /// The proxy that signs operators in; without one, links do.
    pub proxy: Option<TrustedProxy>,
    /// Whether the board has a newsletter: an account of the provider.
    pub has_newsletter: bool,
}

/// A proxy that is trusted to name the signed-in operator.
#[derive(Clone, Debug)]
pub struct TrustedProxy {
    /// The header in which it names the operator.
    pub user_header: String,
    /// The addresses that it calls from.
    pub addresses: Vec<IpAddr>,
    /// What it sends as `Posthaste-Proxy-Secret`.
    pub secret: SecretString,
}

/// A place at its address, with what all its pages call.
pub struct Site {
    pub place: &'static Place,
    pub ports: SharedPorts,
    /// Whether cookies are for `https` alone.
    pub is_secure: bool,
    /// The origin of its own pages.
    pub origin: String,
    /// Counts the links that were not valid.
    pub guesses: DefaultDirectRateLimiter,
    /// Looks up tokens together, because strangers may try any number of them.
    tokens: Gathered<TokenDigest, SignInToken>,
}

impl Site {
    /// A place below the URL that browsers use.
    pub fn new(place: &'static Place, url: &str, ports: SharedPorts) -> Self {
        let origin = url::Url::parse(url).map(|url| url.origin().ascii_serialization());
        let tokens = Arc::clone(&ports.sign_in_tokens);
        let tokens = Gathered::new(move |digests: Vec<TokenDigest>| {
            let tokens = Arc::clone(&tokens);
            async move {
                let found = tokens.find_tokens(&digests).await?.into_iter();
                Ok(found.map(|token| (token.digest, token)).collect())
            }
        });
        Self {
            place,
            ports,
            is_secure: url.starts_with("https://"),
            origin: origin.unwrap_or_default(),
            guesses: RateLimiter::direct(Quota::per_minute(MOST_GUESSES)),
            tokens,
        }
    }

    /// The stored token of a link or a session.
    pub async fn find_token(&self, token: &str) -> Result<Option<SignInToken>, StoreError> {
        self.tokens.get(token_digest(token)).await
    }

    /// The time.
    pub fn now(&self) -> OffsetDateTime {
        (self.ports.clock)()
    }
}

/// What the handlers of the console share besides its [`Site`].
pub struct State {
    pub ports: Ports,
    pub settings: Settings,
    counts: TtlCache<Counts>,
    times_to_approval: TtlCache<Vec<Duration>>,
    subscriber_counts: TtlCache<Vec<SubscriberCount>>,
    catalogues: TtlCache<Vec<Catalogue>>,
}

impl State {
    pub fn new(ports: Ports, settings: Settings) -> Self {
        Self {
            ports,
            settings,
            counts: TtlCache::default(),
            times_to_approval: TtlCache::default(),
            subscriber_counts: TtlCache::default(),
            // Few boards have so many that a page does not see the newest.
            catalogues: TtlCache::new(std::time::Duration::ZERO),
        }
    }

    /// The number of postings of each status; `None` while they are counted for the first time.
    pub async fn counts(&self) -> Result<Option<Counts>, Failure> {
        let browser = Arc::clone(&self.ports.shared.browser);
        let count = async move {
            let mut counts = Vec::new();
            for status in Status::ALL {
                counts.push((*status, browser.count_status(*status, STATUS_COUNT).await?));
            }
            Ok(counts)
        };
        self.counts.get(count).await
    }

    /// The times from the first push to the first approval of the approved postings that changed
    /// last, ascending; `None` while they are read for the first time.
    pub async fn times_to_approval(&self) -> Result<Option<Vec<Duration>>, Failure> {
        let browser = Arc::clone(&self.ports.shared.browser);
        let read = async move {
            let order = WindowOrder::Newest {
                status: Some(Status::Approved),
                before: None,
            };
            let newest = browser.window(&order, APPROVED).await?;
            let times = newest.iter();
            let times = times.filter_map(|one| Some(one.published_at? - one.created_at));
            let mut times: Vec<_> = times.collect();
            times.sort_unstable();
            Ok(times)
        };
        self.times_to_approval.get(read).await
    }

    /// The number of subscribers by account and status; `None` while they are counted for the first
    /// time.
    pub async fn subscriber_counts(&self) -> Result<Option<Vec<SubscriberCount>>, Failure> {
        let subscriber_counts = Arc::clone(&self.ports.subscriber_counts);
        self.subscriber_counts
            .get(async move { subscriber_counts.counts().await })
            .await
    }

    /// The catalogues of these clients, whose postings are counted; `None` while they are counted
    /// for the first time.
    pub async fn catalogues(
        &self,
        clients: Vec<ClientId>,
        now: OffsetDateTime,
    ) -> Result<Option<Vec<Catalogue>>, Failure> {
        let catalogues = Arc::clone(&self.ports.shared.catalogues);
        let list = async move {
            let mut found = Vec::new();
            for client in clients {
                found.extend(catalogues.list(client, now).await?);
            }
            Ok(found)
        };
        self.catalogues.get(list).await
    }

    /// A secret for a client, and its digest.
    pub fn new_secret(&self) -> Result<(String, [u8; 32]), Failure> {
        let drawn = (self.ports.new_secret)();
        drawn.ok_or_else(|| Failure::broken("there are no random numbers"))
    }
}
