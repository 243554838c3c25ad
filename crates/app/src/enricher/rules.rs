//! Implements the pipeline's port with the rules of [`posting_text`]. Nothing is decided here.

use domain::enrichment::{
    CheckError, Coordinates, Draft, EnrichedTexts, Enrichment, EnrichmentInput, Exceeded, Phrase,
    PhraseKind, ReasonCode, RuleEnricher, Sketch, StopFlag, Verdict,
};
use kernel::codes::CountryCode;
use posting_text::{
    Budget, Posting, Prepared, Refusal, places,
    redact::{self, Kind},
    rules::{self, Texts},
};

use crate::metrics;

/// The rules of [`posting_text`].
#[derive(Clone, Copy, Debug, Default)]
pub struct TextRules;

impl RuleEnricher for TextRules {
    fn prepare(&self, input: &EnrichmentInput, stop: &StopFlag) -> Result<Enrichment, Exceeded> {
        let names = other_names(input);
        let prepared = posting_text::prepare(&posting(input, &names), &budget(input, stop));
        let prepared = prepared.map_err(exceeded)?;
        metrics::redacted(&prepared.redactions);
        Ok(enrichment(prepared))
    }

    fn complete(
        &self,
        draft: &Draft,
        input: &EnrichmentInput,
        stop: &StopFlag,
    ) -> Result<Result<Enrichment, Vec<String>>, Exceeded> {
        let names = other_names(input);
        let hide: Vec<_> = draft.hide.iter().map(phrase).collect();
        let posting = Posting {
            hide: &hide,
            ..posting(input, &names)
        };
        // Each piece of work has a budget, as that of the rules alone has.
        completed(&draft.verdict, &posting, || budget(input, stop)).map_err(exceeded)
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

fn enrichment(prepared: Prepared) -> Enrichment {
    let place = |place: places::Coordinates| Coordinates {
        latitude: place.latitude,
        longitude: place.longitude,
    };
    Enrichment {
        texts: EnrichedTexts {
            markdown: prepared.markdown,
            redacted_markdown: prepared.redacted_markdown,
            redacted_title: Some(prepared.redacted_title),
        },
        coordinates: prepared.coordinates.map(place),
        verdict: prepared.refusal.map_or(Verdict::Approve, rejected),
        sketch: prepared.sketch.map(Sketch::new),
    }
}

fn completed(
    verdict: &Verdict,
    posting: &Posting<'_>,
    budget: impl Fn() -> Budget,
) -> Result<Result<Enrichment, Vec<String>>, posting_text::Exceeded> {
    let faults = rules::faults(posting, rejection(verdict), &budget())?;
    if !faults.is_empty() {
        return Ok(Err(faults));
    }
    let verdict = match verdict {
        Verdict::Approve => Verdict::Approve,
        Verdict::Reject { code, text } => Verdict::Reject {
            code: *code,
            text: rules::detail(text, posting, &budget())?,
        },
    };
    let prepared = posting_text::prepare(posting, &budget())?;
    Ok(Ok(Enrichment {
        verdict,
        ..enrichment(prepared)
    }))
}

fn phrase(phrase: &Phrase) -> redact::Phrase<'_> {
    redact::Phrase {
        text: &phrase.text,
        kind: match phrase.kind {
            PhraseKind::Company => Kind::Company,
            PhraseKind::Email => Kind::Email,
            PhraseKind::Phone => Kind::Phone,
            PhraseKind::Link => Kind::Link,
            PhraseKind::Person => Kind::Person,
            PhraseKind::Address => Kind::Address,
            PhraseKind::Id => Kind::Id,
            PhraseKind::Handle => Kind::Handle,
        },
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
        rejection: rejection(verdict),
    }
}

const fn rejection(verdict: &Verdict) -> Option<&str> {
    match verdict {
        Verdict::Approve => None,
        Verdict::Reject { text, .. } => Some(text.as_str()),
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
        Refusal::OnlyImage => (ReasonCode::ImageOnly, ReasonCode::ImageOnly.sentence()),
        Refusal::ErrorPage => (ReasonCode::ErrorPage, ReasonCode::ErrorPage.sentence()),
        Refusal::Closed => (
            ReasonCode::PositionClosed,
            ReasonCode::PositionClosed.sentence(),
        ),
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
        for refusal in Refusal::ALL {
            let Verdict::Reject { text, .. } = rejected(refusal) else {
                panic!("{refusal:?} approves")
            };
            assert!(text.contains("again"), "{text}");
        }
    }

    fn input() -> EnrichmentInput {
        EnrichmentInput {
            posting: None,
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
                ..input()
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
    fn every_kind_has_its_token() {
        for kind in PhraseKind::ALL {
            let text = "A cook.".to_owned();
            let hidden = phrase(&Phrase { text, kind }).kind;
            assert_eq!(hidden.token(), format!("[{}]", kind.as_str()));
        }
        assert_eq!(PhraseKind::ALL.len(), Kind::ALL.len());
    }

    #[test]
    fn every_sentence_with_a_detail_passes_the_rules() {
        let stop = StopFlag::default();
        let longest = "é".repeat(rules::DETAIL);
        for code in ReasonCode::OF_MODELS {
            let text = longest.clone();
            let draft = Draft {
                verdict: Verdict::Reject { code, text },
                hide: Vec::new(),
                answer: String::new(),
            };
            let mut done = TextRules
                .complete(&draft, &input(), &stop)
                .unwrap()
                .unwrap();
            let Verdict::Reject { text, .. } = done.verdict else {
                panic!("{done:?}")
            };
            done.verdict = Verdict::Reject {
                code,
                text: code.explained(&text),
            };
            let checked = TextRules.check(&done, &input(), &stop);
            assert_eq!(checked, Ok(()), "{code}");
        }
    }
}
