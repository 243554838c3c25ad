//! The lease of the provider's accounts.

use std::sync::{Mutex, PoisonError};

use kernel::StoreError;
use newsletter::subscriber::Account;
use runtime::{lease, panics};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::{CancellationToken, WaitForCancellationFuture};
use uuid::Uuid;

use super::super::tasks::Tasks;

/// Takes, renews and releases the lease.
pub(super) struct Leases {
    pub accounts: Vec<Account>,
    /// The name of this worker in leases.
    holder: Uuid,
    tasks: Tasks,
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

    /// Waits until it has lapsed, because it could not be renewed.
    async fn lapsed(&self) {
        while Instant::now() < self.until() {
            sleep_until(self.until()).await;
        }
    }

    fn until(&self) -> Instant {
        *self.until.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn extend(&self, until: Instant) {
        *self.until.lock().unwrap_or_else(PoisonError::into_inner) = until;
    }
}

impl Leases {
    pub fn new(tasks: &Tasks) -> Self {
        Self {
            accounts: tasks.parts.provider.accounts(),
            holder: Uuid::now_v7(),
            tasks: tasks.clone(),
        }
    }

    /// Takes the lease unless another worker holds it.
    pub async fn take(&self) -> Result<Option<Lease>, StoreError> {
        Ok(panics::caught(self.renew()).await?.map(Lease::new))
    }

    /// Renews the lease until it is lost.
    pub async fn keep(&self, held: &Lease) {
        let every = self.tasks.settings().renew_every;
        let renewed = lease::keep("the provider's accounts", every, async || {
            let until = self.renew().await?;
            until.inspect(|until| held.extend(*until));
            Ok::<_, StoreError>(until.is_some())
        });
        tokio::select! {
            () = renewed => {}
            () = held.lapsed() => {}
        }
    }

    /// Releases the lease. Best effort, as it ends anyway.
    pub async fn release(&self) {
        let released = self.tasks.parts.accounts.release(self.holder);
        if let Err(error) = panics::caught(released).await {
            tracing::debug!(%error, "the provider's accounts stay leased until the lease ends");
        }
    }

    /// Renews the lease by the store's clock. Returns a time before its end, because calls take a
    /// while, and that clock is asked by messages.
    async fn renew(&self) -> Result<Option<Instant>, StoreError> {
        let (begun, now) = (Instant::now(), self.tasks.store_now().await?);
        let until = now + self.tasks.lease();
        let accounts = &self.tasks.parts.accounts;
        let leased = accounts.lease(&self.accounts, self.holder, until, now);
        let is_ours = leased.await?;
        Ok(is_ours.then(|| begun + self.tasks.settings().lease.mul_f64(0.8)))
    }
}
