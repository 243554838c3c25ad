//! Decisions: the changes by commands, by results of enrichers, and by time.
//!
//! They are plain functions of a [`Snapshot`], the time and new ids. [`decide`] is the rule of a
//! push, [`moderation`] of an operator's command, [`outcome`] of an enricher's result, [`lapse`] of
//! ended lifetimes and unlisted postings, [`restore`] of restored values, [`objection`] of
//! objections and their answers. Each returns a [`Change`], which is [recorded](Change::record) in
//! a commit's [`WriteSet`]. [`company`] has the rules about companies, [`merge`] those about
//! postings of merged ones.

mod change;
pub mod company;
mod decide;
pub mod duplicate;
pub mod lapse;
pub mod merge;
pub mod moderation;
pub mod objection;
pub mod outcome;
pub mod restore;
mod snapshot;
mod together;
mod writes;

#[cfg(test)]
mod tests;

pub use self::{
    change::Change,
    decide::{Decided, decide},
    snapshot::Snapshot,
    writes::{HISTORY_SHOWN, OptionalWrites, PostingWrite, WriteSet},
};
