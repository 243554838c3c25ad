use std::{collections::BTreeMap, error::Error, path::Path, time::Duration};

use adapters_llm::ChatModel;
use domain::posting::{Details, Verdict};
use enrichment::{Case, Draft, EnrichError, EnrichmentInput, Model as _, StopFlag};
use fields::codes::CountryCode;
use posting_text::{Budget, Posting, prepare, redact::Phrase, rules};
use tokio::time::sleep;

use crate::{
    score::{self, Score},
    set::{self, Sample},
};

const ATTEMPTS: u32 = 5;
const WAIT: Duration = Duration::from_secs(2);

type Scores = BTreeMap<String, Score>;

/// Compares a model with the rules alone on `limit` postings of each language in a folder. A
/// further column discards each whole answer that has a phrase from outside the posting.
pub async fn measure(
    model: &ChatModel,
    folder: &Path,
    limit: usize,
    misses: bool,
) -> Result<String, Box<dyn Error>> {
    let mut ways = [Scores::new(), Scores::new(), Scores::new()];
    let (mut unusable, mut dropped) = (0, 0);
    let mut taken: BTreeMap<String, usize> = BTreeMap::new();
    for sample in set::read(folder)? {
        let taken = taken.entry(sample.language.clone()).or_default();
        *taken += 1;
        if *taken > limit {
            continue;
        }
        let names: Vec<&str> = sample.other_names.iter().map(String::as_str).collect();
        let by_rules = score::posting(&sample, &names, &[]);
        let budget = || Budget::of(&sample.text);
        let is_refused = prepare(&by_rules, &budget())?.refusal.is_some();
        let mut draft = None;
        if !is_refused {
            draft = ask(model, &sample).await?;
            unusable += u32::from(draft.is_none());
        }
        let phrases = draft.iter().flat_map(|draft| &draft.hide);
        let hide: Vec<Phrase<'_>> = phrases.map(Into::into).collect();
        let with_model = Posting {
            hide: &hide,
            ..by_rules
        };
        let rejects = |draft: &Draft| draft.verdict != Verdict::Approve;
        let is_rejected = is_refused || draft.as_ref().is_some_and(rejects);
        let absent = rules::dropped(&with_model, &budget())?;
        dropped += absent;
        let (rules, model) = ((by_rules, is_refused), (with_model, is_rejected));
        let whole = if absent == 0 { model } else { rules };
        for (number, (posting, is_refused)) in [rules, model, whole].into_iter().enumerate() {
            let score = ways[number].entry(sample.language.clone()).or_default();
            score.count(&sample, &posting, is_refused, misses && number == 1)?;
        }
    }
    let figures = ways.each_ref().map(|scores| score::sum(scores).figures());
    let row = |name: &str, cells: [&str; 3]| {
        format!(
            "{name:<12}{}\n",
            cells.map(|cell| format!("{cell:>18}")).concat()
        )
    };
    let heads = ["rules only", "phrases dropped", "answers discarded"];
    let mut out = row(model.version(), heads);
    for (number, (name, _)) in figures[0].iter().enumerate() {
        out += &row(
            name,
            figures.each_ref().map(|figures| figures[number].1.as_str()),
        );
    }
    let unused = format!(
        "postings with two unusable answers: {unusable}; phrases not in the text: {dropped}"
    );
    Ok(format!(
        "{out}{unused}\n\nBy language, phrases dropped:\n{}",
        score::table(&ways[1])
    ))
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
        details: Details::default(),
        new_domains: Vec::new(),
        churns: false,
        pushed_at: time::OffsetDateTime::UNIX_EPOCH,
    }
}

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
