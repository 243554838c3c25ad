//! A stand-in for a language model behind the chat completions API of `OpenAI`, which many others
//! speak: an HTTP server that judges postings by a rule of its own, refuses what the API refuses,
//! remembers what it was asked, and behaves as badly as real ones when it is told to.
//!
//! It knows the API from its documentation, and nothing of the program under test but the keys
//! of what it is shown (`title`, `description_markdown`) and of what it answers.
//!
//! - `fault`: how it can behave.
//! - `server`: what becomes of a request.
//! - `request`: what the API takes, and what it says to anything else.
//! - `schema`: the subset of JSON Schema that the API takes.
//! - `draft`: what the model writes, well or badly.
//! - `reply`: the shapes of answers.

mod draft;
mod fault;
mod reply;
mod request;
mod schema;
mod server;
#[cfg(test)]
mod tests;

use std::{
    net::SocketAddr,
    sync::{Arc, MutexGuard},
    time::{Duration, Instant},
};

use serde_json::Value;

pub use self::fault::{Fault, Slip};
use self::{fault::Plan, server::Shared};
use super::stand_in::Server;

/// The API key.
pub const KEY: &str = "sk-key-of-the-stand-in";

/// The one model there is.
pub const MODEL: &str = "stand-in-1";

/// What it says of a posting that it approves.
pub const APPROVAL: &str = "It offers a job.";

/// What it says of a posting that it rejects.
pub const REJECTION: &str = "The title says so itself.";

/// A request that came in.
#[derive(Clone, Debug)]
pub struct Call {
    /// When.
    pub at: Instant,
    /// With the query, as it was sent.
    pub path: String,
    /// The header, if there was one.
    pub authorization: Option<String>,
    /// `null` when there is no JSON.
    pub body: Value,
    /// The title of the posting it is about, if it is about any.
    pub title: Option<String>,
    /// The status of the answer; `None` when none was sent, or not yet.
    pub status: Option<u16>,
    /// How many requests were under way when it arrived, itself included.
    pub under_way: usize,
}

impl Call {
    /// The messages.
    pub fn messages(&self) -> &[Value] {
        self.body["messages"].as_array().map_or(&[], Vec::as_slice)
    }

    /// The texts of the messages of this role, in order.
    pub fn texts(&self, role: &str) -> Vec<String> {
        let messages = self.messages().iter();
        messages
            .filter(|message| message["role"] == role)
            .map(|message| request::text(message).unwrap_or_default())
            .collect()
    }
}

/// What an answer counts as having cost.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
}

/// The stand-in. It stops when dropped.
pub struct Chat {
    shared: Arc<Shared>,
    server: Server,
}

/// What the server knows.
struct State {
    plan: Plan,
    delay: Duration,
    usage: Option<Usage>,
    is_open: bool,
    calls: Vec<Call>,
    under_way: usize,
    most_under_way: usize,
}

impl Chat {
    /// Starts, well behaved.
    pub fn start() -> Self {
        Self::start_at(([127, 0, 0, 1], 0).into())
    }

    /// Starts at an address that nobody listens on.
    pub fn start_at(address: SocketAddr) -> Self {
        server::start(address)
    }

    /// The address that the paths of the API are joined to, without a slash at the end.
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address())
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.server.address()
    }

    /// Lets the next requests fail, after those that are to fail already.
    pub fn fail(&self, times: usize, fault: Fault) {
        self.state().plan.next(times, fault);
    }

    /// The same for the next requests about postings with this in their title. Others do not
    /// wait for them.
    pub fn fail_for(&self, title: &str, times: usize, fault: Fault) {
        self.state().plan.next_for(title, times, fault);
    }

    /// Lets every request about postings with this in their title fail, until there is `None`
    /// again.
    pub fn outage_for(&self, title: &str, fault: Option<Fault>) {
        self.state().plan.always_for(title, fault);
    }

    /// Lets every request fail, until there is `None` again.
    pub fn outage(&self, fault: Option<Fault>) {
        self.state().plan.always(fault);
    }

    /// Lets every answer take this long.
    pub fn slow(&self, delay: Duration) {
        self.state().delay = delay;
    }

    /// Holds all answers of the model back until they are released. Faults that are no answer of
    /// it are not held.
    pub fn hold(&self) {
        self.shared.held.send_replace(true);
    }

    /// Lets go of what is held back, and of what comes.
    pub fn release(&self) {
        self.shared.held.send_replace(false);
    }

    /// Takes requests without a key, as a model on one's own machine does.
    pub fn open(&self) {
        self.state().is_open = true;
    }

    /// Sets what each answer counts as; without this it depends on the lengths of the texts.
    pub fn count(&self, usage: Usage) {
        self.state().usage = Some(usage);
    }

    /// The requests, in order of arrival.
    pub fn calls(&self) -> Vec<Call> {
        self.state().calls.clone()
    }

    /// The requests about postings with this in their title.
    pub fn calls_for(&self, title: &str) -> Vec<Call> {
        let is_about = |call: &Call| {
            let about = call.title.as_deref();
            about.is_some_and(|about| about.contains(title))
        };
        self.calls().into_iter().filter(is_about).collect()
    }

    /// How many requests are under way: come, not answered, and not given up by who asked.
    pub fn under_way(&self) -> usize {
        self.state().under_way
    }

    /// The most requests that were under way at once.
    pub fn most_under_way(&self) -> usize {
        self.state().most_under_way
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap()
    }
}
