//! The rules of Posthaste's newsletter, as pure functions.
//!
//! Subscribers are processed like postings: [`subscriber::PutSubscriber::parse`] turns a report
//! into a command, [`usecase::put_subscriber`] loads the rows it names, [`subscriber::report()`]
//! decides it, and the store commits the resulting [`store::WriteSet`] as a whole. Calls to the
//! e-mail provider are tasks in the outbox ([`tasks`]) that a worker carries out:
//! [`usecase::carry_out_sync`], [`usecase::carry_out_move`].
//!
//! Clock, randomness, runtime and I/O come in through ports that adapters implement:
//! [`store::Store`], [`store::SubscriberReader`], [`store::Accounts`],
//! [`subscriber::provider::Provider`]. The feature `testing` adds a provider and a store in memory,
//! and the contract suite for stores of subscribers.

#![warn(missing_docs)]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub mod audit;
pub mod store;
pub mod subscriber;
pub mod tasks;
pub mod usecase;
mod vocabulary;

#[cfg(any(test, feature = "testing"))]
pub mod testing;
