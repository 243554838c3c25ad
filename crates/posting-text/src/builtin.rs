//! The built-in enricher: no network, no randomness, the same answer every time.

use domain::enrichment::{
    Budget, Craft, EnrichedTexts, Enrichment, EnrichmentInput, Exceeded, rules::Secrets,
};

use crate::{
    markdown, places,
    redact::{self, Identity, Scan},
    verdict,
};

/// Enriches postings by rules alone.
#[derive(Clone, Copy, Debug, Default)]
pub struct Builtin;

impl Craft for Builtin {
    /// Takes less than a millisecond of processor time for a usual description.
    fn prepare(&self, input: &EnrichmentInput, budget: &Budget) -> Result<Enrichment, Exceeded> {
        let mut document = markdown::read(&input.raw_description, budget)?;
        let markdown = markdown::write(&document, budget)?;
        let scan = Scan::of(&document, &input.company_website, budget)?;
        let verdict = verdict::judge(&input.title, &document, &scan, budget)?;
        let secrets = Secrets::of(input);
        redact::hide(&mut document, &Identity::of(input, &secrets), &scan, budget)?;
        let coordinates = match (&input.country, &input.city) {
            (Some(country), Some(city)) => places::find(country.as_str(), city),
            _ => None,
        };
        Ok(Enrichment {
            texts: EnrichedTexts {
                markdown,
                redacted_markdown: markdown::write(&document, budget)?,
            },
            coordinates,
            verdict,
        })
    }

    fn clean(&self, text: &str, budget: &Budget) -> Result<String, Exceeded> {
        markdown::from_description(text, budget)
    }

    fn redact(
        &self,
        markdown: &str,
        input: &EnrichmentInput,
        budget: &Budget,
    ) -> Result<String, Exceeded> {
        let secrets = Secrets::of(input);
        redact::markdown(markdown, &Identity::of(input, &secrets), budget)
    }
}
