use std::{
    collections::HashMap,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use newsletter::{
    subscriber::{
        Account, Email,
        provider::{Call, Provider, ProviderError, Relay},
    },
    testing::MemoryProvider,
};
use tokio::time::{Duration, Instant, sleep, sleep_until};

#[derive(Clone, Debug)]
pub enum Treatment {
    Fail(ProviderError),
    FailFor(Email, ProviderError),
    Slow(Duration),
    Panic,
}

/// Each call takes half a second by default.
pub struct Script {
    pub memory: MemoryProvider,
    pub accounts: Mutex<Vec<Account>>,
    treatments: Mutex<HashMap<Account, Treatment>>,
    asked: Mutex<Vec<(Account, Instant)>>,
    /// The time between the starts of two calls of an account, as its rate limit requires.
    pub gap: Mutex<Duration>,
    pub latency: Mutex<Duration>,
    turns: Mutex<HashMap<Account, Instant>>,
    under_way: AtomicUsize,
}

impl Default for Script {
    fn default() -> Self {
        Self {
            memory: MemoryProvider::new(),
            accounts: Mutex::new(Account::ALL.to_vec()),
            treatments: Mutex::default(),
            asked: Mutex::default(),
            gap: Mutex::default(),
            latency: Mutex::new(Duration::from_millis(500)),
            turns: Mutex::default(),
            under_way: AtomicUsize::new(0),
        }
    }
}

struct InFlightGuard<'a>(&'a AtomicUsize);

impl Drop for InFlightGuard<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Script {
    pub fn without_accounts() -> Self {
        let script = Self::default();
        script.accounts.lock().unwrap().clear();
        script
    }

    pub fn treat(&self, account: Account, treatment: Treatment) {
        self.treatments.lock().unwrap().insert(account, treatment);
    }

    pub fn relent(&self, account: Account) {
        self.treatments.lock().unwrap().remove(&account);
    }

    pub fn asked(&self, account: Account) -> Vec<Instant> {
        let asked = self.asked.lock().unwrap();
        let of_account = asked.iter().filter(|(asked, _)| *asked == account);
        of_account.map(|(_, at)| *at).collect()
    }

    pub fn under_way(&self) -> usize {
        self.under_way.load(Ordering::SeqCst)
    }

    fn turn(&self, account: Account) -> Instant {
        let (now, gap) = (Instant::now(), *self.gap.lock().unwrap());
        let mut turns = self.turns.lock().unwrap();
        let turn = turns.get(&account).map_or(now, |last| now.max(*last + gap));
        turns.insert(account, turn);
        turn
    }
}

impl Relay for Script {
    fn behind(&self) -> &dyn Provider {
        &self.memory
    }

    fn with_key(&self) -> Vec<Account> {
        self.accounts.lock().unwrap().clone()
    }

    async fn pass_on<T: Send>(
        &self,
        call: Call<'_>,
        answer: impl Future<Output = Result<T, ProviderError>> + Send,
    ) -> Result<T, ProviderError> {
        self.under_way.fetch_add(1, Ordering::SeqCst);
        let _guard = InFlightGuard(&self.under_way);
        let turn = self.turn(call.account);
        sleep_until(turn).await;
        let latency = *self.latency.lock().unwrap();
        sleep(latency).await;
        let now = Instant::now();
        self.asked.lock().unwrap().push((call.account, now));
        let treatment = self.treatments.lock().unwrap().get(&call.account).cloned();
        match treatment {
            Some(Treatment::Fail(error)) => return Err(error),
            Some(Treatment::FailFor(email, error)) if call.whom == email.as_str() => {
                return Err(error);
            }
            Some(Treatment::Panic) => panic!("a provider's defect"),
            Some(Treatment::Slow(time)) => sleep(time).await,
            Some(Treatment::FailFor(..)) | None => {}
        }
        answer.await
    }
}
