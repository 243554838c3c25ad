//! Common parts of the contexts: postings, access, webhooks and the newsletter.
//!
//! - [Ids and names](id) of postings, companies, clients and catalogues; the [`Actor`] of a change;
//!   [`Prefixes`], which limit a client to a part of the board.
//! - The writes that every context's commits may have: [`event`]s, [`outbox`] tasks and [`audit`]
//!   entries, with the ports to read them. [`trace`]s link them.
//! - The list of matters that need [`attention`].
//! - The state of the store itself: [`health`].
//!
//! There is no clock, randomness, runtime or I/O here: time and new ids are arguments.

#![warn(missing_docs)]

mod actor;
pub mod attention;
mod attention_item;
pub mod audit;
pub mod board;
mod catalogue_name;
mod decision_code;
pub mod digest;
mod error;
pub mod event;
pub mod health;
pub mod id;
pub mod name;
pub mod outbox;
mod prefixes;
mod retry;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod trace;
pub mod words;

#[doc(hidden)]
pub use fields::as_text;

pub use self::{
    actor::{Actor, Operator, UnknownActor},
    attention_item::{AttentionItem, AttentionKind},
    board::{PutOutcome, Status},
    catalogue_name::{CatalogueName, InvalidName},
    decision_code::{DecisionCode, EventDecision, Ground},
    error::{ATTEMPTS, StoreError, StoreFailure, decide_again},
    id::{
        CatalogueId, ClientId, CompanyId, InvalidIdentifier, PostingId, ReportId, SourceIdentifier,
    },
    prefixes::{Forbidden, InvalidPrefix, Prefixes},
    retry::RetryPolicy,
};

/// The number of commits that have written a row, from 1.
pub type Version = i64;
