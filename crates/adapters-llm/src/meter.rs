use std::time::Instant;

use metrics::{counter, gauge, histogram};

use crate::settings::Prices;

runtime::metrics! {
    counter REQUESTS in Count = "posthaste_llm_requests_total",
        "Completed calls to the model by outcome: answered, unusable, refused, limited, denied, \
         failed, timeout and adapted";
    histogram SECONDS in Seconds
        [0.1, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0, 120.0, 300.0]
        = "posthaste_llm_request_seconds",
        "The duration of calls to the model, with any outcome";
    gauge IN_FLIGHT in Count = "posthaste_llm_requests_in_flight",
        "Calls to the model in progress";
    counter TOKENS in Count = "posthaste_llm_tokens_total",
        "Paid tokens by direction (prompt or completion)";
    gauge COST = "posthaste_llm_cost",
        "The cost of the tokens since the start, by the configured prices";
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Answered,
    Unusable,
    /// The model, or a filter in front of the model, refused the posting.
    Refused,
    Limited,
    /// The endpoint denies access, for example because the key is invalid.
    Denied,
    Failed,
    Timeout,
    /// The endpoint refused a parameter, so the request was repeated in another form.
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

/// A call in progress. An abandoned call has no outcome.
pub struct Call {
    started: Instant,
}

impl Call {
    pub fn start() -> Self {
        gauge!(IN_FLIGHT).increment(1.0);
        Self {
            started: Instant::now(),
        }
    }

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

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    pub prompt: u32,
    pub completion: u32,
}

/// The cost is a gauge that only grows, because counters hold only whole numbers.
pub fn count(usage: Usage, prices: Prices) {
    counter!(TOKENS, "direction" => "prompt").increment(usage.prompt.into());
    counter!(TOKENS, "direction" => "completion").increment(usage.completion.into());
    let cost =
        f64::from(usage.prompt) * prices.prompt + f64::from(usage.completion) * prices.completion;
    gauge!(COST).increment(cost / 1e6);
}
