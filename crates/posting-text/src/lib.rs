//! Job postings as text, by rules alone: no I/O, no clock, no randomness, the same answer every time.
//!
//! [`prepare`] does everything that rules can do with a [`Posting`]; [`markdown`] cleans,
//! [`redact`] hides what identifies the employer, [`places`] finds cities. [`rules`] says what a
//! text must satisfy, be it written here, by a person or by a language model. Descriptions come
//! from strangers: all work on one spends from a [`Budget`], and ends when that is spent.
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
#[cfg(test)]
mod testing;
mod verdict;

pub use self::{
    budget::{Budget, Exceeded},
    posting::{Posting, Prepared, prepare},
    verdict::Refusal,
};
