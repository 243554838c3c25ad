//! One posting on its way through enrichment: the result of the rules, the changes of a model's
//! draft, and the final check.

use domain::posting::{
    Coordinates, DecidedBy, EnrichedTexts, Enrichment, Findings, Location, Locations, Verdict,
    duplicate::MinHash,
};
use fields::codes::CountryCode;
use kernel::PostingId;
use posting_text::{
    Budget, Exceeded, Posting, Prepared, places,
    rules::{self, CheckError, Texts},
};

use super::{
    Brief, Draft, DraftError, DraftKey, EnrichError, EnrichmentInput, Feedback, Model, Redactions,
    StopFlag, reason,
    remarks::{churn, remarks},
};

/// A posting that the rules have read.
pub struct Case<'a> {
    input: &'a EnrichmentInput,
    stop: &'a StopFlag,
    other_names: Vec<&'a str>,
    prepared: Prepared,
}

/// An enrichment before the final check of the rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    pub(crate) prepared: Prepared,
    pub(crate) verdict: Verdict,
    pub(crate) by: DecidedBy,
}

impl<'a> Case<'a> {
    /// Applies the rules to a posting. Descriptions are untrusted, so each computation on a
    /// description has a budget. The computation ends when the budget is spent, or soon after the
    /// flag is set.
    pub fn read(input: &'a EnrichmentInput, stop: &'a StopFlag) -> Result<Self, Exceeded> {
        let other_names: Vec<_> = input.other_names.iter().map(String::as_str).collect();
        let posting = posting(input, &other_names);
        let prepared = posting_text::prepare(&posting, &budget(input, stop))?;
        Ok(Self {
            input,
            stop,
            other_names,
            prepared,
        })
    }

    /// The parts that the rules hid.
    pub fn redactions(&self) -> &Redactions {
        &self.prepared.redactions
    }

    /// The enrichment by rules only. A rejection is certain; an approval means that no rule
    /// objects.
    pub fn by_rules(&self) -> Judged {
        let passages = || self.prepared.passages.clone();
        let refusal = self.prepared.refusal;
        Judged {
            prepared: self.prepared.clone(),
            verdict: refusal.map_or(Verdict::Approve, |it| reason::refused(it, passages())),
            by: rules(),
        }
    }

    /// The posting's id, if it is stored.
    pub fn posting(&self) -> Option<PostingId> {
        self.input.posting
    }

    /// The model's input.
    pub fn brief(&self) -> Brief<'_> {
        Brief::of(self.input, &self.prepared.markdown)
    }

    /// The key of the draft in the cache.
    pub fn key(&self, model: &dyn Model) -> DraftKey {
        DraftKey::of(model.version(), &self.brief())
    }

    /// Counts the phrases of an approval that do not occur in the posting letter for letter, and so
    /// hide nothing.
    pub fn dropped(&self, draft: &Draft) -> Result<usize, Exceeded> {
        let hide: Vec<_> = draft.hide.iter().map(Into::into).collect();
        let posting = Posting {
            hide: &hide,
            ..posting(self.input, &self.other_names)
        };
        rules::dropped(&posting, &self.budget())
    }

    /// Asks a model for a draft that passes the rules. An unusable answer leads to a second
    /// request, with the feedback on that answer. With `feedback` on an earlier answer, there is
    /// only one request.
    pub async fn ask(
        &self,
        model: &dyn Model,
        mut feedback: Option<Feedback>,
    ) -> Result<(Draft, Judged), EnrichError> {
        loop {
            let answer = match model.draft(&self.brief(), feedback.as_ref()).await {
                Ok(draft) => self.complete(&draft, model)?.map(|judged| (draft, judged)),
                Err(DraftError::Unusable(feedback)) => Err(feedback),
                Err(DraftError::Failed(error)) => return Err(error),
            };
            match answer {
                Ok(done) => return Ok(done),
                Err(Feedback { faults, .. }) if feedback.is_some() => {
                    return Err(EnrichError::Permanent(format!(
                        "the answer was unusable twice: {}",
                        faults.join(" ")
                    )));
                }
                Err(first) => feedback = Some(first),
            }
        }
    }

    /// The enrichment by a model's draft, or the feedback on it. A draft that exceeds the budget
    /// counts as a faulty answer, because the posting's own text was read within the budget.
    pub fn complete(
        &self,
        draft: &Draft,
        model: &dyn Model,
    ) -> Result<Result<Judged, Feedback>, EnrichError> {
        let faults = match self.apply(draft) {
            Ok(Ok((prepared, verdict))) => {
                let by = DecidedBy::Model(model.version().to_owned());
                return Ok(Ok(Judged {
                    prepared,
                    verdict,
                    by,
                }));
            }
            Ok(Err(faults)) => faults,
            Err(Exceeded::Stopped) => return Err(stopped()),
            Err(Exceeded::Steps | Exceeded::Output) => {
                vec!["`hide` takes too long to be looked up. Give fewer texts.".to_owned()]
            }
        };
        Ok(Err(Feedback {
            answer: draft.answer.clone(),
            faults,
        }))
    }

    /// Applies a draft: hides its phrases in new texts, and uses its verdict. The text of a
    /// rejection becomes one short line without anything that a redacted text hides. Passages that
    /// do not occur in the posting are dropped. Returns the draft's faults, in sentences for the
    /// model, if it has any.
    fn apply(&self, draft: &Draft) -> Result<Result<(Prepared, Verdict), Vec<String>>, Exceeded> {
        let hide: Vec<_> = draft.hide.iter().map(Into::into).collect();
        let posting = Posting {
            hide: &hide,
            ..posting(self.input, &self.other_names)
        };
        let faults = rules::faults(&posting, rejection(&draft.verdict), &self.budget())?;
        if !faults.is_empty() {
            return Ok(Err(faults));
        }
        let verdict = match &draft.verdict {
            Verdict::Approve => Verdict::Approve,
            Verdict::Reject {
                code,
                text,
                passages,
            } => {
                let detail = rules::detail(text, &posting, &self.budget())?;
                Verdict::Reject {
                    code: *code,
                    text: reason::explained(*code, &detail),
                    passages: rules::verbatim(passages, &posting, &self.budget())?,
                }
            }
        };
        let prepared = posting_text::prepare(&posting, &self.budget())?;
        Ok(Ok((prepared, verdict)))
    }

    /// Checks a finished enrichment, whatever its source; see [`rules::check`].
    pub fn checked(&self, judged: Judged) -> Result<Enrichment, CheckError> {
        let Judged {
            prepared,
            verdict,
            by,
        } = judged;
        let texts = Texts {
            markdown: &prepared.markdown,
            redacted_markdown: &prepared.redacted_markdown,
            rejection: rejection(&verdict),
        };
        let posting = posting(self.input, &self.other_names);
        let budget = self.budget();
        rules::check(&texts, prepared.coordinates, &posting, &budget)?;
        rules::check_title(&prepared.redacted_title, &posting, &budget)?;
        let readable = prepared.markdown;
        Ok(Enrichment {
            findings: findings(self.input, &readable),
            texts: EnrichedTexts {
                markdown: readable,
                redacted_markdown: prepared.redacted_markdown,
                redacted_title: Some(prepared.redacted_title),
            },
            coordinates: prepared.coordinates.map(on_earth),
            verdict,
            by,
            min_hash: prepared.min_hash.map(MinHash::new),
        })
    }

    fn budget(&self) -> Budget {
        budget(self.input, self.stop)
    }
}

fn budget(input: &EnrichmentInput, stop: &StopFlag) -> Budget {
    Budget::of(&input.raw_description).until(StopFlag::clone(stop))
}

fn posting<'a>(input: &'a EnrichmentInput, other_names: &'a [&'a str]) -> Posting<'a> {
    Posting {
        title: &input.title,
        description: &input.raw_description,
        country: input.country.map(CountryCode::as_str),
        city: input.city.as_deref(),
        region: input.details.location_region.as_deref(),
        company_name: &input.company_name,
        other_names,
        company_website: &input.company_website,
        base_url: input.application_url.as_deref(),
        hide: &[],
    }
}

fn findings(input: &EnrichmentInput, markdown: &str) -> Findings {
    let details = &input.details;
    let locations = details.locations.iter().flat_map(Locations::as_slice);
    let place = |location: &Location| {
        let (country, city) = (location.country_code?.as_str(), location.city.as_deref()?);
        places::find(country, location.region.as_deref(), city).map(on_earth)
    };
    let mut remarks = remarks(details, markdown, input.pushed_at);
    remarks.extend(input.churns.then(churn));
    Findings {
        places: locations.map(place).collect(),
        remarks,
    }
}

const fn on_earth(place: places::Coordinates) -> Coordinates {
    Coordinates {
        latitude: place.latitude,
        longitude: place.longitude,
    }
}

const fn rejection(verdict: &Verdict) -> Option<&str> {
    match verdict {
        Verdict::Approve => None,
        Verdict::Reject { text, .. } => Some(text.as_str()),
    }
}

pub(crate) fn rules() -> DecidedBy {
    DecidedBy::Rules(posting_text::VERSION.to_string())
}

pub(crate) fn stopped() -> EnrichError {
    EnrichError::Retry {
        message: Exceeded::Stopped.to_string(),
        after: None,
    }
}
