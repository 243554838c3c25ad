//! Tells the e-mail provider about subscribers, and moves them between its two accounts.
//!
//! One worker at a time speaks to the accounts: [`lease`] is the right to do so. Whoever has it
//! runs a loop for the syncs of each account, one for the moves, which needs both, and one for the
//! withdrawals of suppressed people, from whichever accounts there are. Their calls
//! go through a [`line`](mod@line), one at a time for each account, and none while the account is
//! to be left alone, which [`door`] knows. [`errand`] is what the loops have in common, [`sync`],
//! [`moving`] and [`withdrawing`] what they do.
//!
//! An account without a key is not spoken to; what would be sent waits.

mod door;
mod errand;
mod lease;
mod line;
mod moving;
mod sync;
mod withdrawing;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use domain::{
    store::{Accounts, Store},
    subscriber::{Account, provider::Provider},
};
use futures_util::future::{OptionFuture, join_all, join3};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use self::{
    door::Doors,
    errand::OneByOne,
    lease::{Lease, Leases},
    line::Line,
    moving::Moves,
    sync::Syncs,
    withdrawing::Withdrawals,
};
use super::{Wake, poll, tasks::Tasks};
use crate::waits;

/// What speaks to the provider.
pub(super) struct Newsletter {
    pub store: Arc<dyn Store>,
    pub leases: Arc<dyn Accounts>,
    pub provider: Arc<dyn Provider>,
    pub tasks: Tasks,
    pub wake: Arc<Wake>,
    /// This worker's name in the leases.
    pub holder: Uuid,
}

impl Newsletter {
    /// Works whenever it has the lease of the accounts, until it is stopped.
    pub async fn run(self, stop: CancellationToken) {
        let accounts = self.provider.accounts();
        if accounts.is_empty() {
            return;
        }
        let leases = Leases {
            accounts,
            port: Arc::clone(&self.leases),
            holder: self.holder,
            tasks: self.tasks.clone(),
        };
        // They outlast a lease: an account that asked to be left alone means it.
        let doors = Arc::new(Doors::default());
        while !stop.is_cancelled() {
            match leases.take().await {
                Ok(Some(lease)) => {
                    self.work(&leases, Arc::new(lease), &doors, &stop).await;
                    leases.release().await;
                }
                Ok(None) => {}
                Err(error) => tracing::warn!(%error, "the provider's accounts are not leased"),
            }
            tokio::select! {
                () = sleep(waits::about(self.tasks.settings.lease_accounts_every)) => {}
                () = stop.cancelled() => {}
            }
        }
    }

    /// Works for as long as the lease holds.
    async fn work(
        &self,
        leases: &Leases,
        lease: Arc<Lease>,
        doors: &Arc<Doors>,
        stop: &CancellationToken,
    ) {
        let accounts = &leases.accounts;
        tracing::info!(?accounts, "this worker speaks to the e-mail provider");
        let ending = stop.child_token();
        let work = self.loops(accounts, &lease, doors, &ending);
        tokio::pin!(work);
        tokio::select! {
            () = &mut work => return,
            () = leases.keep(&lease) => {}
        }
        tracing::warn!(
            ?accounts,
            "another worker may speak to the e-mail provider now"
        );
        lease.end();
        ending.cancel();
        // Calls have ended already; what was claimed is given back.
        work.await;
    }

    async fn loops(
        &self,
        accounts: &[Account],
        lease: &Arc<Lease>,
        doors: &Arc<Doors>,
        ending: &CancellationToken,
    ) {
        let line = Arc::new(Line {
            provider: Arc::clone(&self.provider),
            doors: Arc::clone(doors),
            lease: Arc::clone(lease),
            old: tokio::sync::Mutex::default(),
        });
        let syncs = accounts.iter().map(|&account| {
            let syncs = Syncs {
                account,
                store: Arc::clone(&self.store),
                line: Arc::clone(&line),
                tasks: self.tasks.clone(),
            };
            poll::run(
                self.tasks.clone(),
                Arc::new(OneByOne(syncs)),
                Arc::clone(&self.wake),
                ending.clone(),
            )
        });
        let has_both = Account::ALL.iter().all(|one| accounts.contains(one));
        let moves = has_both.then(|| {
            let moves = Moves {
                store: Arc::clone(&self.store),
                line: Arc::clone(&line),
                tasks: self.tasks.clone(),
            };
            poll::run(
                self.tasks.clone(),
                Arc::new(OneByOne(moves)),
                Arc::clone(&self.wake),
                ending.clone(),
            )
        });
        let withdrawals = poll::run(
            self.tasks.clone(),
            Arc::new(OneByOne(Withdrawals {
                accounts: accounts.to_vec(),
                store: Arc::clone(&self.store),
                line: Arc::clone(&line),
                tasks: self.tasks.clone(),
            })),
            Arc::clone(&self.wake),
            ending.clone(),
        );
        join3(join_all(syncs), OptionFuture::from(moves), withdrawals).await;
    }
}
