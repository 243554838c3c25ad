//! The rules of Posthaste's newsletter, as pure functions.
//!
//! [`subscriber::PutSubscriber::parse`] turns a report into a command, [`usecase::put_subscriber`]
//! loads the rows, [`subscriber::report()`] decides, and the store commits the [`store::WriteSet`].
//! Workers carry out [`tasks`] of the outbox, which call the e-mail provider:
//! [`usecase::carry_out_sync`], [`usecase::carry_out_move`].
//!
//! Adapters implement the ports: [`store::Store`], [`store::SubscriberReader`],
//! [`store::Accounts`], [`subscriber::provider::Provider`]. The feature `testing` adds
//! implementations in memory, and the contract suite.

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
