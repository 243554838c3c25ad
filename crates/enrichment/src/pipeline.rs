//! The enrichment pipeline: the rules, a judge for postings that they do not reject, and the final
//! check of the rules.

use std::sync::Arc;

use async_trait::async_trait;
use domain::{
    posting::{Enrichment, Lifetime, PostingView, ReasonCode, Verdict},
    usecase::Submission,
};
use posting_text::{Exceeded, rules::CheckError};
use time::OffsetDateTime;

use super::{
    Case, EnrichError, Enricher, EnrichmentInput, Identity, Judged, Redactions, StopFlag,
    case::{rules, stopped},
    job_posting, sentence,
};

/// The port to the judge of postings that the rules do not reject: a model, and the cache of its
/// drafts.
#[async_trait]
pub trait Judge: Send + Sync {
    /// Returns the enrichment by a usable draft; see [`Case::ask`] and [`Case::complete`].
    async fn judge(&self, case: &Case<'_>) -> Result<Judged, EnrichError>;
}

/// An enricher by rules and an optional judge. The final check of the rules applies to every
/// result.
#[derive(Clone)]
pub struct Pipeline {
    judge: Option<Arc<dyn Judge>>,
    count_redactions: fn(&Redactions),
}

impl Pipeline {
    /// Without a judge, every posting that the rules do not reject is approved. `count_redactions`
    /// is called with the parts of each posting that the rules hid.
    pub fn new(judge: Option<Arc<dyn Judge>>, count_redactions: fn(&Redactions)) -> Self {
        Self {
            judge,
            count_redactions,
        }
    }

    fn read<'a>(
        &self,
        input: &'a EnrichmentInput,
        stop: &'a StopFlag,
    ) -> Result<Case<'a>, Exceeded> {
        let case = Case::read(input, stop)?;
        (self.count_redactions)(case.redactions());
        Ok(case)
    }
}

#[async_trait]
impl Enricher for Pipeline {
    async fn enrich(
        &self,
        input: &EnrichmentInput,
        stop: &StopFlag,
    ) -> Result<Enrichment, EnrichError> {
        let case = match self.read(input, stop) {
            Ok(case) => case,
            Err(exceeded) => return too_complex(exceeded),
        };
        let by_rules = case.by_rules();
        let judged = match &self.judge {
            Some(judge) if by_rules.verdict == Verdict::Approve => judge.judge(&case).await?,
            _ => by_rules,
        };
        finish(&case, judged)
    }

    fn unjudged(&self, input: &EnrichmentInput) -> Option<Enrichment> {
        let stop = StopFlag::default();
        let case = self.read(input, &stop).ok()?;
        case.checked(case.by_rules()).ok()
    }
}

/// Returns the enrichment by rules only, and the posting's JSON-LD if they approve it.
pub fn preview(
    submission: &Submission,
    lifetime: Lifetime,
    now: OffsetDateTime,
) -> Result<(PostingView, Option<String>), EnrichError> {
    let (input, stop) = (EnrichmentInput::from(submission), StopFlag::default());
    let made = match Case::read(&input, &stop) {
        Ok(case) => finish(&case, case.by_rules()),
        Err(exceeded) => too_complex(exceeded),
    }?;
    let view = submission.enriched(&made, lifetime, now);
    let job = (made.verdict == Verdict::Approve).then(|| job_posting(&view, Identity::Hidden));
    Ok((view, job.flatten()))
}

fn finish(case: &Case<'_>, judged: Judged) -> Result<Enrichment, EnrichError> {
    match case.checked(judged) {
        Err(CheckError::Exceeded(exceeded)) => too_complex(exceeded),
        Err(CheckError::Breach(breach)) => Err(EnrichError::Permanent(format!(
            "the enrichment breaks a rule: {breach}"
        ))),
        Ok(enrichment) => Ok(enrichment),
    }
}

/// The outcome for a posting that exceeds the budget: a rejection with the reason for the client,
/// because a retry would exceed the budget, too. Stopped work has no outcome.
fn too_complex(exceeded: Exceeded) -> Result<Enrichment, EnrichError> {
    if exceeded == Exceeded::Stopped {
        return Err(stopped());
    }
    let code = ReasonCode::TooComplex;
    Ok(Enrichment {
        verdict: Verdict::Reject {
            code,
            text: sentence(code).to_owned(),
            passages: Vec::new(),
        },
        by: rules(),
        ..Enrichment::bare()
    })
}
