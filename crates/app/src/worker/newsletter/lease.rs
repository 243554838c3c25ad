//! The lease of the provider's accounts.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use kernel::StoreError;
use newsletter::{store::Accounts, subscriber::Account};
use tokio::time::{Instant, sleep_until, timeout_at};
use tokio_util::sync::{CancellationToken, WaitForCancellationFuture};
use uuid::Uuid;

use super::super::tasks::Tasks;
use crate::panics;

/// The wait before a failed renewal is retried.
const RETRY_WAIT: Duration = Duration::from_secs(1);

/// Takes, renews and releases the lease.
pub(super) struct Leases {
    pub accounts: Vec<Account>,
    pub port: Arc<dyn Accounts>,
    pub holder: Uuid,
    pub tasks: Tasks,
}

/// A taken lease.
pub(super) struct Lease {
    until: Mutex<Instant>,
    lost: CancellationToken,
}

impl Lease {
    pub fn new(until: Instant) -> Self {
        Self {
            until: Mutex::new(until),
            lost: CancellationToken::new(),
        }
    }

    /// Whether it holds now.
    pub fn holds(&self) -> bool {
        !self.lost.is_cancelled() && Instant::now() < self.until()
    }

    /// Waits until it is lost.
    pub fn lost(&self) -> WaitForCancellationFuture<'_> {
        self.lost.cancelled()
    }

    /// Ends it: no more calls.
    pub fn end(&self) {
        self.lost.cancel();
    }

    fn until(&self) -> Instant {
        *self.until.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn extend(&self, until: Instant) {
        *self.until.lock().unwrap_or_else(PoisonError::into_inner) = until;
    }
}

impl Leases {
    /// Takes the lease unless another worker holds it.
    pub async fn take(&self) -> Result<Option<Lease>, StoreError> {
        Ok(self.renew().await?.map(Lease::new))
    }

    /// Renews the lease until it is lost.
    pub async fn keep(&self, lease: &Lease) {
        let every = self.tasks.settings.renew_every;
        let mut next = Instant::now() + every;
        loop {
            let until = lease.until();
            sleep_until(next.min(until)).await;
            match timeout_at(until, self.renew()).await {
                Ok(Ok(Some(until))) => {
                    lease.extend(until);
                    next = Instant::now() + every;
                }
                Ok(Err(error)) if Instant::now() < until => {
                    tracing::warn!(%error, "the lease of the provider's accounts was not renewed");
                    next = Instant::now() + RETRY_WAIT;
                }
                // Another worker holds it, or there is no time for another attempt.
                Ok(Ok(None) | Err(_)) | Err(_) => return,
            }
        }
    }

    /// Releases the lease. Best effort, as it ends anyway.
    pub async fn release(&self) {
        if let Err(error) = panics::caught(self.port.release(self.holder)).await {
            tracing::debug!(%error, "the provider's accounts stay leased until the lease ends");
        }
    }

    /// Renews the lease. Returns a time before its end, because calls take a while, and clocks are
    /// compared by messages.
    async fn renew(&self) -> Result<Option<Instant>, StoreError> {
        let (begun, now) = (Instant::now(), self.tasks.now());
        let until = now + self.tasks.lease();
        let leased = self.port.lease(&self.accounts, self.holder, until, now);
        let is_ours = panics::caught(leased).await?;
        Ok(is_ours.then(|| begun + self.tasks.settings.lease.mul_f64(0.8)))
    }
}
