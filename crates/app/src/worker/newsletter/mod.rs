//! Tells the e-mail provider about subscribers, and moves them between its two accounts.
//!
//! One worker at a time speaks to the accounts: [`lease`] is the right to do so. Its holder runs
//! loops for the syncs of each account, for the moves, which need both, and for the withdrawals of
//! suppressed people and of addresses that depart, from the accounts that have a key. Their calls
//! go through a [`leased`] provider and overlap as far as the account's limit allows; there are none
//! while an account is left alone, which [`breaker`] knows. [`people`] keeps two loops from working for
//! one person or one address. Syncs and moves write to an account only when its [list](listing) has
//! been read. [`job`] is what the loops have in common; [`sync`], [`moving`] and [`withdrawing`]
//! are what they do.
//!
//! An account without a key is not spoken to; what would be sent waits.

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

/// What speaks to the provider.
pub(super) struct Newsletter {
    pub store: Arc<dyn Store>,
    pub leases: Arc<dyn Accounts>,
    pub subscribers: Arc<dyn SubscriberReader>,
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
                () = sleep(waits::about(self.tasks.settings.lease_accounts_every)) => {}
                () = stop.cancelled() => {}
            }
        }
    }

    /// Takes over the pauses that are kept with the lease.
    async fn adopt_pauses(&self, accounts: &[Account], breakers: &Breakers) {
        for &account in accounts {
            match panics::caught(self.leases.account_state(account)).await {
                Ok(state) => {
                    let left = state.paused_until.map(|until| until - self.tasks.now());
                    // One that is over is none.
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

    /// Works for as long as the lease holds.
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
        // Calls have ended already; what was claimed is given back.
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

    /// Adds as many loops with the same work as its calls may overlap.
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
