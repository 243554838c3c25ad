//! The built-in enricher: no network, no randomness, the same answer every time.

use domain::enrichment::{Craft, EnrichedTexts, Enrichment, EnrichmentInput, rules::Secrets};

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
    fn prepare(&self, input: &EnrichmentInput) -> Enrichment {
        let mut document = markdown::read(&input.raw_description);
        let markdown = markdown::write(&document);
        let scan = Scan::of(&document, &input.company_website);
        let verdict = verdict::judge(&input.title, &document, &scan);
        let secrets = Secrets::of(input);
        redact::hide(&mut document, &Identity::of(input, &secrets), &scan);
        let coordinates = match (&input.country, &input.city) {
            (Some(country), Some(city)) => places::find(country.as_str(), city),
            _ => None,
        };
        Enrichment {
            texts: EnrichedTexts {
                markdown,
                redacted_markdown: markdown::write(&document),
            },
            coordinates,
            verdict,
        }
    }

    fn clean(&self, text: &str) -> String {
        markdown::write(&markdown::read(text))
    }

    fn redact(&self, markdown: &str, input: &EnrichmentInput) -> String {
        let secrets = Secrets::of(input);
        redact::markdown(markdown, &Identity::of(input, &secrets))
    }
}
