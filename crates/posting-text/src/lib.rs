//! Prepares job postings by rules alone: no I/O, no clock, no randomness, and always the same
//! result.
//!
//! [`prepare`] applies all rules to a [`Posting`]; [`markdown`] converts descriptions to clean
//! Markdown, [`redact`] removes what identifies the employer, [`places`] finds cities. [`rules`]
//! says what a text must satisfy, whether it was written here, by a person or by a language model.
//! Descriptions are untrusted: all work on one is paid from a [`Budget`], and ends when that is
//! spent.
//!
//! ```
//! use posting_text::{Budget, Posting, prepare};
//!
//! let posting = Posting {
//!     title: "Driver",
//!     description: "<p>At <b>Brightvik</b> you drive.</p>",
//!     company_name: "Brightvik SAS",
//!     ..Posting::default()
//! };
//! let prepared = prepare(&posting, &Budget::of(posting.description))?;
//! assert_eq!(prepared.markdown, "At **Brightvik** you drive.");
//! assert_eq!(prepared.redacted_markdown, "At **[company]** you drive.");
//! assert_eq!(prepared.refusal, None);
//! # Ok::<(), posting_text::Exceeded>(())
//! ```

mod budget;
mod document;
pub mod markdown;
pub mod places;
mod posting;
pub mod redact;
pub mod rules;
pub mod sketch;
#[cfg(test)]
mod testing;
mod verdict;

pub use self::{
    budget::{Budget, Exceeded},
    posting::{Posting, Prepared, prepare},
    verdict::Refusal,
};
