//! Prepares job postings by rules and two small learned models: no I/O, no clock, no randomness,
//! and always the same result.
//!
//! ```
//! use posting_text::Posting;
//!
//! let posting = Posting {
//!     title: "Driver",
//!     description: "<p>At <b>Brightvik</b> you drive. Ask Kari Moe, 918 12 345.</p>",
//!     company_name: "Brightvik SAS",
//!     ..Posting::default()
//! };
//! let prepared = posting.prepare()?;
//! assert_eq!(
//!     prepared.redacted_markdown,
//!     "At **[company]** you drive. Ask [person], [phone]."
//! );
//! # Ok::<(), posting_text::Exceeded>(())
//! ```
//!
//! | feature | module | does |
//! |---|---|---|
//! | `markdown` | [`markdown`] | converts descriptions of any form to clean Markdown |
//! | `markdown` | [`html`] | converts Markdown to plain HTML |
//! | `redact` | [`redact`] | hides what identifies the employer; enables `places` |
//! | `places` | [`places`] | finds the coordinates of cities |
//!
//! All are on by default. With all of them, [`Posting::prepare`] and [`prepare`] do everything at
//! once, and [`rules`] checks a text, whether this crate, a person or a language model wrote it.
//! [`min_hash`] needs no feature.
//!
//! Descriptions are untrusted: all work on a description spends a [`Budget`], and fails when the
//! budget is spent. The README names the "Known limits" of the rules.

#![warn(missing_docs)]
#![cfg_attr(
    all(
        any(feature = "markdown", feature = "redact"),
        not(all(feature = "markdown", feature = "redact"))
    ),
    expect(
        dead_code,
        reason = "one feature alone needs only a part of the document that both share"
    )
)]
#![cfg_attr(
    all(feature = "redact", not(feature = "markdown")),
    expect(unused_imports, reason = "the rules need both features")
)]

mod budget;
#[cfg(any(feature = "markdown", feature = "redact"))]
mod document;
#[cfg(feature = "markdown")]
pub mod html;
#[cfg(feature = "redact")]
mod kind;
#[cfg(feature = "markdown")]
pub mod markdown;
pub mod min_hash;
#[cfg(any(feature = "markdown", feature = "redact"))]
mod pattern;
#[cfg(feature = "places")]
pub mod places;
#[cfg(feature = "redact")]
mod posting;
#[cfg(all(feature = "markdown", feature = "redact"))]
mod prepare;
#[cfg(feature = "redact")]
mod reading;
#[cfg(feature = "redact")]
pub mod redact;
#[cfg(all(feature = "markdown", feature = "redact"))]
pub mod rules;
#[cfg(test)]
#[cfg(any(feature = "markdown", feature = "redact"))]
mod testing;
#[cfg(all(feature = "markdown", feature = "redact"))]
mod verdict;

use self::budget::Result;
pub use self::budget::{Budget, Exceeded};

/// A range of bytes in a text.
type Range = std::ops::Range<usize>;
#[cfg(feature = "redact")]
pub use self::posting::Posting;
#[cfg(all(feature = "markdown", feature = "redact"))]
pub use self::{
    prepare::{Prepared, prepare},
    verdict::{Refusal, VERSION},
};
