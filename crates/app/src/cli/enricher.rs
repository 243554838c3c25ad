//! The options of enrichment.

use std::time::Duration;

use adapters_llm as llm;
use clap::Args;
use secrecy::SecretString;
use url::Url;

use crate::{
    config::{self, EnricherKind, EnricherName, LlmSettings},
    misconfigured::Misconfigured,
};

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Enrichment")]
pub struct EnricherArgs {
    /// Who enriches postings: `builtin` works by rules alone, `llm` has a language model judge
    /// what the rules have nothing against
    #[arg(
        long,
        value_name = "NAME",
        env = "POSTHASTE_ENRICHER",
        default_value = "builtin",
        value_parser = config::enricher
    )]
    enricher: EnricherName,

    /// Where an OpenAI-compatible API is, such as `https://api.openai.com/v1` or
    /// `http://127.0.0.1:11434/v1`; a query is kept. Needed with `llm`
    #[arg(
        long,
        value_name = "URL",
        env = "POSTHASTE_LLM_BASE_URL",
        value_parser = config::llm_base_url
    )]
    llm_base_url: Option<Url>,

    /// The model, by the name it has there. Needed with `llm`
    #[arg(
        long,
        value_name = "NAME",
        env = "POSTHASTE_LLM_MODEL",
        value_parser = config::llm_model
    )]
    llm_model: Option<String>,

    /// The API key; better given as the variable, which other users cannot see
    #[arg(
        long,
        value_name = "KEY",
        env = "POSTHASTE_LLM_API_KEY",
        hide_env_values = true,
        allow_hyphen_values = true,
        value_parser = config::api_key
    )]
    llm_api_key: Option<SecretString>,

    /// How long a call may take, in seconds, at most 3600; after that twice, then four times as
    /// much
    #[arg(
        long,
        value_name = "SECONDS",
        env = "POSTHASTE_LLM_TIMEOUT",
        default_value = "120",
        value_parser = config::llm_timeout
    )]
    llm_timeout: Duration,

    /// How many calls this process has under way at once at most, 1 to 256
    #[arg(
        long,
        value_name = "N",
        env = "POSTHASTE_LLM_CONCURRENCY",
        default_value = "4",
        value_parser = config::llm_concurrency
    )]
    llm_concurrency: usize,

    /// A JSON object whose fields are added to every request, such as `{"reasoning_effort":"low"}`;
    /// fields of the program, such as `messages`, are refused
    #[arg(
        long,
        value_name = "JSON",
        env = "POSTHASTE_LLM_EXTRA_BODY",
        default_value = "{}",
        value_parser = config::llm_extra_body
    )]
    llm_extra_body: llm::ExtraBody,

    /// What a million tokens of a prompt cost, in your currency; for the metrics
    #[arg(
        long,
        value_name = "PRICE",
        env = "POSTHASTE_LLM_PROMPT_PRICE",
        default_value = "0",
        value_parser = config::price
    )]
    llm_prompt_price: f64,

    /// What a million tokens of an answer cost, in your currency; for the metrics
    #[arg(
        long,
        value_name = "PRICE",
        env = "POSTHASTE_LLM_COMPLETION_PRICE",
        default_value = "0",
        value_parser = config::price
    )]
    llm_completion_price: f64,
}

impl EnricherArgs {
    /// The enricher and its settings. A model's settings are required only if there is one.
    pub fn kind(&self) -> Result<EnricherKind, Misconfigured> {
        if self.enricher == EnricherName::Builtin {
            return Ok(EnricherKind::Builtin);
        }
        let needed = |variable: &str| {
            Misconfigured(format!("{variable}: is needed with the enricher `llm`"))
        };
        let base_url = self.llm_base_url.clone();
        let model = self.llm_model.clone();
        Ok(EnricherKind::Llm(Box::new(LlmSettings {
            model: llm::Settings {
                base_url: base_url.ok_or_else(|| needed("POSTHASTE_LLM_BASE_URL"))?,
                model: model.ok_or_else(|| needed("POSTHASTE_LLM_MODEL"))?,
                api_key: self.llm_api_key.clone(),
                timeout: self.llm_timeout,
                extra_body: self.llm_extra_body.clone(),
                prices: llm::Prices {
                    prompt: self.llm_prompt_price,
                    completion: self.llm_completion_price,
                },
            },
            concurrency: self.llm_concurrency,
        })))
    }
}
