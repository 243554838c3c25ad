//! From a posting to a verdict and readable texts.
//!
//! A worker asks an [`Enricher`]. [`Pipeline`] is the implementation: the rules of `posting-text`,
//! and behind them an optional [`Judge`], which asks a language [`Model`] about what the rules do
//! not reject. A model writes no text: it gives a [`Draft`], a verdict with phrases to hide, and
//! the rules make the texts and check every result. Drafts are paid for, so a [`DraftCache`] keeps
//! them.
//!
//! Nothing here waits, reads a clock or does I/O. What needs those implements a port in an adapter
//! or beside the runtime.

#![warn(missing_docs)]

mod case;
mod draft;
mod draft_cache;
mod input;
mod job_posting;
mod model;
mod pipeline;
mod reason;

#[cfg(any(test, feature = "testing"))]
pub mod testing;

#[cfg(test)]
mod tests;

/// The example of the README is a documentation test.
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
    pipeline::{Judge, Pipeline},
    reason::{MODEL_CODES, model_code, sentence},
};

/// A flag that another thread sets to end a computation.
pub type StopFlag = Arc<AtomicBool>;

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

/// The reason why there is no enrichment.
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
