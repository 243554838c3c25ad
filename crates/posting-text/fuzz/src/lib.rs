//! What the targets share: a posting made of the fuzzer's text, and what must hold of an outcome.

use std::sync::Arc;

use domain::{
    enrichment::{
        Budget, EnrichedTexts, Enrichment, EnrichmentInput, Exceeded, StopFlag, Verdict,
        rules::{self, CheckError},
    },
    posting::CountryCode,
};

/// A posting: lines for name, website and city of the company, then the description.
pub fn posting(data: &str) -> EnrichmentInput {
    let mut parts = data.splitn(4, '\n');
    let mut part = || parts.next().unwrap_or_default();
    let short = |text: &str| text.chars().take(255).collect::<String>();
    EnrichmentInput {
        company_name: short(part()),
        company_website: format!("https://{}", short(part())),
        city: Some(short(part())),
        title: "Cook".to_owned(),
        country: CountryCode::parse("NO"),
        raw_description: Arc::from(part()),
    }
}

/// What work on a description may cost.
pub fn budget(description: &str) -> Budget {
    Budget::of(description, &StopFlag::default())
}

/// The value, unless a text became too long. Steps never run out for texts as short as the
/// fuzzer's: where they do, something is not linear.
pub fn within<T>(result: Result<T, Exceeded>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(Exceeded::Output) => None,
        Err(exceeded) => panic!("{exceeded}"),
    }
}

/// Holds texts against the rules.
pub fn check(markdown: &str, redacted_markdown: &str, input: &EnrichmentInput) {
    let enrichment = Enrichment {
        texts: EnrichedTexts {
            markdown: markdown.to_owned(),
            redacted_markdown: redacted_markdown.to_owned(),
        },
        coordinates: None,
        verdict: Verdict::Reject {
            code: domain::enrichment::ReasonCode::Spam,
            text: "It is one.".to_owned(),
        },
    };
    match rules::check(&enrichment, input, &budget(&input.raw_description)) {
        Ok(()) => {}
        Err(CheckError::Breach(breach)) => panic!("{breach}\n{:?}", enrichment.texts),
        Err(CheckError::Exceeded(exceeded)) => panic!("{exceeded}"),
    }
}
