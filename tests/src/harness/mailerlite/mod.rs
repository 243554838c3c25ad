//! A stand-in for the e-mail marketing provider: an HTTP server with two accounts that behave as
//! the provider's, which records all requests.
//!
//! It has what the program under test calls, is written from the API's documentation and recorded
//! answers, and knows nothing of the program. The provider's own Python client is tested against
//! it, too (`tests/python/test_mailerlite.py`).
//!
//! - `server`: authentication and limits.
//! - `account`, `person`: the data of an account, and its answers.
//! - `reply`: the HTTP forms of answers.

mod account;
mod person;
mod reply;
mod server;

use std::{
    sync::{Arc, Mutex, MutexGuard},
    time::Instant,
};

use serde_json::Value;

use self::account::AccountData;
use super::stand_in::Server;

/// The accounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Account {
    /// The account that people leave.
    Old,
    /// The account that people move to.
    New,
}

impl Account {
    const ALL: [Self; 2] = [Self::Old, Self::New];

    /// The API key.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Old => "key-of-the-old-account",
            Self::New => "key-of-the-new-account",
        }
    }
}

/// A received request.
#[derive(Clone, Debug)]
pub struct Call {
    /// The account of the API key; `None` for an unknown key.
    pub account: Option<Account>,
    /// The method.
    pub method: String,
    /// The path with the query, as it was sent.
    pub path: String,
    /// The body; `null` if it is not JSON.
    pub body: Value,
    /// The time of arrival.
    pub at: Instant,
    /// The status of the answer; `None` if none was sent.
    pub status: Option<u16>,
}

/// The stand-in, which stops on drop.
pub struct MailerLite {
    state: Arc<Mutex<State>>,
    server: Server,
}

/// The state of the server.
struct State {
    accounts: [AccountData; 2],
    /// The requests that have their effect, and no answer for as long as the client waits.
    unanswered: Vec<(Account, &'static str)>,
    calls: Vec<Call>,
}

impl MailerLite {
    /// Starts the stand-in with two empty accounts. Each has a group and the fields for
    /// memberships, and accepts 120 requests a minute. The old one ignores upserts of suppressed
    /// people, the new one refuses them.
    pub fn start() -> Self {
        server::start()
    }

    /// The base URL of the API, without a slash at the end.
    pub fn url(&self) -> String {
        format!("{}api", self.root())
    }

    /// The root URL of the server, which the provider's own clients need.
    pub fn root(&self) -> String {
        format!("http://{}/", self.server.address())
    }

    /// The id of the group that exists from the start.
    pub fn group(&self, account: Account) -> String {
        self.on(account, |data| data.group.to_string())
    }

    /// Sets the limit of requests to an account within any minute.
    pub fn limit(&self, account: Account, per_minute: usize) {
        self.on(account, |data| data.limit = per_minute);
    }

    /// Has the next request with a method take effect without an answer.
    pub fn withhold_answer(&self, account: Account, method: &'static str) {
        self.state().unanswered.push((account, method));
    }

    /// Adds a person to an account, by the body of an upsert.
    pub fn add(&self, account: Account, body: &Value) {
        let reply = self.on(account, |data| data.upsert(body));
        assert!(reply.is_success(), "{reply:?}");
    }

    /// Sets the status of a person in an account, as the provider does after an unsubscription.
    pub fn set_status(&self, account: Account, email: &str, status: &str) {
        self.on(account, |data| {
            let person = data.person(email);
            let person = person.unwrap_or_else(|| panic!("there is no {email}"));
            person.set_status(status);
        });
    }

    /// A person in an account, in the form of the provider's answer.
    pub fn subscriber(&self, account: Account, email: &str) -> Option<Value> {
        self.on(account, |data| data.show(email))
    }

    /// The id of a current or deleted person in an account; empty if there was none.
    pub fn id(&self, account: Account, email: &str) -> String {
        self.on(account, |data| {
            let person = data.person(email);
            person.map_or_else(String::new, |person| person.id.to_string())
        })
    }

    /// The number of automations that have started for a person, in both accounts.
    pub fn automation_starts(&self, email: &str) -> usize {
        let is_started = |account: &Account| {
            self.on(*account, |data| {
                data.person(email).is_some_and(|one| one.is_started)
            })
        };
        Account::ALL
            .iter()
            .filter(|account| is_started(account))
            .count()
    }

    /// The requests to an account, in order of arrival.
    pub fn calls(&self, account: Account) -> Vec<Call> {
        let calls = self.state().calls.clone().into_iter();
        calls.filter(|call| call.account == Some(account)).collect()
    }

    fn on<T>(&self, account: Account, work: impl FnOnce(&mut AccountData) -> T) -> T {
        work(&mut self.state().accounts[account as usize])
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }
}
