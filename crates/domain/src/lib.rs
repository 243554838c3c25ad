//! The rules of Posthaste, and nothing else.
//!
//! Postings, companies, side effects and clients are plain values here; what happens to them is
//! decided by plain functions. Time and new ids come in as arguments. There is no clock, no
//! randomness, no runtime and no I/O in this crate: what needs those implements a port
//! ([`store::Store`], [`store::PostingReader`], [`catalogue::Catalogues`], [`event::EventLog`],
//! [`outbox::Outbox`], [`client::Clients`], [`audit::AuditLog`],
//! [`console::Passes`], [`console::search::PostingBrowser`], [`webhook::Webhooks`],
//! [`webhook::Sender`], [`trace::Tracer`]) in an adapter.
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

pub mod authority;
pub mod browse;
pub mod catalogue;
pub mod company;
pub mod decision;
pub mod import;
pub mod posting;
pub mod store;
pub mod usecase;

#[cfg(any(test, feature = "testing"))]
pub mod testing;

/// The examples of the README are documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// Crates whose types are part of this one's, in the versions that it uses.
pub use ::{async_trait, time, uuid};
