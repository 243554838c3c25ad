//! Syncs subscribers with the e-mail provider, and moves them between its two accounts.
//!
//! One worker at a time holds the [`lease`] of the accounts. It runs loops for the syncs of each
//! account ([`sync`]), for the moves, which need both accounts ([`moving`]), and for withdrawals
//! from the accounts that have a key ([`withdrawing`]); [`job`] is their common part. Calls go
//! through a [`leased`] provider and overlap as far as the account's limit allows, except while the
//! account's [`breaker`] is open. [`people`] serialises the work for a subscriber and the calls
//! about an address. Syncs and moves write to an account once its [list](listing) was read.
//!
//! An account without a key is never called; its tasks wait.

mod breaker;
mod job;
mod lease;
mod leased;
mod listing;
mod moving;
mod people;
mod sync;
mod withdrawing;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt as _, join_all};
use newsletter::{
    store::{Accounts, Store, SubscriberReader},
    subscriber::{Account, provider::Provider},
};
use tokio::{sync::watch, time::sleep};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use self::{
    breaker::Breakers,
    job::{ProviderJobs, Sequential},
    lease::{Lease, Leases},
    leased::LeasedProvider,
    listing::Listing,
    moving::Moves,
    people::People,
    sync::Syncs,
    withdrawing::Withdrawals,
};
use super::{Wake, poll, tasks::Tasks};
use crate::{panics, waits};

/// The worker's part that calls the provider.
pub(super) struct Newsletter {
    pub store: Arc<dyn Store>,
    pub leases: Arc<dyn Accounts>,
    pub subscribers: Arc<dyn SubscriberReader>,
    pub provider: Arc<dyn Provider>,
    pub tasks: Tasks,
    pub wake: Arc<Wake>,
    /// The name of this worker in leases.
    pub holder: Uuid,
}

impl Newsletter {
    /// Works while it holds the lease of the accounts, until it is stopped.
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
        // Breakers outlast a lease, because pauses do.
        let breakers = Arc::new(Breakers::default());
        while !stop.is_cancelled() {
            match leases.take().await {
                Ok(Some(lease)) => {
                    self.adopt_pauses(&leases.accounts, &breakers).await;
                    self.work(&leases, Arc::new(lease), &breakers, &stop).await;
                    leases.release().await;
                }
                Ok(None) => {}
                Err(error) => tracing::warn!(%error, "the provider's accounts are not leased"),
            }
            tokio::select! {
                () = sleep(waits::jittered(self.tasks.settings.lease_accounts_every)) => {}
                () = stop.cancelled() => {}
            }
        }
    }

    /// Adopts the pauses that are stored with the lease.
    async fn adopt_pauses(&self, accounts: &[Account], breakers: &Breakers) {
        for &account in accounts {
            match panics::caught(self.leases.account_state(account)).await {
                Ok(state) => {
                    let left = state.paused_until.map(|until| until - self.tasks.now());
                    // A pause that is over does not count.
                    if let Some(Ok(left)) = left.map(std::time::Duration::try_from)
                        && !left.is_zero()
                    {
                        tracing::info!(%account, ?left, "the account is still left alone");
                        breakers.of(account).adopt(account, left);
                    }
                }
                Err(error) => tracing::warn!(%account, %error, "its pauses are not known"),
            }
        }
    }

    /// Works while the lease holds.
    async fn work(
        &self,
        leases: &Leases,
        lease: Arc<Lease>,
        breakers: &Arc<Breakers>,
        stop: &CancellationToken,
    ) {
        let accounts = &leases.accounts;
        tracing::info!(?accounts, "this worker speaks to the e-mail provider");
        let ending = stop.child_token();
        let work = self.loops(accounts, &lease, breakers, &ending);
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
        // Calls have ended already; claimed tasks are given back.
        work.await;
    }

    async fn loops(
        &self,
        accounts: &[Account],
        lease: &Arc<Lease>,
        breakers: &Arc<Breakers>,
        ending: &CancellationToken,
    ) {
        let provider = Arc::new(LeasedProvider {
            provider: Arc::clone(&self.provider),
            breakers: Arc::clone(breakers),
            lease: Arc::clone(lease),
            accounts: Arc::clone(&self.leases),
            tasks: self.tasks.clone(),
            people: People::default(),
            addresses: People::default(),
            listed: watch::Sender::default(),
        });
        let mut loops: Vec<BoxFuture<'static, ()>> = Vec::new();
        for &account in accounts {
            if self.tasks.settings.reconciles {
                let listing = Listing {
                    account,
                    store: Arc::clone(&self.store),
                    accounts: Arc::clone(&self.leases),
                    subscribers: Arc::clone(&self.subscribers),
                    provider: Arc::clone(&provider),
                    tasks: self.tasks.clone(),
                };
                loops.push(listing.run(ending.clone()).boxed());
            } else {
                provider.listed(account);
            }
            let syncs = Syncs {
                account,
                store: Arc::clone(&self.store),
                provider: Arc::clone(&provider),
                tasks: self.tasks.clone(),
            };
            self.start(&mut loops, syncs, ending);
        }
        if Account::ALL.iter().all(|one| accounts.contains(one)) {
            let moves = Moves {
                store: Arc::clone(&self.store),
                provider: Arc::clone(&provider),
                tasks: self.tasks.clone(),
            };
            self.start(&mut loops, moves, ending);
        }
        let withdrawals = Withdrawals {
            accounts: accounts.to_vec(),
            store: Arc::clone(&self.store),
            provider,
            tasks: self.tasks.clone(),
        };
        self.start(&mut loops, withdrawals, ending);
        join_all(loops).await;
    }

    /// Adds as many loops of the same jobs as calls may overlap.
    fn start<E: ProviderJobs + 'static>(
        &self,
        loops: &mut Vec<BoxFuture<'static, ()>>,
        jobs: E,
        ending: &CancellationToken,
    ) {
        let handler = Arc::new(Sequential(jobs));
        for _ in 0..self.tasks.settings.provider_loops.max(1) {
            let run = poll::run(
                self.tasks.clone(),
                Arc::clone(&handler),
                Arc::clone(&self.wake),
                ending.clone(),
            );
            loops.push(run.boxed());
        }
    }
}
