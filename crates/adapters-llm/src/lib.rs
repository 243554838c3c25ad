//! A language model behind any endpoint with the chat completions API: `OpenAI`, Azure, Mistral,
//! `DeepSeek`, Ollama, vLLM, llama.cpp.
//!
//! [`ChatModel`] implements [`Model`](enrichment::Model): it sends requests and reads answers. The
//! crate `enrichment` handles drafts and errors.

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
    model::ChatModel,
    settings::{Prices, Settings, SettingsError},
};
