//! Decisions: the changes by commands, by results of enrichers, and by time.
//!
//! They are plain functions of a [`Snapshot`], the time and new ids. There are rules for pushes
//! ([`decide`]), operators' commands ([`moderation`]), enrichers' results ([`outcome`]), ended
//! lifetimes and unlisted postings ([`lapse`]), restored values ([`restore`]), and objections
//! ([`objection`]). Each returns a [`Change`], which is [recorded](Change::record) in a commit's
//! [`WriteSet`]. Other rules are about companies ([`company`]) and about postings of merged
//! companies ([`merge`]).

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
