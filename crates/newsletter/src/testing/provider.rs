use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use time::OffsetDateTime;

use crate::subscriber::{
    Account, Email, SubscriberStatus,
    provider::{
        Cursor, Fields, Found, Inspection, Listed, Page, Profile, Provider, ProviderError,
        ProviderId, ProviderStatus, Upserted,
    },
};

const PAGE: usize = 2;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    Upsert(Account, Email, bool),
    Update(Account, Email),
    Find(Account, Email),
    Suppress(Account, Email),
    Remove(Account, Email),
    Forget(Account, Email),
    Page(Account),
    Inspect(Account),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    pub status: ProviderStatus,
    pub unsubscribed_at: Option<OffsetDateTime>,
    pub is_in_group: bool,
    pub profile: Option<Profile>,
    /// How often the person joined the group.
    pub joined: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failing {
    /// The call fails before it has an effect.
    Before,
    /// The call fails after its effect: only the answer is lost.
    After,
}

#[derive(Clone, Debug)]
enum Incident {
    /// The call fails with this error, before or after its effect. An error about an unreadable
    /// answer, or an answer of a proxy, comes after the effect.
    Fails(Failing, ProviderError),
    /// A person gets another status just before the request.
    Follows(Account, Email, ProviderStatus),
}

#[derive(Debug, Default)]
pub struct MemoryProvider {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    people: BTreeMap<(Account, Email), Person>,
    forgotten: Vec<(Account, Email)>,
    calls: Vec<Call>,
    incidents: VecDeque<Option<Incident>>,
    refuses_suppressed: bool,
    shared: Option<Account>,
    inspections: BTreeMap<Account, Inspection>,
    now: Option<OffsetDateTime>,
}

impl MemoryProvider {
    pub fn new() -> Self {
        Self::default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the clock that dates unsubscriptions. Without a clock they have no date.
    pub fn at(&self, now: OffsetDateTime) {
        self.state().now = Some(now);
    }

    pub fn set(&self, account: Account, email: &Email, status: impl Into<ProviderStatus>) {
        self.state().set(account, email, status.into());
    }

    pub fn delete(&self, account: Account, email: &Email) {
        self.state().people.remove(&(account, email.clone()));
    }

    pub fn set_up(&self, account: Account, inspection: Inspection) {
        self.state().inspections.insert(account, inspection);
    }

    /// From now on, the accounts refuse upserts of suppressed people.
    pub fn refuse_suppressed(&self) {
        self.state().refuses_suppressed = true;
    }

    /// From now on, both keys open this account; `None`: each opens its own.
    pub fn share(&self, account: Option<Account>) {
        self.state().shared = account;
    }

    pub fn fail(&self, calls: usize, failing: Failing, error: ProviderError) {
        self.state().expect(calls, Incident::Fails(failing, error));
    }

    /// Changes a person's status after `calls` further requests, just before the next one.
    pub fn flip(&self, calls: usize, account: Account, email: &Email, status: ProviderStatus) {
        let incident = Incident::Follows(account, email.clone(), status);
        self.state().expect(calls, incident);
    }

    pub fn person(&self, account: Account, email: &Email) -> Option<Person> {
        let state = self.state();
        state.people.get(&state.of(account, email)).cloned()
    }

    pub fn has_forgotten(&self, account: Account, email: &Email) -> bool {
        self.state().forgotten.contains(&(account, email.clone()))
    }

    pub fn count(&self, account: Account) -> usize {
        let state = self.state();
        let people = state.people.keys();
        people.filter(|(of, _)| *of == account).count()
    }

    pub fn calls(&self) -> Vec<Call> {
        std::mem::take(&mut self.state().calls)
    }

    fn call<T>(
        &self,
        call: Call,
        effect: impl FnOnce(&mut State) -> T,
    ) -> Result<T, ProviderError> {
        let mut state = self.state();
        state.calls.push(call);
        match state.incidents.pop_front().flatten() {
            Some(Incident::Fails(Failing::Before, error)) => return Err(error),
            Some(Incident::Fails(Failing::After, error)) => {
                effect(&mut state);
                return Err(error);
            }
            Some(Incident::Follows(account, email, status)) => state.set(account, &email, status),
            None => {}
        }
        Ok(effect(&mut state))
    }
}

impl State {
    fn expect(&mut self, calls: usize, incident: Incident) {
        let incidents = &mut self.incidents;
        incidents.resize(incidents.len().max(calls), None);
        incidents.insert(calls, Some(incident));
    }

    fn of(&self, account: Account, email: &Email) -> (Account, Email) {
        (self.shared.unwrap_or(account), email.clone())
    }

    fn person(&mut self, account: Account, email: &Email) -> &mut Person {
        self.people
            .entry(self.of(account, email))
            .or_insert(Person {
                status: ProviderStatus::Active,
                unsubscribed_at: None,
                is_in_group: false,
                profile: None,
                joined: 0,
            })
    }

    fn set(&mut self, account: Account, email: &Email, status: ProviderStatus) {
        let now = self.now;
        let person = self.person(account, email);
        person.status = status;
        person.unsubscribed_at = now.filter(|_| status == ProviderStatus::Unsubscribed);
    }

    fn find(&self, account: Account, email: &Email) -> Option<Found> {
        let at = self.of(account, email);
        let person = self.people.get(&at)?;
        Some(found(&at, person))
    }

    fn take(&mut self, account: Account, profile: &Profile, join: bool) -> Upserted {
        let refuses = self.refuses_suppressed;
        let at = self.of(account, &profile.email);
        let person = self.person(account, &profile.email);
        if refuses && person.status.suppression().is_some() {
            return Upserted::Suppressed;
        }
        person.profile = Some(profile.clone());
        person.is_in_group |= join;
        person.joined += usize::from(join);
        Upserted::Taken(found(&at, person))
    }

    fn page(&self, account: Account, after: Option<&str>) -> Page {
        let account = self.shared.unwrap_or(account);
        let is_behind = |email: &Email| after.is_none_or(|after| email.as_str() > after);
        let people = self.people.iter();
        let mut behind: Vec<_> = people
            .filter(|((of, email), _)| *of == account && is_behind(email))
            .map(|(at, person)| Listed {
                email: at.1.clone(),
                found: found(at, person),
            })
            .take(PAGE + 1)
            .collect();
        let has_more = behind.len() > PAGE;
        behind.truncate(PAGE);
        let last = behind.last().filter(|_| has_more);
        Page {
            next: last.map(|last| Cursor(last.email.as_str().to_owned())),
            people: behind,
            odd: Vec::new(),
        }
    }
}

impl From<SubscriberStatus> for ProviderStatus {
    fn from(status: SubscriberStatus) -> Self {
        match status {
            // The provider has no status for a removed person.
            SubscriberStatus::Active | SubscriberStatus::Removed => Self::Active,
            SubscriberStatus::Bounced => Self::Bounced,
            SubscriberStatus::Unsubscribed => Self::Unsubscribed,
            SubscriberStatus::SpamReported => Self::Junk,
        }
    }
}

/// An id is the account and the address.
fn found((account, email): &(Account, Email), person: &Person) -> Found {
    Found {
        id: ProviderId(format!("{account}:{email}")),
        status: person.status,
        unsubscribed_at: person.unsubscribed_at,
        is_deleted: false,
        fields: (person.profile.as_ref())
            .map_or_else(Fields::default, |profile| profile.fields.clone()),
    }
}

fn address(id: &ProviderId) -> Result<Email, ProviderError> {
    let address = id.0.split_once(':').map_or(&*id.0, |(_, address)| address);
    Email::parse(address).map_err(|error| ProviderError::Permanent(error.to_string()))
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
        let call = Call::Upsert(account, profile.email.clone(), join);
        self.call(call, |state| state.take(account, profile, join))
    }

    async fn update(
        &self,
        account: Account,
        id: &ProviderId,
        profile: &Profile,
    ) -> Result<Option<Upserted>, ProviderError> {
        let email = address(id)?;
        self.call(Call::Update(account, email.clone()), |state| {
            state.find(account, &email)?;
            Some(state.take(account, profile, false))
        })
    }

    async fn find(&self, account: Account, email: &Email) -> Result<Option<Found>, ProviderError> {
        self.call(Call::Find(account, email.clone()), |state| {
            state.find(account, email)
        })
    }

    async fn suppress(
        &self,
        account: Account,
        email: &Email,
        _: &ProviderId,
    ) -> Result<(), ProviderError> {
        self.call(Call::Suppress(account, email.clone()), |state| {
            if state.find(account, email).is_some() {
                state.set(account, email, ProviderStatus::Unsubscribed);
                state.person(account, email).is_in_group = false;
            }
        })
    }

    async fn remove(&self, account: Account, id: &ProviderId) -> Result<(), ProviderError> {
        let email = address(id)?;
        self.call(Call::Remove(account, email.clone()), |state| {
            state.people.remove(&state.of(account, &email));
        })
    }

    async fn forget(&self, account: Account, id: &ProviderId) -> Result<(), ProviderError> {
        let email = address(id)?;
        self.call(Call::Forget(account, email.clone()), |state| {
            state.people.remove(&state.of(account, &email));
            state.forgotten.push((account, email));
        })
    }

    async fn page(&self, account: Account, cursor: Option<&Cursor>) -> Result<Page, ProviderError> {
        self.call(Call::Page(account), |state| {
            state.page(account, cursor.map(|cursor| cursor.0.as_str()))
        })
    }

    async fn inspect(&self, account: Account) -> Result<Inspection, ProviderError> {
        self.call(Call::Inspect(account), |state| {
            let set_up = state.inspections.get(&account);
            set_up.cloned().unwrap_or_default()
        })
    }
}
