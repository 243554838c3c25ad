//! A language model behind any endpoint that speaks the chat completions API: `OpenAI`, Azure,
//! Ollama, vLLM, llama.cpp.
//!
//! [`ChatModel`] implements [`Model`](domain::enrichment::Model). It asks and reads; what a draft
//! must satisfy, and what becomes of an error, is the domain's. Whatever an endpoint says is
//! taken for what it may be: late, cut short, wrapped in prose, or of no use.

mod answer;
mod completion;
mod draft;
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
    meter::describe as describe_metrics,
    model::ChatModel,
    settings::{Prices, Settings, SettingsError},
};
