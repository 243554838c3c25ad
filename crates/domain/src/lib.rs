//! The rules of Posthaste: job postings, companies and catalogues.
//!
//! A module uses only modules that precede it in this list:
//!
//! 1. [`posting`], [`company`], [`catalogue`] and [`report`] are values; [`import`] has the lines
//!    of an import, [`authority`] the client of a push.
//! 2. [`decision`] has the rules as plain functions from a snapshot and a command to a change.
//! 3. [`store`], [`browse`] and [`catalogue::Catalogues`] are ports to stored data, which adapters
//!    implement.
//! 4. [`usecase`] loads, decides and commits.
//!
//! The path of a push: [`posting::PutPosting::parse`] turns a request into a command,
//! [`usecase::ingest`] loads a batch's data, [`decision::decide`] decides one command after the
//! other, and the store commits the [`store::WriteSet`] as a whole.
//!
//! There is no clock, randomness, runtime or I/O in this crate: time and new ids are arguments.
//! Events, tasks and the audit are values of [`kernel`], written by every commit
//! ([`kernel::outbox::TaskWrites`]).
//!
//! The feature `testing` adds a store in memory, and the contract suite for every store.

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

/// README examples are documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// Re-exported crates whose types appear in this one's API.
pub use ::{async_trait, time, uuid};
