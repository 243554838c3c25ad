//! A posting's way through enrichment, with a scripted model.

mod duplicates;
mod job_posting;
mod laws;
mod pages;
mod pipeline;
mod places;
mod remarks;

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use domain::posting::{DecidedBy, Details, Enrichment, ReasonCode, Verdict};
use fields::codes::CountryCode;

use super::*;

const SOURCE: &str = "Acmera AS looks for a cook. Write to jobs@acmera.no or see acmera.no. You \
                      like fish, and have cooked some before.";

fn input(description: &str) -> EnrichmentInput {
    EnrichmentInput {
        posting: None,
        title: "Cook".to_owned(),
        raw_description: description.into(),
        country: CountryCode::parse("NO"),
        city: Some("Oslo".to_owned()),
        company_name: "Acmera AS".to_owned(),
        other_names: Vec::new(),
        company_website: "https://www.acmera.no".to_owned(),
        application_url: None,
        details: Details::default(),
        new_domains: Vec::new(),
        churns: false,
        pushed_at: time::OffsetDateTime::UNIX_EPOCH,
    }
}

pub(crate) fn approval(hide: &[(&str, PhraseKind)]) -> Draft {
    let phrase = |(text, kind): &(&str, PhraseKind)| Phrase {
        text: (*text).to_owned(),
        kind: *kind,
    };
    Draft {
        verdict: Verdict::Approve,
        hide: hide.iter().map(phrase).collect(),
        answer: format!("yes: {hide:?}"),
    }
}

pub(crate) fn rejection(code: ReasonCode, text: &str) -> Draft {
    Draft {
        verdict: Verdict::Reject {
            code,
            text: text.to_owned(),
            passages: Vec::new(),
        },
        hide: Vec::new(),
        answer: format!("no: {text}"),
    }
}

fn good() -> Draft {
    approval(&[("like fish", PhraseKind::Person)])
}

fn bad() -> Draft {
    approval(&[("Bergen", PhraseKind::Address)])
}

fn unusable(answer: &str, fault: &str) -> Answer {
    Err(DraftError::Unusable(Feedback {
        answer: answer.to_owned(),
        faults: vec![fault.to_owned()],
    }))
}

type Answer = Result<Draft, DraftError>;

/// A model that gives these answers in their order, and records the feedback of each request.
#[derive(Default)]
struct Script {
    answers: Mutex<VecDeque<Answer>>,
    asked: Mutex<Vec<Option<Feedback>>>,
}

#[async_trait]
impl Model for Script {
    fn version(&self) -> &'static str {
        "1 scripted"
    }

    async fn draft(&self, _brief: &Brief<'_>, feedback: Option<&Feedback>) -> Answer {
        self.asked.lock().unwrap().push(feedback.cloned());
        let mut answers = self.answers.lock().unwrap();
        answers.pop_front().expect("one more answer")
    }
}

#[async_trait]
impl Judge for Script {
    async fn judge(&self, case: &Case<'_>) -> Result<Judged, EnrichError> {
        case.ask(self, None).await.map(|(_, judged)| judged)
    }
}

fn enrich_input(
    input: &EnrichmentInput,
    answers: impl IntoIterator<Item = Answer>,
) -> (Result<Enrichment, EnrichError>, Vec<Option<Feedback>>) {
    let script = Arc::new(Script {
        answers: Mutex::new(answers.into_iter().collect()),
        ..Script::default()
    });
    let pipeline = Pipeline::new(Some(Arc::clone(&script) as _), |_| {});
    let outcome = pollster::block_on(pipeline.enrich(input, &StopFlag::default()));
    let asked = script.asked.lock().unwrap().clone();
    (outcome, asked)
}

fn enrich(
    answers: impl IntoIterator<Item = Answer>,
) -> (Result<Enrichment, EnrichError>, Vec<Option<Feedback>>) {
    enrich_input(&input(SOURCE), answers)
}

fn by_rules(input: &EnrichmentInput) -> Result<Enrichment, EnrichError> {
    let pipeline = Pipeline::new(None, |_| {});
    pollster::block_on(pipeline.enrich(input, &StopFlag::default()))
}
