//! Implements the pipeline's port with the rules of [`posting_text`]. Nothing is decided here.

use domain::{
    enrichment::{
        Brief, CheckError, Coordinates, Draft, EnrichedTexts, Enrichment, EnrichmentInput,
        Exceeded, ReasonCode, RuleEnricher, StopFlag, Verdict,
    },
    posting::CountryCode,
};
use posting_text::{
    Budget, Posting, Refusal, markdown, places, redact,
    rules::{self, Texts},
};

/// The rules of [`posting_text`].
#[derive(Clone, Copy, Debug, Default)]
pub struct TextRules;

impl RuleEnricher for TextRules {
    fn prepare(&self, input: &EnrichmentInput, stop: &StopFlag) -> Result<Enrichment, Exceeded> {
        let names = other_names(input);
        let prepared = posting_text::prepare(&posting(input, &names), &budget(input, stop));
        let prepared = prepared.map_err(exceeded)?;
        let place = |place: places::Coordinates| Coordinates {
            latitude: place.latitude,
            longitude: place.longitude,
        };
        Ok(Enrichment {
            texts: EnrichedTexts {
                markdown: prepared.markdown,
                redacted_markdown: prepared.redacted_markdown,
                redacted_title: Some(prepared.redacted_title),
            },
            coordinates: prepared.coordinates.map(place),
            verdict: prepared.refusal.map_or(Verdict::Approve, rejected),
        })
    }

    fn texts(
        &self,
        draft: &Draft,
        input: &EnrichmentInput,
        stop: &StopFlag,
    ) -> Result<EnrichedTexts, Exceeded> {
        let names = other_names(input);
        let (posting, budget) = (posting(input, &names), budget(input, stop));
        let markdown = markdown::from_description(&draft.markdown, &budget).map_err(exceeded)?;
        let redacted = redact::markdown(&draft.redacted_markdown, &posting, &budget);
        let title = redact::line(posting.title, &posting, &budget);
        Ok(EnrichedTexts {
            markdown,
            redacted_markdown: redacted.map_err(exceeded)?,
            redacted_title: Some(title.map_err(exceeded)?),
        })
    }

    fn faults(
        &self,
        draft: &Draft,
        brief: &Brief<'_>,
        stop: &StopFlag,
    ) -> Result<Vec<String>, Exceeded> {
        let texts = texts(&draft.markdown, &draft.redacted_markdown, &draft.verdict);
        rules::faults(&texts, brief.markdown, &budget(brief.input, stop)).map_err(exceeded)
    }

    fn detail(&self, text: &str) -> String {
        rules::detail(text)
    }

    fn check(
        &self,
        enrichment: &Enrichment,
        input: &EnrichmentInput,
        stop: &StopFlag,
    ) -> Result<(), CheckError> {
        let EnrichedTexts {
            markdown,
            redacted_markdown,
            redacted_title,
        } = &enrichment.texts;
        let texts = texts(markdown, redacted_markdown, &enrichment.verdict);
        let place = enrichment.coordinates.map(|place| places::Coordinates {
            latitude: place.latitude,
            longitude: place.longitude,
        });
        let names = other_names(input);
        let posting = posting(input, &names);
        let budget = budget(input, stop);
        let checked =
            rules::check(&texts, place, &posting, &budget).and_then(|()| match redacted_title {
                Some(title) => rules::check_title(title, &posting, &budget),
                None => Ok(()),
            });
        checked.map_err(|error| match error {
            rules::CheckError::Breach(breach) => CheckError::Breach(breach.to_string()),
            rules::CheckError::Exceeded(error) => CheckError::Exceeded(exceeded(error)),
        })
    }
}

fn other_names(input: &EnrichmentInput) -> Vec<&str> {
    input.other_names.iter().map(String::as_str).collect()
}

fn posting<'a>(input: &'a EnrichmentInput, other_names: &'a [&'a str]) -> Posting<'a> {
    Posting {
        title: &input.title,
        description: &input.raw_description,
        country: input.country.map(CountryCode::as_str),
        city: input.city.as_deref(),
        company_name: &input.company_name,
        other_names,
        company_website: &input.company_website,
        base_url: input.application_url.as_deref(),
        hide: &[],
    }
}

fn texts<'a>(markdown: &'a str, redacted_markdown: &'a str, verdict: &'a Verdict) -> Texts<'a> {
    Texts {
        markdown,
        redacted_markdown,
        rejection: match verdict {
            Verdict::Approve => None,
            Verdict::Reject { text, .. } => Some(text),
        },
    }
}

/// The budget of one piece of work on a posting.
fn budget(input: &EnrichmentInput, stop: &StopFlag) -> Budget {
    Budget::of(&input.raw_description).until(stop.flag())
}

fn exceeded(error: posting_text::Exceeded) -> Exceeded {
    match error {
        posting_text::Exceeded::Steps | posting_text::Exceeded::Output => Exceeded::TooComplex,
        posting_text::Exceeded::Stopped => Exceeded::Stopped,
    }
}

fn rejected(refusal: Refusal) -> Verdict {
    let (code, text) = match refusal {
        Refusal::OnlyLinks => (ReasonCode::NoContent, ReasonCode::ONLY_LINKS),
        Refusal::NoContent => (ReasonCode::NoContent, ReasonCode::NoContent.sentence()),
        Refusal::Test => (ReasonCode::TestPosting, ReasonCode::TestPosting.sentence()),
    };
    Verdict::Reject {
        code,
        text: text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_what_to_do() {
        for refusal in [Refusal::NoContent, Refusal::OnlyLinks, Refusal::Test] {
            let Verdict::Reject { text, .. } = rejected(refusal) else {
                panic!("{refusal:?} approves")
            };
            assert!(text.contains("again"), "{text}");
        }
    }

    fn cook() -> EnrichmentInput {
        EnrichmentInput {
            title: "Cook".to_owned(),
            raw_description: "A cook.".into(),
            country: None,
            city: None,
            company_name: "Acmera AS".to_owned(),
            other_names: Vec::new(),
            company_website: "https://acmera.no".to_owned(),
            application_url: None,
        }
    }

    /// Four postings pushed together on one website, each with another name.
    #[test]
    fn no_name_of_the_company_is_readable() {
        let names = ["Fjellvik", "Havgard", "Skogbrink", "Elvestad"];
        for name in names {
            let others = names.iter().filter(|other| **other != "Elvestad");
            let input = EnrichmentInput {
                title: format!("Cook at {name}"),
                raw_description: format!("{name} is hiring. At {name} you cook.").into(),
                company_name: "Elvestad".to_owned(),
                other_names: others.map(ToString::to_string).collect(),
                ..cook()
            };
            let enrichment = TextRules.prepare(&input, &StopFlag::default()).unwrap();
            let texts = enrichment.texts;
            assert_eq!(texts.redacted_title.as_deref(), Some("Cook at [company]"));
            assert_eq!(
                texts.redacted_markdown,
                "[company] is hiring. At [company] you cook."
            );
        }
    }

    #[test]
    fn every_sentence_with_a_detail_passes_the_rules() {
        let input = cook();
        for code in ReasonCode::ALL {
            let enrichment = Enrichment {
                texts: EnrichedTexts::default(),
                coordinates: None,
                verdict: Verdict::Reject {
                    code,
                    text: code.explained(&TextRules.detail(&"é".repeat(rules::DETAIL + 1))),
                },
            };
            let checked = TextRules.check(&enrichment, &input, &StopFlag::default());
            assert_eq!(checked, Ok(()), "{code}");
        }
    }
}
