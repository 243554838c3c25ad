//! A stand-in for the e-mail marketing provider: an HTTP server with two accounts, and a record of
//! all requests. It follows the API's documentation and recorded answers, and does not depend on
//! the program. The provider's own Python client is tested against it, too.

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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Account {
    Old,
    New,
}

impl Account {
    const ALL: [Self; 2] = [Self::Old, Self::New];

    pub const fn key(self) -> &'static str {
        match self {
            Self::Old => "key-of-the-old-account",
            Self::New => "key-of-the-new-account",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Call {
    pub account: Option<Account>,
    pub method: String,
    pub path: String,
    pub body: Value,
    pub at: Instant,
    pub status: Option<u16>,
}

pub struct MailerLite {
    state: Arc<Mutex<State>>,
    server: Server,
}

struct State {
    accounts: [AccountData; 2],
    /// Requests that take effect, but get no answer.
    unanswered: Vec<(Account, &'static str)>,
    calls: Vec<Call>,
}

impl MailerLite {
    /// Each of the two accounts has a group and the fields for memberships, and accepts 120
    /// requests a minute. For suppressed people, the old account ignores upserts, and the new
    /// account refuses them.
    pub fn start() -> Self {
        server::start()
    }

    pub fn url(&self) -> String {
        format!("{}api", self.root())
    }

    pub fn root(&self) -> String {
        format!("http://{}/", self.server.address())
    }

    pub fn group(&self, account: Account) -> String {
        self.on(account, |data| data.group.to_string())
    }

    pub fn limit(&self, account: Account, per_minute: usize) {
        self.on(account, |data| data.limit = per_minute);
    }

    pub fn withhold_answer(&self, account: Account, method: &'static str) {
        self.state().unanswered.push((account, method));
    }

    pub fn add(&self, account: Account, body: &Value) {
        let reply = self.on(account, |data| data.upsert(body));
        assert!(reply.is_success(), "{reply:?}");
    }

    pub fn set_status(&self, account: Account, email: &str, status: &str) {
        self.on(account, |data| {
            let person = data.person(email);
            let person = person.unwrap_or_else(|| panic!("there is no {email}"));
            person.set_status(status);
        });
    }

    pub fn subscriber(&self, account: Account, email: &str) -> Option<Value> {
        self.on(account, |data| data.show(email))
    }

    pub fn id(&self, account: Account, email: &str) -> String {
        self.on(account, |data| {
            let person = data.person(email);
            person.map_or_else(String::new, |person| person.id.to_string())
        })
    }

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
