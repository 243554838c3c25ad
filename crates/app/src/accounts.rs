//! The provider's accounts by the clock of the store, which all processes share: their own clocks
//! may differ, and a lease is to be held by one of them at a time.

use std::sync::Arc;

use async_trait::async_trait;
use domain::store::StoreClock;
use kernel::StoreError;
use newsletter::{
    store::{AccountState, Accounts},
    subscriber::Account,
};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::clock::{self, Clock};

/// Translates between the time of this process and that of the store.
pub struct SharedTime {
    /// Goes by the store's clock.
    pub accounts: Arc<dyn Accounts>,
    pub store_clock: Arc<dyn StoreClock>,
    /// That of this process, by which callers of the port go.
    pub clock: Clock,
}

impl SharedTime {
    /// How much the clock of this process is ahead: nothing where the store has none of its own.
    async fn ahead(&self) -> Result<Duration, StoreError> {
        let ahead = clock::ahead(&*self.store_clock, &self.clock).await?;
        Ok(ahead.unwrap_or_default())
    }
}

/// The same state, so much later.
fn later(state: AccountState, by: Duration) -> AccountState {
    let later = |at: Option<OffsetDateTime>| at.map(|at| kernel::microseconds(at + by));
    AccountState {
        paused_until: later(state.paused_until),
        reconciled_at: later(state.reconciled_at),
        ..state
    }
}

#[async_trait]
impl Accounts for SharedTime {
    async fn lease(
        &self,
        accounts: &[Account],
        holder: Uuid,
        until: OffsetDateTime,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        let ahead = self.ahead().await?;
        let (until, now) = (until - ahead, now - ahead);
        self.accounts.lease(accounts, holder, until, now).await
    }

    async fn release(&self, holder: Uuid) -> Result<(), StoreError> {
        self.accounts.release(holder).await
    }

    async fn account_state(&self, account: Account) -> Result<AccountState, StoreError> {
        let ahead = self.ahead().await?;
        Ok(later(self.accounts.account_state(account).await?, ahead))
    }

    async fn keep_account_state(
        &self,
        account: Account,
        state: &AccountState,
    ) -> Result<(), StoreError> {
        let state = later(state.clone(), -self.ahead().await?);
        self.accounts.keep_account_state(account, &state).await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicI64, Ordering};

    use newsletter::testing::{MemoryStore, noon};

    use super::*;

    const BOTH: [Account; 2] = [Account::Old, Account::New];

    /// The store's clock, in seconds after noon.
    #[derive(Default)]
    struct Server(AtomicI64);

    impl Server {
        fn now(&self) -> OffsetDateTime {
            noon() + Duration::seconds(self.0.load(Ordering::Relaxed))
        }
    }

    #[async_trait]
    impl StoreClock for Server {
        async fn time(&self) -> Result<Option<OffsetDateTime>, StoreError> {
            Ok(Some(self.now()))
        }
    }

    /// A process whose clock is so much ahead of the store's.
    struct Process {
        accounts: SharedTime,
        holder: Uuid,
    }

    impl Process {
        fn new(
            store: &Arc<MemoryStore>,
            server: &Arc<Server>,
            ahead: Duration,
            holder: u128,
        ) -> Self {
            let clock = Arc::clone(server);
            Self {
                accounts: SharedTime {
                    accounts: Arc::clone(store) as _,
                    store_clock: Arc::clone(server) as _,
                    clock: Arc::new(move || clock.now() + ahead),
                },
                holder: Uuid::from_u128(holder),
            }
        }

        fn now(&self) -> OffsetDateTime {
            (self.accounts.clock)()
        }

        /// Leases both accounts for half a minute.
        async fn leases(&self) -> bool {
            let (now, lease) = (self.now(), Duration::seconds(30));
            let leased = self.accounts.lease(&BOTH, self.holder, now + lease, now);
            leased.await.unwrap()
        }
    }

    #[tokio::test]
    async fn processes_ten_minutes_apart_never_both_hold_an_account() {
        let (store, server) = (Arc::new(MemoryStore::new()), Arc::new(Server::default()));
        let minutes = [-10, 0, 10].map(Duration::minutes);
        let mut holder = 0;
        let processes = minutes.map(|ahead| {
            holder += 1;
            Process::new(&store, &server, ahead, holder)
        });
        for first in &processes {
            assert!(first.leases().await);
            for second in [9, 18, 27] {
                let renews = second == 18;
                server.0.fetch_add(9, Ordering::Relaxed);
                for other in processes.iter().filter(|it| it.holder != first.holder) {
                    assert!(!other.leases().await, "after {second} seconds");
                }
                assert!(!renews || first.leases().await);
            }
            // The next one takes it when it has ended, and neither before nor much later.
            server.0.fetch_add(21, Ordering::Relaxed);
        }
    }

    #[tokio::test]
    async fn a_pause_ends_at_the_same_moment_for_all() {
        let (store, server) = (Arc::new(MemoryStore::new()), Arc::new(Server::default()));
        let one = Process::new(&store, &server, Duration::minutes(10), 1);
        let other = Process::new(&store, &server, Duration::ZERO, 2);
        let state = AccountState {
            paused_until: Some(one.now() + Duration::MINUTE),
            ..AccountState::default()
        };
        let kept = one.accounts.keep_account_state(Account::Old, &state);
        kept.await.unwrap();
        for process in [&one, &other] {
            let state = process.accounts.account_state(Account::Old).await.unwrap();
            assert_eq!(state.paused_until, Some(process.now() + Duration::MINUTE));
        }
    }
}
