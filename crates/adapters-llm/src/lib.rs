//! A language model behind any endpoint with the chat completions API: `OpenAI`, Azure, Mistral,
//! `DeepSeek`, Ollama, vLLM, llama.cpp.
//!
//! [`ChatModel`] implements [`Model`](enrichment::Model). It asks and reads; the
//! requirements on a draft, and the handling of errors, are the domain's. An answer may be late,
//! cut short, wrapped in prose or useless, and an endpoint may not know what it is asked with.

mod answer;
mod completion;
mod dialect;
mod draft;
mod extra;
mod failure_tracker;
#[cfg(fuzzing)]
pub mod fuzz;
mod meter;
mod model;
mod prompt;
mod request;
mod settings;
#[cfg(test)]
mod tests;

pub use self::{
    extra::{ExtraBody, ExtraBodyError},
    failure_tracker::MAX_TIMEOUT_FACTOR,
    meter::{BUCKETS, SECONDS, describe as describe_metrics},
    model::ChatModel,
    settings::{Prices, Settings, SettingsError},
};
