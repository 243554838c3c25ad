//! Syncs subscribers with the e-mail provider, and moves them between the two accounts there.
//!
//! One worker at a time holds the [`lease`] of the accounts. The worker runs loops of [jobs](job):
//! syncs of each account, moves (which need both accounts), and withdrawals from accounts with a
//! key. Calls go through a [`leased`] provider and overlap as far as the account's rate limit and
//! [`breaker`] allow. [`people`] serialises the work for a subscriber or an address. If accounts'
//! lists are read, syncs and moves begin after an account's first [walk](listing).
//!
//! An account without a key is never called, and its tasks wait.
//!
//! Also, [`service`] answers commands, a [`launch`] records moves, and a [`walk`] reads a list.

mod breaker;
mod job;
pub mod launch;
mod lease;
mod leased;
mod listing;
mod people;
pub mod service;
pub mod walk;

#[cfg(test)]
pub(crate) mod tests;

use std::{sync::Arc, time::Duration};

use futures_util::future::{BoxFuture, FutureExt as _, join_all};
use newsletter::{subscriber::Account, tasks};
use runtime::{lease::Held, waits};
use tokio::{sync::watch, time::sleep};
use tokio_util::sync::CancellationToken;

use self::{
    breaker::Breakers,
    job::{JobKind, Jobs},
    lease::Leases,
    leased::{LeasedProvider, account_state},
    listing::Listing,
    people::People,
};
use super::{
    poll,
    tasks::{KindHandler, Tasks},
};

/// Nothing runs if no account has a key.
pub(super) const HANDLER: KindHandler = KindHandler {
    kinds: &tasks::KINDS,
    start: |tasks, loops| {
        if !tasks.parts.provider.accounts().is_empty() {
            let newsletter = Newsletter {
                tasks: tasks.clone(),
            };
            loops.spawn(|stop| newsletter.run(stop));
        }
    },
};

struct Newsletter {
    tasks: Tasks,
}

impl Newsletter {
    async fn run(self, stop: CancellationToken) {
        let leases = Leases::new(&self.tasks);
        // The breakers are kept between leases, because pauses may last longer than a lease.
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
            let every = self.tasks.settings().lease_accounts_every;
            let pause = sleep(waits::jittered(every));
            stop.run_until_cancelled(pause).await;
        }
    }

    async fn adopt_pauses(&self, accounts: &[Account], breakers: &Breakers) {
        for &account in accounts {
            match account_state(&self.tasks, account).await {
                Ok((state, now)) => {
                    if let Some(until) = state.pauses_until(now) {
                        let left = Duration::try_from(until - now).unwrap_or_default();
                        let seconds = left.as_secs();
                        tracing::info!(%account, seconds, "the account is still paused");
                        breakers.of(account).adopt(account, left);
                    }
                }
                Err(error) => tracing::warn!(%account, %error, "the account's pauses are unknown"),
            }
        }
    }

    async fn work(
        &self,
        leases: &Leases,
        lease: Arc<Held>,
        breakers: &Arc<Breakers>,
        stop: &CancellationToken,
    ) {
        let accounts = &leases.accounts;
        let names = accounts.iter().map(|account| account.as_str());
        let accounts_named = names.collect::<Vec<_>>().join(", ");
        tracing::info!(
            accounts = accounts_named,
            "this worker calls the e-mail provider"
        );
        let ending = stop.child_token();
        let work = self.loops(accounts, &lease, breakers, &ending);
        tokio::pin!(work);
        tokio::select! {
            () = &mut work => return,
            () = leases.keep(&lease) => {}
        }
        tracing::warn!(
            accounts = accounts_named,
            "another worker may call the e-mail provider now"
        );
        lease.end();
        ending.cancel();
        // Wait until calls have ended and claimed tasks are released.
        work.await;
    }

    async fn loops(
        &self,
        accounts: &[Account],
        lease: &Arc<Held>,
        breakers: &Arc<Breakers>,
        ending: &CancellationToken,
    ) {
        let provider = Arc::new(LeasedProvider {
            breakers: Arc::clone(breakers),
            lease: Arc::clone(lease),
            tasks: self.tasks.clone(),
            people: People::default(),
            addresses: People::default(),
            listed: watch::Sender::default(),
        });
        let mut loops: Vec<BoxFuture<'static, ()>> = Vec::new();
        let mut start = |kind| {
            let provider = Arc::clone(&provider);
            let handler = Arc::new(Jobs { kind, provider });
            for _ in 0..self.tasks.settings().provider_loops.max(1) {
                let run = poll::run(self.tasks.clone(), Arc::clone(&handler), ending.clone());
                loops.push(run.boxed());
            }
        };
        for &account in accounts {
            start(JobKind::Sync(account));
        }
        if Account::ALL.iter().all(|one| accounts.contains(one)) {
            start(JobKind::Move);
        }
        start(JobKind::Withdraw(accounts.to_vec()));
        for &account in accounts {
            if self.tasks.settings().reconciles {
                let listing = Listing {
                    account,
                    provider: Arc::clone(&provider),
                };
                loops.push(listing.run(ending.clone()).boxed());
            } else {
                provider.listed(account);
            }
        }
        join_all(loops).await;
    }
}
