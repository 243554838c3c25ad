//! Decisions: what a command, an enricher's result or the passing of time changes.
//!
//! They are plain functions of a [`Snapshot`], of a time and of new ids. [`decide`] is the
//! rule of a push, [`moderation`] of an operator's command, [`outcome`] of an enricher's result,
//! [`lapse`] of the passing of time and of the absence from a catalogue, [`restore`] of values that
//! come back, [`objection`] of a client's objection and its answer. Each gives a [`Change`],
//! which is [recorded](Change::record) in the [`WriteSet`] of a commit. [`company`] has the rules
//! about companies, [`merge`] those about postings of merged ones.

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
mod writes;

#[cfg(test)]
mod tests;

pub use self::{
    change::Change,
    decide::{Decided, decide},
    snapshot::Snapshot,
    writes::{HISTORY_SHOWN, PostingWrite, WriteSet},
};
