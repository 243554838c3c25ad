//! A language model behind any endpoint with the chat completions API: `OpenAI`, Azure, Ollama,
//! vLLM, llama.cpp.
//!
//! [`ChatModel`] implements [`Model`](domain::enrichment::Model). It asks and reads; the
//! requirements on a draft, and the handling of errors, are the domain's. An answer may be late,
//! cut short, wrapped in prose or useless.

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
