//! Enrichers: from a posting's pushed description to readable texts, coordinates and a verdict.
//!
//! [`Builtin`] does it by rules, offline. Its parts are usable alone: [`markdown`] cleans,
//! [`redact`] hides, [`places`] finds cities.

mod builtin;
mod document;
pub mod markdown;
pub mod places;
pub mod redact;
mod verdict;

pub use builtin::Builtin;
