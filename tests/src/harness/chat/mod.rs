//! A stand-in for a language model behind the chat completions API of `OpenAI`, which many
//! providers implement: an HTTP server that judges postings by a simple rule, refuses the requests
//! that the API refuses, records all requests, and fails on demand as real models do.
//!
//! It is written from the API's documentation, and knows nothing of the program under test except
//! the keys in its prompt (`title`, `description_markdown`) and in its answers.
//!
//! - `fault`: the faults.
//! - `server`: handles a request.
//! - `request`: validates a request.
//! - `schema`: the subset of JSON Schema that the API supports.
//! - `draft`: the answers of the model.
//! - `reply`: the HTTP forms of answers.

mod draft;
mod fault;
mod reply;
mod request;
mod schema;
mod server;

use std::{
    net::SocketAddr,
    sync::{Arc, MutexGuard},
};

use serde_json::Value;

pub use self::fault::Slip;
use self::{fault::Plan, server::Shared};
use super::stand_in::Server;

/// The API key.
pub const KEY: &str = "sk-key-of-the-stand-in";

/// The only model.
pub const MODEL: &str = "stand-in-1";

/// The sentence of an approval.
pub const APPROVAL: &str = "It offers a job.";

/// The sentence of a rejection.
pub const REJECTION: &str = "The title says so itself.";

/// A received request.
#[derive(Clone, Debug)]
pub struct Call {
    /// The path with the query, as it was sent.
    pub path: String,
    /// The `Authorization` header.
    pub authorization: Option<String>,
    /// The body; `null` if it is not JSON.
    pub body: Value,
    /// The title of the posting in the prompt.
    pub title: Option<String>,
    /// The status of the answer; `None` if none was sent, or not yet.
    pub status: Option<u16>,
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

/// The token usage of an answer.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
}

/// The stand-in, which stops on drop.
pub struct Chat {
    shared: Arc<Shared>,
    server: Server,
}

/// The state of the server.
struct State {
    plan: Plan,
    calls: Vec<Call>,
    under_way: usize,
}

impl Chat {
    /// Starts the stand-in without faults.
    pub fn start() -> Self {
        Self::start_at(([127, 0, 0, 1], 0).into())
    }

    /// Starts the stand-in at a free address.
    pub fn start_at(address: SocketAddr) -> Self {
        server::start(address)
    }

    /// The base URL of the API, without a slash at the end.
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address())
    }

    /// The address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.server.address()
    }

    /// Plans a slip for the next requests about postings with this in their title.
    pub fn slip(&self, title: &str, times: usize, slip: Slip) {
        self.state().plan.add(title, slip, Some(times));
    }

    /// Sets a permanent slip for postings with this in their title.
    pub fn keep_slipping(&self, title: &str, slip: Slip) {
        self.state().plan.add(title, slip, None);
    }

    /// Ends the slips for postings with this in their title.
    pub fn recover(&self, title: &str) {
        self.state().plan.clear(title);
    }

    /// Holds all answers of the model until [`release`](Self::release).
    pub fn hold(&self) {
        self.shared.held.send_replace(true);
    }

    /// Releases held and future answers.
    pub fn release(&self) {
        self.shared.held.send_replace(false);
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

    /// The number of requests in progress: neither answered nor cancelled by the client.
    pub fn under_way(&self) -> usize {
        self.state().under_way
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap()
    }
}
