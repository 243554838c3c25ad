//! The results of enrichment: readable texts, coordinates and a verdict.
//!
//! [`outcome`](super::outcome) decides their effect.

use super::{DecidedBy, Remark, Verdict, duplicate::MinHash};
use serde::{Deserialize, Serialize};

/// The result of enriching one posting.
#[derive(Clone, Debug, PartialEq)]
pub struct Enrichment {
    /// The description for readers.
    pub texts: EnrichedTexts,
    /// The city's coordinates; `None` unless certain.
    pub coordinates: Option<Coordinates>,
    /// Other findings.
    pub findings: Findings,
    /// Whether the posting may be shown.
    pub verdict: Verdict,
    /// Who judged it.
    pub by: DecidedBy,
    /// The description's signature for finding duplicates; `None` without words.
    pub min_hash: Option<MinHash>,
}

impl Enrichment {
    /// The enrichment of a posting that has an operator's verdict but no usable texts.
    pub fn bare() -> Self {
        Self {
            texts: EnrichedTexts::default(),
            coordinates: None,
            findings: Findings::default(),
            verdict: Verdict::Approve,
            by: DecidedBy::Operator(None),
            min_hash: None,
        }
    }
}

/// The two forms of a description for readers, and the redacted title.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnrichedTexts {
    /// The description as `CommonMark`, without raw HTML.
    pub markdown: String,
    /// The same text without anything that identifies the company, or lets readers bypass the
    /// board.
    pub redacted_markdown: String,
    /// The redacted title as one line of plain text; `None` without texts.
    pub redacted_title: Option<String>,
}

/// Findings of enrichment besides texts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Findings {
    /// The coordinates of each of the posting's `locations`, if certain.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<Option<Coordinates>>,
    /// Remarks about problems.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<Remark>,
}

/// A place on Earth, WGS 84, in degrees.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Coordinates {
    /// Degrees north, −90 to 90.
    pub latitude: f64,
    /// Degrees east, −180 to 180.
    pub longitude: f64,
}
