//! Compares a model with the rules on labelled sets: `cargo run -p adapters-llm --example eval --
//! FOLDER`.
//!
//! The variables `POSTHASTE_LLM_*` set the endpoint and prices, as for the service. Prints the
//! share of labels of each kind that is hidden, the texts that are hidden wrongly, and the cost.
//! `--misses` also prints each mistake. `--limit N` measures only N postings of each language.
#![expect(
    clippy::print_stdout,
    reason = "the figures are what the program is for"
)]

mod measure;
#[path = "../../../posting-text/examples/eval-rules/score.rs"]
mod score;
#[path = "../../../posting-text/examples/eval-rules/set.rs"]
mod set;

use std::{env, error::Error, path::Path, time::Duration};

use adapters_llm::{ChatModel, ExtraBody, Prices, Settings};
use metrics_exporter_prometheus::PrometheusBuilder;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let (mut folders, mut misses, mut limit) = (Vec::new(), false, usize::MAX);
    let mut arguments = env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--misses" => misses = true,
            "--limit" => limit = arguments.next().unwrap_or_default().parse()?,
            folder => folders.push(folder.to_owned()),
        }
    }
    let recorder = PrometheusBuilder::new().build_recorder();
    let page = recorder.handle();
    metrics::set_global_recorder(recorder)?;
    let model = ChatModel::new(&settings()?)?;
    for folder in &folders {
        let figures = measure::measure(&model, Path::new(folder), limit, misses).await?;
        println!("{folder}\n{figures}");
    }
    let page = page.render();
    for line in page.lines().filter(|it| it.starts_with("posthaste_llm_")) {
        println!("{line}");
    }
    Ok(())
}

fn variable<T: std::str::FromStr<Err: std::fmt::Display>>(
    name: &str,
    default: &str,
) -> Result<T, String> {
    let name = format!("POSTHASTE_LLM_{name}");
    let value = env::var(&name)
        .ok()
        .filter(|value| !value.trim().is_empty());
    let value = value.unwrap_or_else(|| default.to_owned());
    value
        .trim()
        .parse()
        .map_err(|error| format!("{name}: {error}"))
}

fn settings() -> Result<Settings, Box<dyn Error>> {
    let key: String = variable("API_KEY", "")?;
    Ok(Settings {
        base_url: variable("BASE_URL", "")?,
        model: variable("MODEL", "")?,
        api_key: (!key.is_empty()).then(|| key.into()),
        timeout: Duration::from_secs(variable("TIMEOUT", "120")?),
        extra_body: ExtraBody::parse(&variable::<String>("EXTRA_BODY", "{}")?)?,
        prices: Prices {
            prompt: variable("PROMPT_PRICE", "0")?,
            completion: variable("COMPLETION_PRICE", "0")?,
        },
    })
}
