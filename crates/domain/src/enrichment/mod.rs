//! The input and the result of enrichment, and its ports.
//!
//! An [`Enricher`] turns a posting's pushed content into readable texts, coordinates and a verdict;
//! [`crate::posting::outcome`] decides what follows for the posting. [`Pipeline`] is the
//! implementation: a [`RuleEnricher`], which also checks every result, an optional [`Model`], which
//! judges, and a [`DraftCache`] of paid answers.

mod cache;
mod model;
mod paid;
mod pipeline;
mod reason;
mod rules;
mod sketch;

#[cfg(test)]
mod tests;

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use kernel::{PostingId, codes::CountryCode};

pub use self::{
    cache::{DraftCache, DraftKey, Reservation},
    model::{Brief, Draft, DraftError, Model, Objection, Phrase, PhraseKind},
    paid::{CacheEvent, Runtime},
    pipeline::Pipeline,
    reason::ReasonCode,
    rules::{CheckError, Exceeded, RuleEnricher},
    sketch::Sketch,
};

/// The content of one posting, as an enricher sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnrichmentInput {
    /// The posting, if it is stored.
    pub posting: Option<PostingId>,
    /// The posting's title.
    pub title: String,
    /// The description as it was pushed: HTML, by the specification.
    pub raw_description: Arc<str>,
    /// ISO 3166-1 alpha-2 country of the workplace.
    pub country: Option<CountryCode>,
    /// City of the workplace.
    pub city: Option<String>,
    /// The company's name, which the redacted text must not show.
    pub company_name: String,
    /// The names that the company had, which the redacted text must not show either.
    pub other_names: Vec<String>,
    /// The company's normalised website, which the redacted text must not show.
    pub company_website: String,
    /// The page on which people apply, which relative links of the description are on.
    pub application_url: Option<String>,
}

/// The result of enriching a posting.
#[derive(Clone, Debug, PartialEq)]
pub struct Enrichment {
    /// The description for readers.
    pub texts: EnrichedTexts,
    /// The city's coordinates; `None` unless certain.
    pub coordinates: Option<Coordinates>,
    /// Whether the posting may be shown.
    pub verdict: Verdict,
    /// The sketch of the description, by which duplicates are found; `None` if it has no words.
    pub sketch: Option<Sketch>,
}

impl Enrichment {
    /// The enrichment of a posting that no texts can be made of.
    pub fn bare() -> Self {
        Self {
            texts: EnrichedTexts::default(),
            coordinates: None,
            verdict: Verdict::Approve,
            sketch: None,
        }
    }
}

/// The two readable forms of a description, and the title in the second.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EnrichedTexts {
    /// The description as `CommonMark`, without raw HTML.
    pub markdown: String,
    /// The same with everything hidden that identifies the company or leads past the board.
    pub redacted_markdown: String,
    /// The title with the same hidden, one line of plain text. `None` if there are no texts, and of
    /// a posting that was enriched before titles were redacted.
    pub redacted_title: Option<String>,
}

/// A place on Earth, WGS 84, in degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coordinates {
    /// Degrees north, −90 to 90.
    pub latitude: f64,
    /// Degrees east, −180 to 180.
    pub longitude: f64,
}

/// An enricher's judgement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// May be shown.
    Approve,
    /// Must not be shown.
    Reject {
        /// The reason, for programs.
        code: ReasonCode,
        /// The reason, in a sentence.
        text: String,
    },
}

/// The reason why there is no outcome.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EnrichError {
    /// It may succeed later.
    #[error("{message}")]
    Retry {
        /// A description for the operator.
        message: String,
        /// The pause that the other side asked for.
        after: Option<Duration>,
    },
    /// The enricher cannot be reached or is overloaded. The posting did not cause it.
    #[error("{message}")]
    Unavailable {
        /// A description for the operator.
        message: String,
        /// The pause that the other side asked for.
        after: Option<Duration>,
    },
    /// It will not succeed without an operator.
    #[error("{0}")]
    Permanent(String),
}

/// A flag that ends work from another thread.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// Asks the work to end. It does so at its next step.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// The flag itself: true once the work should stop.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}

/// The port that enrichers implement.
#[async_trait]
pub trait Enricher: Send + Sync {
    /// Enriches one posting. Computation stops soon after the flag is set, with an arbitrary error;
    /// waiting ends when the future is dropped.
    async fn enrich(
        &self,
        input: &EnrichmentInput,
        stop: &StopFlag,
    ) -> Result<Enrichment, EnrichError>;

    /// The enrichment by rules alone, for a posting that gets no judgement: its verdict counts for
    /// nothing. `None` when there are no texts that may be shown.
    fn unjudged(&self, _input: &EnrichmentInput) -> Option<Enrichment> {
        None
    }
}
