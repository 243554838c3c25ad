//! Reads the fields of a request, and reports every error with the likely correction.
//!
//! A body is a merge patch (RFC 7396): an absent field is kept, `null` clears it, and a value sets
//! it. A [`Patch`] is one of the three. serde stops at the first value of a wrong type, so a body
//! is read as [`Sent`] fields with their own errors. One answer then names all errors (contract,
//! "What a field may be").
//!
//! Start at [`fields!`], which declares an object's fields. [`FieldValue`] says what a type
//! accepts, [`checks`] has garde's rules, [`validation`] collects errors, and [`suggest`] finds the
//! intended value.

mod as_text;
pub mod body;
pub mod checks;
pub mod codes;
pub mod day;
pub mod email;
pub mod line;
mod macros;
mod patch;
mod sent;
mod sent_website;
pub mod suggest;
pub mod tracking;
pub mod validation;
mod value;
pub mod vocabulary;
pub mod website;

pub use self::{
    day::{DayOrTime, microseconds},
    patch::Patch,
    sent::Sent,
    sent_website::{SentWebsite, is_short_when_encoded},
    value::{FieldSpec, FieldValue, INTEGER, Prohibited, Term, read},
    website::{Website, WebsiteKey},
};

#[doc(hidden)]
pub use serde;

pub fn unique<T: PartialEq>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut unique = Vec::new();
    for item in items {
        if !unique.contains(&item) {
            unique.push(item);
        }
    }
    unique
}

/// README examples are documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
