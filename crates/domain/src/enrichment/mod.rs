//! What an enricher is given, what it must give back, and the port between the two.
//!
//! An [`Enricher`] turns a posting's pushed content into readable texts, coordinates and a
//! verdict. It decides nothing about the posting: what an outcome means for its status is
//! [`crate::posting::outcome`]'s business.

use std::{fmt, sync::Arc, time::Duration};

use async_trait::async_trait;

use crate::posting::CountryCode;

/// The content of one posting, as an enricher sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnrichmentInput {
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
    /// The company's normalised website, which the redacted text must not show.
    pub company_website: String,
}

/// What an enricher made of one posting.
#[derive(Clone, Debug, PartialEq)]
pub struct Enrichment {
    /// The description for readers.
    pub texts: EnrichedTexts,
    /// Where the city is; `None` when that is not known for certain.
    pub coordinates: Option<Coordinates>,
    /// Whether the posting may be shown.
    pub verdict: Verdict,
}

/// The two readable forms of a description.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EnrichedTexts {
    /// The description as `CommonMark`, without raw HTML.
    pub markdown: String,
    /// The same with everything hidden that identifies the company or leads past the board.
    pub redacted_markdown: String,
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
        /// Why, for programs.
        code: ReasonCode,
        /// Why, in a sentence for people.
        text: String,
    },
}

/// The closed list of reasons for a rejection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ReasonCode {
    /// Nothing is left of the description once markup and links are taken away.
    NoContent,
    /// The posting is a test, not an offer.
    TestPosting,
}

impl ReasonCode {
    /// Every code.
    pub const ALL: [Self; 2] = [Self::NoContent, Self::TestPosting];

    /// The code's name in answers, history and logs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoContent => "no_content",
            Self::TestPosting => "test_posting",
        }
    }
}

impl fmt::Display for ReasonCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why an enricher gave no outcome.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EnrichError {
    /// It may succeed later.
    #[error("{message}")]
    Retry {
        /// What happened, for the operator.
        message: String,
        /// How long the other side asked to be left alone.
        after: Option<Duration>,
    },
    /// It will not succeed without a person.
    #[error("{0}")]
    Permanent(String),
}

/// The port that enrichers implement.
#[async_trait]
pub trait Enricher: Send + Sync {
    /// Enriches one posting.
    async fn enrich(&self, input: &EnrichmentInput) -> Result<Enrichment, EnrichError>;
}
