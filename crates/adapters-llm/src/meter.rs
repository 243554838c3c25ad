//! Metrics: calls, tokens and money.

use std::time::Instant;

use metrics::{
    Unit, counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram,
};

use crate::settings::Prices;

const REQUESTS: &str = "posthaste_llm_requests_total";
/// The time of calls.
pub const SECONDS: &str = "posthaste_llm_request_seconds";
const IN_FLIGHT: &str = "posthaste_llm_requests_in_flight";
const TOKENS: &str = "posthaste_llm_tokens_total";
const COST: &str = "posthaste_llm_cost_total";

/// Buckets of [`SECONDS`]: a model writes a few words to a page, token by token.
pub const BUCKETS: [f64; 11] = [0.1, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0, 120.0, 300.0];

/// Describes the metrics. To be called once a recorder is installed.
pub fn describe() {
    describe_counter!(
        REQUESTS,
        Unit::Count,
        "Calls of the model that have ended, by outcome: answered, unusable, refused, limited, \
         denied, failed, timeout and adapted"
    );
    describe_histogram!(
        SECONDS,
        Unit::Seconds,
        "How long calls of the model took, whatever came of them"
    );
    describe_gauge!(IN_FLIGHT, Unit::Count, "Calls of the model under way");
    describe_counter!(
        TOKENS,
        Unit::Count,
        "Tokens that were paid for, by direction (prompt or completion), as the endpoint counts \
         them"
    );
    describe_gauge!(
        COST,
        "What the tokens cost by the configured prices since the start; it only grows"
    );
}

/// The outcome of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// An answer of the right form.
    Answered,
    /// A useless answer.
    Unusable,
    /// Refused by the model or a filter in front of it.
    Refused,
    /// Too many calls.
    Limited,
    /// The key or its account is invalid.
    Denied,
    /// Any other error.
    Failed,
    /// It exceeded its time limit.
    Timeout,
    /// Refused for a parameter, and asked again without it.
    Adapted,
}

impl Outcome {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Unusable => "unusable",
            Self::Refused => "refused",
            Self::Limited => "limited",
            Self::Denied => "denied",
            Self::Failed => "failed",
            Self::Timeout => "timeout",
            Self::Adapted => "adapted",
        }
    }
}

/// A call in progress. An abandoned one has no outcome.
pub struct Call {
    started: Instant,
}

impl Call {
    /// Starts the timer.
    pub fn start() -> Self {
        gauge!(IN_FLIGHT).increment(1.0);
        Self {
            started: Instant::now(),
        }
    }

    /// Records the outcome.
    pub fn end(self, outcome: Outcome) {
        counter!(REQUESTS, "outcome" => outcome.as_str()).increment(1);
        histogram!(SECONDS).record(self.started.elapsed());
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        gauge!(IN_FLIGHT).decrement(1.0);
    }
}

/// The tokens of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens read by the model.
    pub prompt: u32,
    /// Tokens written by the model.
    pub completion: u32,
}

/// Counts tokens and their price. Counters hold whole numbers only, so money is in a gauge that
/// only grows.
pub fn count(usage: Usage, prices: Prices) {
    counter!(TOKENS, "direction" => "prompt").increment(usage.prompt.into());
    counter!(TOKENS, "direction" => "completion").increment(usage.completion.into());
    let cost =
        f64::from(usage.prompt) * prices.prompt + f64::from(usage.completion) * prices.completion;
    gauge!(COST).increment(cost / 1e6);
}
