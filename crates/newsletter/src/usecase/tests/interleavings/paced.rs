//! A provider whose calls take a turn each, and fail now and then.

use std::{
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll},
};

use async_trait::async_trait;

use super::{super::*, model::ADDRESSES};
use crate::subscriber::{
    Email,
    provider::{
        Cursor, Found, Inspection, Page, Profile, Provider, ProviderId, ProviderStatus, Upserted,
    },
};

/// Numbers that look random, and are the same for a seed (`SplitMix64`).
#[derive(Debug)]
pub struct Dice(u64);

impl Dice {
    pub const fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    /// Less than this.
    pub fn below(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^= bits >> 31;
        usize::try_from(bits % sides as u64).unwrap()
    }

    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }
}

/// Lets others have a turn.
pub struct Pause(pub bool);

impl Future for Pause {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if std::mem::replace(&mut self.0, true) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }
}

pub struct Paced {
    pub memory: MemoryProvider,
    pub dice: Mutex<Dice>,
    /// Every how many calls one fails; never when 0.
    pub failing: Mutex<usize>,
    /// Deliveries that are yet to come.
    pub deliveries: Mutex<Vec<(Email, SubscriberStatus)>>,
}

impl Paced {
    pub fn new(seed: u64) -> Arc<Self> {
        Arc::new(Self {
            memory: MemoryProvider::new(),
            dice: Mutex::new(Dice::new(!seed)),
            failing: Mutex::new(12),
            deliveries: Mutex::default(),
        })
    }

    /// The account delivers that the person is deleted, whoever did that.
    pub fn say_deleted(&self, person: &Email) {
        let delivery = (person.clone(), SubscriberStatus::Removed);
        self.deliveries.lock().unwrap().push(delivery);
    }

    /// One turn before the call and one before its answer is read.
    async fn call<T>(
        &self,
        call: impl Future<Output = Result<T, ProviderError>>,
    ) -> Result<T, ProviderError> {
        Pause(false).await;
        let sides = *self.failing.lock().unwrap();
        let fate = if sides == 0 {
            9
        } else {
            self.dice.lock().unwrap().below(sides)
        };
        if fate == 0 {
            return Err(no_answer());
        }
        let result = call.await;
        Pause(false).await;
        if fate == 1 { Err(no_answer()) } else { result }
    }
}

#[async_trait]
impl Provider for Paced {
    fn accounts(&self) -> Vec<Account> {
        Account::ALL.to_vec()
    }

    async fn upsert(
        &self,
        account: Account,
        profile: &Profile,
        join: bool,
    ) -> Result<Upserted, ProviderError> {
        self.call(self.memory.upsert(account, profile, join)).await
    }

    async fn update(
        &self,
        account: Account,
        id: &ProviderId,
        profile: &Profile,
    ) -> Result<Option<Upserted>, ProviderError> {
        self.call(self.memory.update(account, id, profile)).await
    }

    async fn find(&self, account: Account, email: &Email) -> Result<Option<Found>, ProviderError> {
        self.call(self.memory.find(account, email)).await
    }

    async fn suppress(
        &self,
        account: Account,
        email: &Email,
        id: &ProviderId,
    ) -> Result<(), ProviderError> {
        self.call(async {
            let before = self.memory.person(account, email);
            let result = self.memory.suppress(account, email, id).await;
            // The account delivers that too.
            if before.is_some_and(|person| person.status == ProviderStatus::Active) {
                let delivery = (email.clone(), SubscriberStatus::Unsubscribed);
                self.deliveries.lock().unwrap().push(delivery);
            }
            result
        })
        .await
    }

    async fn remove(&self, account: Account, id: &ProviderId) -> Result<(), ProviderError> {
        self.call(async {
            let shows = |person: &Email| self.memory.person(account, person).is_some();
            let mut before = ADDRESSES.map(email).to_vec();
            before.retain(shows);
            let result = self.memory.remove(account, id).await;
            for gone in before.iter().filter(|person| !shows(person)) {
                self.say_deleted(gone);
            }
            result
        })
        .await
    }

    async fn forget(&self, account: Account, id: &ProviderId) -> Result<(), ProviderError> {
        self.call(self.memory.forget(account, id)).await
    }

    async fn page(&self, account: Account, cursor: Option<&Cursor>) -> Result<Page, ProviderError> {
        self.call(self.memory.page(account, cursor)).await
    }

    async fn inspect(&self, account: Account) -> Result<Inspection, ProviderError> {
        self.call(self.memory.inspect(account)).await
    }
}
