//! The fields of a body: what each of them asks for, and what is wrong with it.
//!
//! A body is a merge patch, in the manner of RFC 7396: a field that is absent is kept, `null`
//! clears it, and a value sets it. [`Patch`] is one of the three. serde stops at the first value of
//! a wrong type, so a body is read as [`Sent`] fields, each with its own error, and one answer
//! names every error (contract, "What a field may be").
//!
//! [`fields!`](crate::fields) declares the fields of an object, [`FieldValue`] what a type takes.

mod macros;
mod patch;
mod sent;
mod value;
mod website;

pub use self::{
    patch::Patch,
    sent::Sent,
    value::{FieldSpec, FieldValue, INTEGER, Prohibited, Term, read},
    website::{SentWebsite, is_short_when_normal},
};
