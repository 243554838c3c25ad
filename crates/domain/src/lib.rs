//! The rules of Posthaste: job postings, companies and catalogues.
//!
//! Each room knows only those above it:
//!
//! 1. [`posting`], [`company`], [`catalogue`] and [`report`] are values, [`import`] the lines of an
//!    import; [`authority`] says who may change which of them.
//! 2. [`decision`] has the rules, as plain functions: a snapshot and a command go in, a change
//!    comes out.
//! 3. [`store`] and [`browse`] are the ports to what is stored, and [`catalogue::Catalogues`] that
//!    to catalogues. An adapter implements them.
//! 4. [`usecase`] loads, decides and commits.
//!
//! The way of a pushed posting: [`posting::PutPosting::parse`] turns a request into a command,
//! [`usecase::ingest`] loads what a batch of commands names, [`decision::decide`] decides them one
//! after the other, and the store commits the resulting [`store::WriteSet`] as a whole.
//!
//! There is no clock, no randomness, no runtime and no I/O in this crate: time and new ids come in
//! as arguments. Events, tasks and the audit are values of [`kernel`], which every commit writes
//! with its own ([`kernel::outbox::TaskWrites`]).
//!
//! With the feature `testing` there are a store in memory and the contract suite that every store
//! must pass.

#![warn(missing_docs)]

pub mod audit;
pub mod authority;
pub mod browse;
pub mod catalogue;
pub mod company;
pub mod decision;
pub mod import;
pub mod posting;
pub mod report;
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
