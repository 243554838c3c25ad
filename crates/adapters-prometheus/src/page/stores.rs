//! What a page reads of the store, and how.

use std::{sync::Arc, time::Duration};

use access::{ActivityLog, Clients};
use domain::{browse::PostingBrowser, catalogue::Catalogues, store::Health};
use futures_util::future::BoxFuture;
use kernel::{
    StoreError,
    outbox::{Backlog, Kind, Outbox},
};
use newsletter::store::{Accounts, SubscriberReader};
use runtime::{Cached, panics};
use tokio::time::timeout;
use webhooks::Webhooks;

/// The time limit of reading the store. Monitors give up after ten seconds.
const STORE_TIMEOUT: Duration = Duration::from_secs(5);

/// The lifetime of a cached state, which limits the load of frequent requests.
pub const STATE_LIFETIME: Duration = Duration::from_secs(5);

/// A count of waiting and dead tasks by kind.
pub type BacklogCount =
    Arc<dyn Fn() -> BoxFuture<'static, Result<Vec<Backlog>, StoreError>> + Send + Sync>;

/// Counts the tasks of these kinds in an outbox.
pub fn backlog_of(outbox: Arc<dyn Outbox>, kinds: &'static [Kind]) -> BacklogCount {
    Arc::new(move || {
        let outbox = Arc::clone(&outbox);
        Box::pin(async move { outbox.backlog(kinds).await })
    })
}

/// The ports of the store that a page reads.
#[derive(Clone)]
pub struct Stores {
    /// Counts the tasks of the outbox.
    pub backlog: BacklogCount,
    /// The clients.
    pub clients: Arc<dyn Clients>,
    /// When each client last pushed.
    pub activity: Arc<dyn ActivityLog>,
    /// The endpoints.
    pub webhooks: Arc<dyn Webhooks>,
    /// Counts postings.
    pub browser: Arc<dyn PostingBrowser>,
    /// The last import of each catalogue.
    pub catalogues: Arc<dyn Catalogues>,
    /// Whether the store can do its work.
    pub health: Arc<dyn Health>,
    /// The newsletter; `None` while it is off.
    pub newsletter: Option<NewsletterStores>,
}

/// The ports of the newsletter that a page reads.
#[derive(Clone)]
pub struct NewsletterStores {
    /// Counts subscribers.
    pub subscribers: Arc<dyn SubscriberReader>,
    /// The provider's accounts.
    pub accounts: Arc<dyn Accounts>,
}

/// Waits for the store within the time limit; a panic of it is a failure.
pub async fn in_time<T>(
    answer: impl Future<Output = Result<T, StoreError>> + Send,
) -> Result<T, StoreError> {
    timeout(STORE_TIMEOUT, panics::caught(answer))
        .await
        .unwrap_or_else(|elapsed| Err(StoreError::Unavailable(elapsed.to_string())))
}

/// A part of the page, which is read anew when it is old. What could not be read is missing for as
/// long: to read it may be what takes long.
pub struct Reading<T> {
    part: &'static str,
    cached: Cached<Option<T>>,
}

impl<T: Clone> Reading<T> {
    /// A part with this name in the log.
    pub const fn new(part: &'static str, lifetime: Duration) -> Self {
        Self {
            part,
            cached: Cached::new(lifetime),
        }
    }

    /// What was read; `None` if that failed.
    pub async fn look(
        &self,
        read: impl Future<Output = Result<T, StoreError>> + Send,
    ) -> Option<T> {
        let read = async {
            let read = in_time(read).await;
            read.inspect_err(|error| tracing::warn!(%error, "the metrics lack {}", self.part))
                .ok()
        };
        self.cached.get(read).await
    }
}

/// A count as a gauge's floating-point number.
#[expect(
    clippy::cast_precision_loss,
    reason = "nothing here counts to more than 2^53"
)]
pub const fn number(count: u64) -> f64 {
    count as f64
}
