//! A stand-in for the e-mail marketing provider: an HTTP server that keeps two accounts as the
//! provider does, remembers what it was asked, and fails when it is told to.
//!
//! It knows the API from its documentation and from recorded answers, and nothing of the program
//! under test; the provider's own client for Python is run against it as well
//! (`tests/python/test_mailerlite.py`).
//!
//! - `server`: what happens to a request before it is one of an account's.
//! - `routes`: from a request to an account's answer.
//! - `account`, `subscriber`, `group`, `field`: what an account holds.
//! - `reply`: the shapes of answers.

mod account;
mod field;
mod group;
mod reply;
mod routes;
mod server;
mod subscriber;
#[cfg(test)]
mod tests;

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard},
    time::{Duration, Instant},
};

use serde_json::Value;

use self::account::Books;
use super::stand_in::Server;

/// The accounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Account {
    /// The one to leave.
    Old,
    /// The one to move to.
    New,
}

impl Account {
    const ALL: [Self; 2] = [Self::Old, Self::New];

    /// Its API key.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Old => "key-of-the-old-account",
            Self::New => "key-of-the-new-account",
        }
    }
}

/// What becomes of a request instead of an ordinary answer.
#[derive(Clone, Copy, Debug)]
pub enum Fault {
    /// This status, with `Retry-After` in seconds if there are any. Nothing is done.
    Answer(u16, Option<u64>),
    /// This status with a page of HTML, as something between the client and the provider says
    /// it. Nothing is done.
    Page(u16),
    /// This status with this JSON, in place of the provider's own words. Nothing is done.
    Words(u16, &'static str),
    /// Nothing at all, for as long as the client waits.
    Hang,
    /// The connection is closed. Nothing is done.
    Close,
    /// It is done, and then the connection is closed instead of an answer.
    LoseAnswer,
    /// It is done, and then there is no answer for as long as the client waits.
    WithholdAnswer,
}

/// A fault that is to come.
struct Planned {
    fault: Fault,
    /// The method that it waits for; `None` for any.
    method: Option<&'static str>,
}

/// What an account makes of an upsert of somebody who wants no mail. The provider was seen
/// doing either.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnSuppressed {
    /// 422, and nothing is taken in.
    Refuse,
    /// 200, with the status that the person has.
    Keep,
}

/// A request that came in.
#[derive(Clone, Debug)]
pub struct Call {
    /// By the API key; `None` for a stranger.
    pub account: Option<Account>,
    /// `POST`, and so on.
    pub method: String,
    /// With the query, as it was sent.
    pub path: String,
    /// `null` when there is no JSON.
    pub body: Value,
    /// When.
    pub at: Instant,
    /// The status of the answer; `None` when none was sent.
    pub status: Option<u16>,
}

/// The stand-in. It stops when dropped.
pub struct MailerLite {
    state: Arc<Mutex<State>>,
    server: Server,
}

/// What the server knows.
struct State {
    accounts: [Books; 2],
    faults: [VecDeque<Planned>; 2],
    outage: Option<Fault>,
    calls: Vec<Call>,
}

impl MailerLite {
    /// Starts with two empty accounts. Each has a group and the fields of memberships, refuses
    /// upserts of suppressed people, and takes 120 requests a minute.
    pub fn start() -> Self {
        server::start()
    }

    /// The address that the paths of the API are joined to, without a slash at the end.
    pub fn url(&self) -> String {
        format!("{}api", self.root())
    }

    /// The root of the server, as the provider's own clients want it.
    pub fn root(&self) -> String {
        format!("http://{}/", self.server.address())
    }

    /// The id of the group that is there from the start.
    pub fn group(&self, account: Account) -> String {
        self.on(account, |books| books.first_group().to_string())
    }

    /// Sets how many requests an account takes within any minute.
    pub fn limit(&self, account: Account, per_minute: usize) {
        self.on(account, |books| books.limit = per_minute);
    }

    /// Sets what happens to upserts of suppressed people.
    pub fn on_suppressed(&self, account: Account, what: OnSuppressed) {
        self.on(account, |books| books.on_suppressed = what);
    }

    /// Lets the next requests to an account fail, after those that are to fail already.
    pub fn fail(&self, account: Account, times: usize, fault: Fault) {
        self.plan(account, None, times, fault);
    }

    /// The same for the next requests of one method. Others do not wait for them.
    pub fn fail_on(&self, account: Account, method: &'static str, times: usize, fault: Fault) {
        self.plan(account, Some(method), times, fault);
    }

    fn plan(&self, account: Account, method: Option<&'static str>, times: usize, fault: Fault) {
        let faults = std::iter::repeat_with(|| Planned { fault, method }).take(times);
        self.state().faults[account as usize].extend(faults);
    }

    /// Lets every request fail, until there is `None` again.
    pub fn outage(&self, fault: Option<Fault>) {
        self.state().outage = fault;
    }

    /// Puts somebody into an account, by the body of an upsert.
    pub fn add(&self, account: Account, body: &Value) {
        let reply = self.on(account, |books| books.upsert(body));
        assert!(reply.is_success(), "{reply:?}");
    }

    /// Sets what an account says of somebody who is there, as if it had happened.
    pub fn set_status(&self, account: Account, email: &str, status: &str) {
        self.on(account, |books| books.set_status(email, status));
    }

    /// Somebody in an account, as the provider would answer.
    pub fn subscriber(&self, account: Account, email: &str) -> Option<Value> {
        self.on(account, |books| books.show(email))
    }

    /// The account's id of somebody who is there or was; empty if they never were.
    pub fn id(&self, account: Account, email: &str) -> String {
        self.on(account, |books| books.id(email).unwrap_or_default())
    }

    /// The number of people in an account.
    pub fn count(&self, account: Account) -> usize {
        self.on(account, |books| books.count())
    }

    /// How often an automation has started for somebody, in any account.
    pub fn automation_starts(&self, email: &str) -> usize {
        let starts = |account| self.on(account, |books| books.automation_starts(email));
        Account::ALL.into_iter().map(starts).sum()
    }

    /// The requests to an account, in order of arrival.
    pub fn calls(&self, account: Account) -> Vec<Call> {
        let calls = self.every_call().into_iter();
        calls.filter(|call| call.account == Some(account)).collect()
    }

    /// All requests, also those of strangers.
    pub fn every_call(&self) -> Vec<Call> {
        self.state().calls.clone()
    }

    /// The most requests to an account that arrived within any minute.
    pub fn busiest_minute(&self, account: Account) -> usize {
        let calls = self.calls(account);
        let within = |start: Instant| {
            let minute = start..start + Duration::from_mins(1);
            calls
                .iter()
                .filter(|call| minute.contains(&call.at))
                .count()
        };
        calls.iter().map(|call| within(call.at)).max().unwrap_or(0)
    }

    fn on<T>(&self, account: Account, work: impl FnOnce(&mut Books) -> T) -> T {
        work(&mut self.state().accounts[account as usize])
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }
}
