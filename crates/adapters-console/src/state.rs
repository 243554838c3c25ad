//! State that handlers share: ports, site and settings.

use std::{net::IpAddr, num::NonZeroU32, sync::Arc};

use access::sign_in::{SignInToken, TokenDigest, token_digest};
use domain::{
    browse::WindowOrder, catalogue::Catalogue, posting::Lifetime, usecase::CatalogueCorrections,
};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use kernel::{ClientId, Status, StoreError, outbox::Kind};
use newsletter::store::SubscriberCount;
use runtime::Gathered;
use secrecy::SecretString;
use stores::Stores;
use time::{Duration, OffsetDateTime};
use webhooks::{PrivateAddresses, Sender};

use crate::{error::Failure, page::Place, ttl_cache::TtlCache};

/// How many invalid links a minute get a page that explains them. Further invalid links get 429.
const MOST_GUESSES: NonZeroU32 = NonZeroU32::new(600).unwrap();

/// The limit to which a status's postings are counted.
pub const STATUS_COUNT: usize = 1_000_001;

const APPROVED: usize = 500;

type Counts = Vec<(Status, usize)>;

#[derive(Clone)]
pub struct Ports {
    pub stores: Stores,
    pub corrections: Arc<dyn CatalogueCorrections>,
    pub sender: Arc<dyn Sender>,
    pub appeal: Option<Arc<str>>,
    pub private_addresses: PrivateAddresses,
    pub lifetime: Lifetime,
    pub clock: Arc<dyn Fn() -> OffsetDateTime + Send + Sync>,
}

#[derive(Clone, Debug)]
pub struct Settings {
    /// The address that browsers use, without a trailing slash.
    pub url: String,
    /// The proxy that signs operators in. Without a proxy, links sign them in.
    pub proxy: Option<TrustedProxy>,
    pub has_newsletter: bool,
    pub kinds: &'static [Kind],
}

#[derive(Clone, Debug)]
pub struct TrustedProxy {
    pub user_header: String,
    pub addresses: Vec<IpAddr>,
    pub secret: SecretString,
}

/// A `Place` at its address, with the ports and limits that its pages share.
pub struct Site {
    pub place: &'static Place,
    pub ports: Ports,
    pub is_secure: bool,
    pub origin: String,
    pub guesses: DefaultDirectRateLimiter,
    /// Combines lookups of tokens, because strangers may try very many.
    tokens: Gathered<TokenDigest, SignInToken>,
}

impl Site {
    pub fn new(place: &'static Place, url: &str, ports: Ports) -> Self {
        let origin = url::Url::parse(url).map(|url| url.origin().ascii_serialization());
        let tokens = Arc::clone(&ports.stores.sign_in_tokens);
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

    pub async fn find_token(&self, token: &str) -> Result<Option<SignInToken>, StoreError> {
        self.tokens.get(token_digest(token)).await
    }

    pub fn now(&self) -> OffsetDateTime {
        (self.ports.clock)()
    }
}

/// State of the console's handlers besides its [`Site`].
pub struct State {
    pub stores: Stores,
    pub settings: Settings,
    counts: TtlCache<Counts>,
    times_to_approval: TtlCache<Vec<Duration>>,
    subscriber_counts: TtlCache<Vec<SubscriberCount>>,
    catalogues: TtlCache<Vec<Catalogue>>,
}

impl State {
    pub fn new(stores: Stores, settings: Settings) -> Self {
        Self {
            stores,
            settings,
            counts: TtlCache::default(),
            times_to_approval: TtlCache::default(),
            subscriber_counts: TtlCache::default(),
            // Each page recomputes the catalogues. Only very large boards show slightly outdated
            // counts.
            catalogues: TtlCache::new(std::time::Duration::ZERO),
        }
    }

    /// The number of postings by status; `None` during the first count.
    pub async fn counts(&self) -> Result<Option<Counts>, Failure> {
        let browser = Arc::clone(&self.stores.browser);
        let count = async move {
            let mut counts = Vec::new();
            for status in Status::ALL {
                counts.push((*status, browser.count_status(*status, STATUS_COUNT).await?));
            }
            Ok(counts)
        };
        self.counts.get(count).await
    }

    /// The times to approval of recently changed approved postings, ascending; `None` during the
    /// first read.
    pub async fn times_to_approval(&self) -> Result<Option<Vec<Duration>>, Failure> {
        let browser = Arc::clone(&self.stores.browser);
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

    /// Subscribers by account and status; `None` during the first count.
    pub async fn subscriber_counts(&self) -> Result<Option<Vec<SubscriberCount>>, Failure> {
        let subscribers = Arc::clone(&self.stores.subscribers);
        self.subscriber_counts
            .get(async move { subscribers.counts().await })
            .await
    }

    /// These clients' catalogues with counted postings; `None` during the first count.
    pub async fn catalogues(
        &self,
        clients: Vec<ClientId>,
        now: OffsetDateTime,
    ) -> Result<Option<Vec<Catalogue>>, Failure> {
        let catalogues = Arc::clone(&self.stores.catalogues);
        let list = async move {
            let mut found = Vec::new();
            for client in clients {
                found.extend(catalogues.list(client, now).await?);
            }
            Ok(found)
        };
        self.catalogues.get(list).await
    }
}
