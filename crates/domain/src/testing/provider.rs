//! The e-mail provider in memory: two accounts, and failures on demand.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;

use crate::subscriber::{
    Account, Email, SubscriberStatus,
    provider::{Found, Profile, Provider, ProviderError, ProviderId, Upserted},
};

/// A request that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// `upsert`, with `join` or without.
    Upsert(Account, Email, bool),
    /// `find`.
    Find(Account, Email),
    /// `remove`.
    Remove(Account, Email),
}

/// A person in an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// How they stand.
    pub status: SubscriberStatus,
    /// What the account was told last; nothing of who was there before.
    pub profile: Option<Profile>,
    /// How often they joined the group.
    pub joined: usize,
}

/// When a request fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failing {
    /// Before it has an effect.
    Before,
    /// After it had its effect: only the answer is lost.
    After,
}

/// Implements the provider's port.
#[derive(Debug, Default)]
pub struct MemoryProvider {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    people: BTreeMap<(Account, Email), Person>,
    calls: Vec<Call>,
    failures: VecDeque<Option<(Failing, ProviderError)>>,
    refuses_suppressed: bool,
}

impl MemoryProvider {
    /// Two empty accounts.
    pub fn new() -> Self {
        Self::default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a person into an account, or gives them another status there.
    pub fn set(&self, account: Account, email: &Email, status: SubscriberStatus) {
        self.state().person(account, email).status = status;
    }

    /// From now on, someone suppressed is refused instead of taken.
    pub fn refuse_suppressed(&self) {
        self.state().refuses_suppressed = true;
    }

    /// The request after `calls` more fails.
    pub fn fail(&self, calls: usize, failing: Failing, error: ProviderError) {
        let failures = &mut self.state().failures;
        failures.resize(failures.len().max(calls), None);
        failures.insert(calls, Some((failing, error)));
    }

    /// A person in an account.
    pub fn person(&self, account: Account, email: &Email) -> Option<Person> {
        self.state().people.get(&(account, email.clone())).cloned()
    }

    /// The requests since this was asked last.
    pub fn calls(&self) -> Vec<Call> {
        std::mem::take(&mut self.state().calls)
    }

    /// Makes a request, or fails as it was asked to.
    fn call<T>(
        &self,
        call: Call,
        effect: impl FnOnce(&mut State) -> T,
    ) -> Result<T, ProviderError> {
        let mut state = self.state();
        state.calls.push(call);
        match state.failures.pop_front().flatten() {
            Some((Failing::Before, error)) => Err(error),
            Some((Failing::After, error)) => {
                effect(&mut state);
                Err(error)
            }
            None => Ok(effect(&mut state)),
        }
    }
}

impl State {
    fn person(&mut self, account: Account, email: &Email) -> &mut Person {
        self.people
            .entry((account, email.clone()))
            .or_insert(Person {
                status: SubscriberStatus::Active,
                profile: None,
                joined: 0,
            })
    }

    fn find(&self, account: Account, email: &Email) -> Option<Found> {
        let person = self.people.get(&(account, email.clone()))?;
        Some(Found {
            id: ProviderId(email.as_str().to_owned()),
            status: person.status,
        })
    }
}

#[async_trait]
impl Provider for MemoryProvider {
    fn accounts(&self) -> Vec<Account> {
        Account::ALL.to_vec()
    }

    async fn upsert(
        &self,
        account: Account,
        profile: &Profile,
        join: bool,
    ) -> Result<Upserted, ProviderError> {
        let email = &profile.email;
        self.call(Call::Upsert(account, email.clone(), join), |state| {
            let refuses = state.refuses_suppressed;
            let person = state.person(account, email);
            if refuses && person.status.is_suppressed() {
                return Upserted::Suppressed;
            }
            person.profile = Some(profile.clone());
            person.joined += usize::from(join);
            Upserted::Taken(Found {
                id: ProviderId(email.as_str().to_owned()),
                status: person.status,
            })
        })
    }

    async fn find(&self, account: Account, email: &Email) -> Result<Option<Found>, ProviderError> {
        self.call(Call::Find(account, email.clone()), |state| {
            state.find(account, email)
        })
    }

    async fn remove(&self, account: Account, id: &ProviderId) -> Result<(), ProviderError> {
        // Its ids are the addresses.
        let Ok(email) = Email::parse(&id.0) else {
            return Ok(());
        };
        self.call(Call::Remove(account, email.clone()), |state| {
            state.people.remove(&(account, email));
        })
    }
}
