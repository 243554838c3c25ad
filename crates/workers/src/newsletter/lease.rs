use kernel::StoreError;
use newsletter::subscriber::Account;
use runtime::{lease::Held, panics};
use uuid::Uuid;

use super::super::tasks::Tasks;

pub(super) struct Leases {
    pub accounts: Vec<Account>,
    holder: Uuid,
    tasks: Tasks,
}

impl Leases {
    pub fn new(tasks: &Tasks) -> Self {
        Self {
            accounts: tasks.parts.provider.accounts(),
            holder: Uuid::now_v7(),
            tasks: tasks.clone(),
        }
    }

    pub async fn take(&self) -> Result<Option<Held>, StoreError> {
        let until = self.tasks.settings().lease.until();
        let is_ours = panics::caught(self.renew()).await?;
        Ok(is_ours.then(|| Held::until(until)))
    }

    /// Renews the lease until it is lost, or may be lost.
    pub async fn keep(&self, held: &Held) {
        let terms = self.tasks.settings().lease;
        tokio::select! {
            () = terms.keep("the provider's accounts", held, || self.renew()) => {}
            () = held.lapsed() => {}
        }
    }

    pub async fn release(&self) {
        let released = self.tasks.parts.stores.accounts.release(self.holder);
        if let Err(error) = panics::caught(released).await {
            tracing::debug!(%error, "the provider's accounts stay leased until the lease ends");
        }
    }

    async fn renew(&self) -> Result<bool, StoreError> {
        let now = self.tasks.now();
        let (accounts, until) = (&self.tasks.parts.stores.accounts, now + self.tasks.lease());
        accounts
            .lease(&self.accounts, self.holder, until, now)
            .await
    }
}
