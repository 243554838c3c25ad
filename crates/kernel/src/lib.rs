//! What postings, access, webhooks and the newsletter have in common.
//!
//! - [Ids and names](id): of postings, companies, clients and catalogues, and the [`Actor`] of a
//!   change. [`Prefixes`] say which part of the board somebody may use.
//! - Commands: [`body`], [`field`], [`checks`] and [`validation`] turn a request into values, or
//!   into an error for each wrong field, with what was meant, if [`suggest`] knows it.
//! - What the commits of all of them carry: [`event`]s for the log, [`outbox`] tasks, and
//!   [`audit`] entries, with the ports to read them. [`trace`]s lead from one to the next.
//! - The state of the store itself: [`health`].
//!
//! There is no clock, no randomness, no runtime and no I/O here: time and new ids come in as
//! arguments.

mod actor;
pub mod audit;
pub mod board;
pub mod body;
mod catalogue_name;
pub mod checks;
pub mod codes;
pub mod day;
mod decision_code;
pub mod digest;
pub mod email;
mod error;
pub mod event;
pub mod field;
pub mod health;
pub mod id;
pub mod line;
mod min_hash;
pub mod name;
pub mod outbox;
mod prefixes;
pub mod suggest;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod trace;
pub mod validation;
pub mod vocabulary;
pub mod website;
pub mod words;

pub use self::{
    actor::{Actor, Operator, UnknownActor},
    board::{PutOutcome, Status},
    catalogue_name::{CatalogueName, InvalidName},
    day::microseconds,
    decision_code::DecisionCode,
    error::{ATTEMPTS, StoreError, StoreFailure, decide_again},
    id::{CatalogueId, ClientId, CompanyId, InvalidIdentifier, PostingId, SourceIdentifier},
    min_hash::MinHash,
    prefixes::{Forbidden, InvalidPrefix, Prefixes},
    website::Website,
};

/// Counts the commits that wrote a row, from 1.
pub type Version = i64;
