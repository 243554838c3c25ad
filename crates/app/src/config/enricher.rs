//! The settings of the enricher and its language model.

use std::time::Duration;

use adapters_llm as llm;
use url::Url;

use super::{count, line, web_url, whole};

/// The longest name of a model, in characters.
const MODEL_LENGTH: usize = 255;
/// The longest timeout of a call, in seconds. Large models on small machines take minutes.
const LONGEST_TIMEOUT: u64 = 3600;
/// The largest number of concurrent calls: more than any endpoint takes of one client.
const MOST_CALLS: u64 = 256;
/// The highest price of a million tokens, in any currency.
const HIGHEST_PRICE: f64 = 1e9;

/// The name of an enricher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnricherName {
    /// Rules alone.
    Builtin,
    /// Rules, and a language model for postings that pass them.
    Llm,
}

/// The enricher of postings, with its settings.
#[derive(Clone, Debug)]
pub enum EnricherKind {
    /// Rules alone.
    Builtin,
    /// Rules, and a language model.
    Llm(Box<LlmSettings>),
}

/// The settings of a language model.
#[derive(Clone, Debug)]
pub struct LlmSettings {
    /// The model.
    pub model: llm::Settings,
    /// The number of concurrent calls.
    pub concurrency: usize,
}

/// `POSTHASTE_ENRICHER`.
pub fn enricher(text: &str) -> Result<EnricherName, String> {
    match text.trim() {
        "builtin" => Ok(EnricherName::Builtin),
        "llm" => Ok(EnricherName::Llm),
        other => Err(format!("{other:?} is no enricher; use `builtin` or `llm`")),
    }
}

/// `POSTHASTE_LLM_BASE_URL`. It may have a query, which some endpoints want with every call.
pub fn llm_base_url(text: &str) -> Result<Url, String> {
    let url = web_url(text)?;
    if url.fragment().is_some() {
        return Err("must not have a fragment".to_owned());
    }
    Ok(url)
}

/// `POSTHASTE_LLM_MODEL`.
pub fn llm_model(text: &str) -> Result<String, String> {
    line(text, MODEL_LENGTH)
}

/// `POSTHASTE_LLM_TIMEOUT`.
pub fn llm_timeout(text: &str) -> Result<Duration, String> {
    whole(text, "seconds", 1, LONGEST_TIMEOUT).map(Duration::from_secs)
}

/// `POSTHASTE_LLM_CONCURRENCY`.
pub fn llm_concurrency(text: &str) -> Result<usize, String> {
    count(text, "calls", MOST_CALLS)
}

/// `POSTHASTE_LLM_EXTRA_BODY`.
pub fn llm_extra_body(text: &str) -> Result<llm::ExtraBody, String> {
    llm::ExtraBody::parse(text).map_err(|error| error.to_string())
}

/// `POSTHASTE_LLM_PROMPT_PRICE`, `POSTHASTE_LLM_COMPLETION_PRICE`.
pub fn price(text: &str) -> Result<f64, String> {
    match text.trim().parse() {
        Ok(price) if (0.0..=HIGHEST_PRICE).contains(&price) => Ok(price),
        _ => Err(format!(
            "{text:?} is not a price of a million tokens, a number such as 0.15"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::tests::check, *};

    #[test]
    fn enrichers() {
        check(
            enricher,
            &[
                ("builtin", Ok("Builtin")),
                (" llm ", Ok("Llm")),
                ("gpt", Err("\"gpt\" is no enricher; use `builtin` or `llm`")),
            ],
        );
    }

    #[test]
    fn addresses_of_models() {
        check(
            |text| llm_base_url(text).map(String::from),
            &[
                (
                    "https://api.openai.com/v1",
                    Ok(r#""https://api.openai.com/v1""#),
                ),
                (
                    " http://127.0.0.1:11434/v1 ",
                    Ok(r#""http://127.0.0.1:11434/v1""#),
                ),
                (
                    "https://x.openai.azure.com/openai/deployments/d?api-version=2024-10-21",
                    Ok(
                        r#""https://x.openai.azure.com/openai/deployments/d?api-version=2024-10-21""#,
                    ),
                ),
                ("api.openai.com", Err("not a URL such as")),
                (
                    "ftp://h.example",
                    Err("must begin with http:// or https://"),
                ),
                (
                    "https://u:sesame@h.example/v1",
                    Err("must not hold a user name or password"),
                ),
                ("https://h.example/v1#a", Err("must not have a fragment")),
            ],
        );
    }

    #[test]
    fn names_and_numbers() {
        check(
            llm_model,
            &[
                (" qwen3:8b ", Ok(r#""qwen3:8b""#)),
                ("", Err("must not be empty")),
                (&"m".repeat(256), Err("must be at most 255 characters long")),
            ],
        );
        check(
            llm_timeout,
            &[
                ("120", Ok("120s")),
                (
                    "0",
                    Err("\"0\" is not a whole number of seconds from 1 to 3600"),
                ),
                ("1.5", Err("\"1.5\" is not")),
            ],
        );
        check(
            llm_concurrency,
            &[
                ("4", Ok("4")),
                ("256", Ok("256")),
                (
                    "0",
                    Err("\"0\" is not a whole number of calls from 1 to 256"),
                ),
                ("257", Err("\"257\" is not")),
            ],
        );
        check(
            price,
            &[
                ("0", Ok("0.0")),
                (" 0.15 ", Ok("0.15")),
                ("-1", Err("\"-1\" is not a price of a million tokens")),
                ("NaN", Err("\"NaN\" is not")),
                ("inf", Err("\"inf\" is not")),
                ("0,15", Err("\"0,15\" is not")),
            ],
        );
    }

    #[test]
    fn further_fields_are_a_json_object() {
        let fields = |text: &str| llm_extra_body(text).map(|_| ());
        check(
            fields,
            &[
                (r#"{"reasoning_effort":"low"}"#, Ok("()")),
                ("{}", Ok("()")),
                ("", Err("must be a JSON object such as")),
                ("{\"a\"}", Err("must be a JSON object such as")),
                ("[1]", Err("must be a JSON object such as")),
                (
                    r#"{"stream":true}"#,
                    Err("must not set \"stream\", which the program sets itself"),
                ),
            ],
        );
    }
}
