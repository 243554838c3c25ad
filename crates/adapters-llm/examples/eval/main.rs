//! Measures a model on a labelled set, and the rules alone beside it: `cargo run -p adapters-llm
//! --example eval -- FOLDER`.
//!
//! The endpoint is that of the variables `POSTHASTE_LLM_BASE_URL`, `_MODEL`, `_API_KEY`,
//! `_TIMEOUT`, `_EXTRA_BODY`, `_PROMPT_PRICE` and `_COMPLETION_PRICE`, as for the service. Prints
//! recall and precision by kind and for refusals, the answers of no use, and what the calls took;
//! with the model both for phrases joined with those of the rules, and for answers taken whole or
//! not. With `--misses` also each mistake, with `--limit N` only so many postings of each language.
#![expect(
    clippy::print_stdout,
    reason = "the figures are what the program is for"
)]

#[path = "../../../posting-text/examples/eval-rules/score.rs"]
mod score;
#[path = "../../../posting-text/examples/eval-rules/set.rs"]
mod set;

use std::{collections::BTreeMap, env, error::Error, path::Path, time::Duration};

use adapters_llm::{ChatModel, ExtraBody, Prices, Settings};
use domain::posting::Verdict;
use enrichment::{Case, Draft, EnrichError, EnrichmentInput, Model as _, StopFlag};
use kernel::codes::CountryCode;
use metrics_exporter_prometheus::PrometheusBuilder;
use posting_text::{Budget, Posting, prepare, redact::Phrase, rules};
use tokio::time::sleep;

use self::{score::Score, set::Sample};

/// How often a posting is asked about while the endpoint has no time.
const ATTEMPTS: u32 = 5;
/// The wait before the next attempt, unless the endpoint asks for another one.
const WAIT: Duration = Duration::from_secs(2);

type Scores = BTreeMap<String, Score>;

struct Options {
    folders: Vec<String>,
    misses: bool,
    limit: usize,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let options = options()?;
    let recorder = PrometheusBuilder::new().build_recorder();
    let figures = recorder.handle();
    metrics::set_global_recorder(recorder)?;
    let model = ChatModel::new(&settings()?)?;
    let (mut by_rules, mut by_model, mut whole) = (Scores::new(), Scores::new(), Scores::new());
    let (mut unusable, mut dropped) = (0, 0);
    for folder in &options.folders {
        let mut taken: BTreeMap<String, usize> = BTreeMap::new();
        for sample in set::read(Path::new(folder))? {
            let taken = taken.entry(sample.language.clone()).or_default();
            *taken += 1;
            if *taken > options.limit {
                continue;
            }
            let names: Vec<&str> = sample.other_names.iter().map(String::as_str).collect();
            let posting = score::posting(&sample, &names, &[]);
            let prepared = prepare(&posting, &Budget::of(&sample.text))?;
            let is_refused = prepared.refusal.is_some();
            let language = || sample.language.clone();
            by_rules
                .entry(language())
                .or_default()
                .count(&sample, &posting, is_refused, false)?;
            let draft = if is_refused {
                None
            } else {
                let draft = ask(&model, &sample).await?;
                unusable += u32::from(draft.is_none());
                draft
            };
            let phrases = draft.iter().flat_map(|draft| &draft.hide);
            let hide: Vec<Phrase<'_>> = phrases.map(Into::into).collect();
            let is_refused =
                is_refused || matches!(&draft, Some(draft) if draft.verdict != Verdict::Approve);
            let posting = Posting {
                hide: &hide,
                ..posting
            };
            // The other way: one phrase that is not there discards the verdict.
            let absent = rules::dropped(&posting, &Budget::of(&sample.text))?;
            dropped += absent;
            let (posting_of_whole, is_refused_of_whole) = if absent == 0 {
                (posting, is_refused)
            } else {
                (
                    Posting {
                        hide: &[],
                        ..posting
                    },
                    prepared.refusal.is_some(),
                )
            };
            whole.entry(language()).or_default().count(
                &sample,
                &posting_of_whole,
                is_refused_of_whole,
                false,
            )?;
            by_model.entry(language()).or_default().count(
                &sample,
                &posting,
                is_refused,
                options.misses,
            )?;
        }
    }
    println!("By rules alone:");
    score::print(&by_rules);
    println!(
        "\nWith {}, phrases that are not there dropped:",
        model.version()
    );
    score::print(&by_model);
    println!(
        "\nWith {}, answers with such a phrase discarded:",
        model.version()
    );
    score::print(&whole);
    println!("answers of no use, twice: {unusable}; phrases that are not there: {dropped}\n");
    print_figures(&figures.render());
    Ok(())
}

fn options() -> Result<Options, Box<dyn Error>> {
    let mut options = Options {
        folders: Vec::new(),
        misses: false,
        limit: usize::MAX,
    };
    let mut arguments = env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--misses" => options.misses = true,
            "--limit" => {
                let number = arguments.next().ok_or("--limit: a number is needed")?;
                options.limit = number
                    .parse()
                    .map_err(|error| format!("--limit: {error}"))?;
            }
            folder => options.folders.push(folder.to_owned()),
        }
    }
    if options.folders.is_empty() {
        return Err("the folder of a labelled set is needed".into());
    }
    Ok(options)
}

/// The variable, if it is set and not empty.
fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.trim().is_empty())
}

/// A variable as a value, or the default. An error names it.
fn parsed<T: std::str::FromStr<Err: std::fmt::Display>>(
    name: &str,
    default: T,
) -> Result<T, String> {
    variable(name).map_or(Ok(default), |value| {
        value
            .trim()
            .parse()
            .map_err(|error| format!("{name}: {error}"))
    })
}

fn settings() -> Result<Settings, Box<dyn Error>> {
    let needed = |name: &str| variable(name).ok_or_else(|| format!("{name}: is needed"));
    let base_url = needed("POSTHASTE_LLM_BASE_URL")?;
    let extra = variable("POSTHASTE_LLM_EXTRA_BODY").unwrap_or_else(|| "{}".to_owned());
    Ok(Settings {
        base_url: base_url
            .parse()
            .map_err(|error| format!("POSTHASTE_LLM_BASE_URL: {error}"))?,
        model: needed("POSTHASTE_LLM_MODEL")?,
        api_key: variable("POSTHASTE_LLM_API_KEY").map(Into::into),
        timeout: Duration::from_secs(parsed("POSTHASTE_LLM_TIMEOUT", 120)?),
        extra_body: ExtraBody::parse(&extra)
            .map_err(|error| format!("POSTHASTE_LLM_EXTRA_BODY: {error}"))?,
        prices: Prices {
            prompt: parsed("POSTHASTE_LLM_PROMPT_PRICE", 0.0)?,
            completion: parsed("POSTHASTE_LLM_COMPLETION_PRICE", 0.0)?,
        },
    })
}

fn input(sample: &Sample) -> EnrichmentInput {
    EnrichmentInput {
        posting: None,
        title: sample.title.clone(),
        raw_description: sample.text.as_str().into(),
        country: CountryCode::parse(&sample.country),
        city: Some(sample.city.clone()).filter(|city| !city.is_empty()),
        company_name: sample.name.clone(),
        other_names: sample.other_names.clone(),
        company_website: sample.website.clone(),
        application_url: None,
    }
}

/// Asks about a posting as the service does, and waits for the endpoint. `None` if there is no
/// answer of use.
async fn ask(model: &ChatModel, sample: &Sample) -> Result<Option<Draft>, Box<dyn Error>> {
    let (input, stop) = (input(sample), StopFlag::default());
    let case = Case::read(&input, &stop)?;
    let mut attempts = 0;
    loop {
        match case.ask(model, None).await {
            Ok((draft, _)) => return Ok(Some(draft)),
            Err(EnrichError::Permanent(message)) => {
                println!("{} {message}", sample.language);
                return Ok(None);
            }
            Err(
                EnrichError::Retry { message, after } | EnrichError::Unavailable { message, after },
            ) => {
                attempts += 1;
                if attempts >= ATTEMPTS {
                    return Err(message.into());
                }
                sleep(after.unwrap_or(WAIT * attempts)).await;
            }
        }
    }
}

/// Prints the metrics of the calls: how many, how long, tokens and cost.
fn print_figures(page: &str) {
    for line in page
        .lines()
        .filter(|line| line.starts_with("posthaste_llm_"))
    {
        println!("{line}");
    }
}
