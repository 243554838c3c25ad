//! The rules of Posthaste's newsletter, pure, on the ground of `domain`.
//!
//! Subscribers are processed like postings: [`subscriber::PutSubscriber::parse`] turns a report
//! into a command, [`usecase::put_subscriber`] loads what it names, [`subscriber::report()`]
//! decides it, and the store commits the resulting [`store::WriteSet`] as a whole. Calls to the
//! e-mail provider are tasks in the outbox ([`tasks`]), which a worker carries out; see
//! [`usecase::carry_out_sync`] and [`usecase::carry_out_move`].
//!
//! A clock, randomness, a runtime and I/O come in through ports ([`store::Store`],
//! [`store::SubscriberReader`], [`store::Accounts`], [`subscriber::provider::Provider`]) that
//! adapters implement.
//!
//! The feature `testing` adds a provider and a store in memory, and the contract suite for stores
//! of subscribers.

#![warn(missing_docs)]

/// The example of the README is a documentation test.
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
