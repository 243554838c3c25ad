//! The rules of Posthaste, and nothing else.
//!
//! Postings, companies, side effects and clients are plain values here; what happens to them is
//! decided by plain functions. Time and new ids come in as arguments. There is no clock, no
//! randomness, no runtime and no I/O in this crate: what needs those implements a port
//! ([`store::Store`], [`store::PostingReader`], [`catalogue::Catalogues`], [`event::EventLog`],
//! [`outbox::Outbox`], [`client::Clients`], [`audit::AuditLog`],
//! [`console::Passes`], [`console::search::PostingBrowser`], [`enrichment::Enricher`],
//! [`webhook::Webhooks`], [`webhook::Sender`], [`trace::Tracer`]) in an adapter.
//!
//! The way of a pushed posting: [`posting::PutPosting::parse`] turns a request into a command,
//! [`usecase::ingest`] loads what a batch of commands names, [`posting::decide`] decides them
//! one after the other, and the store commits the resulting [`store::WriteSet`] as a whole.
//!
//! Another context stands on this ground with commands ([`body`], [`field`], [`validation`]) and
//! a write set and a port of its own: its commits share [`outbox::TaskWrites`] with these.
//!
//! With the feature `testing` there are a store in memory and the contract suite that every
//! store must pass.

pub mod audit;
pub mod authority;
pub mod body;
pub mod catalogue;
pub mod checks;
pub mod client;
pub mod codes;
pub mod company;
pub mod console;
pub mod day;
mod digest;
pub mod email;
pub mod enrichment;
mod error;
pub mod event;
pub mod field;
pub mod import;
pub mod line;
mod moment;
pub mod outbox;
pub mod posting;
pub mod store;
pub mod trace;
pub mod usecase;
pub mod validation;
pub mod vocabulary;
pub mod webhook;

#[cfg(any(test, feature = "testing"))]
pub mod testing;

/// The examples of the README are documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

use time::OffsetDateTime;

pub use self::error::StoreError;
/// Crates whose types are part of this one's, in the versions that it uses.
pub use ::{async_trait, time, uuid};

/// Counts the commits that wrote a row, from 1.
pub type Version = i64;

/// Cuts a time to microseconds, the precision of every store.
///
/// Readers of a clock and parsers of times apply it before a time enters the domain, so that a
/// stored value comes back equal. A time whose UTC date is out of range stays as it is.
#[must_use]
pub fn microseconds(at: OffsetDateTime) -> OffsetDateTime {
    let at = at.checked_to_offset(time::UtcOffset::UTC).unwrap_or(at);
    at.replace_nanosecond(at.microsecond() * 1_000)
        .unwrap_or(at)
}
