use std::time::Duration;

use adapters_llm as llm;
use clap::Args;
use secrecy::SecretString;
use url::Url;

use super::values::{api_key, line, one_of, seconds, web_url, whole};
use crate::misconfigured::Misconfigured;

const HIGHEST_PRICE: f64 = 1e9;

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Enrichment")]
pub struct EnricherArgs {
    /// The enricher: `builtin` uses only rules; with `llm`, a language model also judges postings
    /// that the rules do not reject
    #[arg(long, value_name = "NAME", default_value = "builtin", value_parser = one_of(ENRICHERS))]
    enricher: EnricherName,

    /// The base URL of an OpenAI-compatible API, such as `https://api.openai.com/v1` or
    /// `http://127.0.0.1:11434/v1`; a query is kept. Needed with `llm`
    #[arg(long, value_name = "URL", value_parser = llm_base_url)]
    llm_base_url: Option<Url>,

    /// The name of the model. Needed with `llm`
    #[arg(long, value_name = "NAME", value_parser = line(255))]
    llm_model: Option<String>,

    /// The API key
    #[arg(long, value_name = "KEY", value_parser = api_key)]
    llm_api_key: Option<SecretString>,

    /// The time limit of a call, in seconds, at most 3600; after timeouts it is up to four times as
    /// long
    // Large models on small machines take minutes.
    #[arg(long, value_name = "SECONDS", default_value = "120", value_parser = seconds(3600))]
    llm_timeout: Duration,

    /// Concurrent calls of this process, 1 to 256
    // No endpoint accepts more from one client.
    #[arg(
        long,
        value_name = "N",
        default_value = "4",
        value_parser = whole::<usize>("calls", 1..=256)
    )]
    llm_concurrency: usize,

    /// A JSON object whose fields are added to every request, such as `{"reasoning_effort":"low"}`;
    /// fields that the program sets, such as `messages`, are refused
    #[arg(long, value_name = "JSON", default_value = "{}", value_parser = extra_body)]
    llm_extra_body: llm::ExtraBody,

    /// The price of a million tokens of prompts, for the metrics
    #[arg(long, value_name = "PRICE", default_value = "0", value_parser = price)]
    llm_prompt_price: f64,

    /// The price of a million tokens of answers, for the metrics
    #[arg(long, value_name = "PRICE", default_value = "0", value_parser = price)]
    llm_completion_price: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EnricherName {
    Builtin,
    Llm,
}

const ENRICHERS: &[(&str, EnricherName)] = &[
    ("builtin", EnricherName::Builtin),
    ("llm", EnricherName::Llm),
];

#[derive(Clone, Debug)]
pub enum EnricherKind {
    Builtin,
    Llm(Box<llm::Settings>, usize),
}

impl EnricherArgs {
    pub fn kind(&self) -> Result<EnricherKind, Misconfigured> {
        if self.enricher == EnricherName::Builtin {
            return Ok(EnricherKind::Builtin);
        }
        let needed = |variable: &str| {
            Misconfigured(format!("{variable}: is needed with the enricher `llm`"))
        };
        let base_url = self.llm_base_url.clone();
        let model = self.llm_model.clone();
        let settings = llm::Settings {
            base_url: base_url.ok_or_else(|| needed("POSTHASTE_LLM_BASE_URL"))?,
            model: model.ok_or_else(|| needed("POSTHASTE_LLM_MODEL"))?,
            api_key: self.llm_api_key.clone(),
            timeout: self.llm_timeout,
            extra_body: self.llm_extra_body.clone(),
            prices: llm::Prices {
                prompt: self.llm_prompt_price,
                completion: self.llm_completion_price,
            },
        };
        Ok(EnricherKind::Llm(Box::new(settings), self.llm_concurrency))
    }
}

/// The base URL of a model's API. Some endpoints need a query on every call.
fn llm_base_url(text: &str) -> Result<Url, String> {
    let url = web_url(text)?;
    if url.fragment().is_some() {
        return Err("must not have a fragment".to_owned());
    }
    Ok(url)
}

fn extra_body(text: &str) -> Result<llm::ExtraBody, String> {
    llm::ExtraBody::parse(text).map_err(|error| error.to_string())
}

fn price(text: &str) -> Result<f64, String> {
    match text.trim().parse() {
        Ok(price) if (0.0..=HIGHEST_PRICE).contains(&price) => Ok(price),
        _ => Err(format!(
            "{text:?} is not a price of a million tokens, a number such as 0.15"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::values::tests::check, *};

    #[test]
    fn values_of_enrichment() {
        check(
            |text| llm_base_url(text).map(String::from),
            r#"
            https://api.openai.com/v1     | "https://api.openai.com/v1"
            https://h.example/d?api=2024  | "https://h.example/d?api=2024"
            api.openai.com                ! not a URL such as
            https://h.example/v1#a        ! must not have a fragment
            "#,
        );
        check(
            price,
            r#"
            0     | 0.0
            0.15  | 0.15
            -1    ! "-1" is not a price of a million tokens
            NaN   ! "NaN" is not
            inf   ! "inf" is not
            0,15  ! "0,15" is not
            "#,
        );
        check(
            |text| extra_body(text).map(drop),
            r#"
            {"reasoning_effort":"low"}  | ()
                                        ! must be a JSON object such as
            [1]                         ! must be a JSON object such as
            {"stream":true}             ! must not set "stream", which the program sets itself
            "#,
        );
    }
}
