//! A language model behind any endpoint with the chat completions API: `OpenAI`, Azure, Mistral,
//! `DeepSeek`, Ollama, vLLM, llama.cpp.
//!
//! [`ChatModel`] implements [`Model`](enrichment::Model). It sends requests and reads answers. The
//! crate `enrichment` decides on the requirements of a draft and on the handling of errors. An
//! answer may be late, cut off, wrapped in prose or unusable, and an endpoint may not know the
//! parameters of a request.

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
