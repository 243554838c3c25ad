//! Turns a posting into a verdict and readable texts.
//!
//! A worker calls an [`Enricher`]. [`Pipeline`] implements it: the rules of `posting-text`, then an
//! optional [`Judge`], which asks a language [`Model`] about postings that the rules do not reject.
//! A model writes no text: its [`Draft`] is a verdict with phrases to hide. The rules write the
//! texts and check every result. Drafts cost money, so a [`DraftCache`] keeps them.
//!
//! Nothing here waits, reads a clock or does I/O. Adapters implement the ports that do.

#![warn(missing_docs)]

mod case;
mod draft;
mod draft_cache;
mod input;
mod job_posting;
mod model;
mod pipeline;
mod reason;
mod remarks;

#[cfg(any(test, feature = "testing"))]
pub mod testing;

#[cfg(test)]
mod tests;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

use std::{
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use async_trait::async_trait;
use domain::posting::Enrichment;
pub use posting_text::redact::{Counts as Redactions, Kind as PhraseKind};

pub use self::{
    case::{Case, Judged},
    draft::{Draft, Phrase, phrase_kind},
    draft_cache::{DraftCache, DraftKey, Reservation},
    input::EnrichmentInput,
    job_posting::{Identity, job_posting},
    model::{Brief, DraftError, Feedback, Model},
    pipeline::{Judge, Pipeline, preview},
    reason::{MODEL_CODES, model_code, sentence},
};

/// Another thread sets this flag to end a computation.
pub type StopFlag = Arc<AtomicBool>;

/// The port that enrichers implement.
#[async_trait]
pub trait Enricher: Send + Sync {
    /// Enriches one posting. Computation stops soon after the flag is set, with an arbitrary error.
    /// Waiting ends when the future is dropped.
    async fn enrich(
        &self,
        input: &EnrichmentInput,
        stop: &StopFlag,
    ) -> Result<Enrichment, EnrichError>;

    /// The enrichment by rules only, for a posting that gets no judgement. Its verdict has no
    /// effect. `None` if no text may be shown.
    fn unjudged(&self, _input: &EnrichmentInput) -> Option<Enrichment> {
        None
    }
}

/// The reason why there is no enrichment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EnrichError {
    /// The failure is transient.
    #[error("{message}")]
    Retry {
        /// A description for the operator.
        message: String,
        /// The pause that the model's endpoint requested.
        after: Option<Duration>,
    },
    /// The enricher cannot be reached or is overloaded. The posting is not the cause.
    #[error("{message}")]
    Unavailable {
        /// A description for the operator.
        message: String,
        /// The pause that the model's endpoint requested.
        after: Option<Duration>,
    },
    /// The failure is permanent, until an operator fixes the cause.
    #[error("{0}")]
    Permanent(String),
}
