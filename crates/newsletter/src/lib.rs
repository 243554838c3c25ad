//! The newsletter of Posthaste, and nothing else: pure, on the ground of `domain`.
//!
//! Subscribers go the way of postings. [`subscriber::PutSubscriber::parse`] turns a report into a
//! command, [`usecase::put_subscriber`] loads what it names, [`subscriber::report()`] decides it,
//! and the store commits the resulting [`store::WriteSet`] as a whole. What the e-mail provider is
//! to be told waits in the outbox for a worker ([`tasks`]), see [`usecase::begin_sync`] and
//! [`usecase::begin_move`].
//!
//! What needs a clock, randomness, a runtime or I/O implements a port ([`store::Store`],
//! [`store::SubscriberReader`], [`store::Accounts`], [`subscriber::provider::Provider`]) in an
//! adapter.
//!
//! With the feature `testing` there are a provider and a store in memory, and the contract suite
//! that every store of subscribers must pass.

/// The example of the README is a documentation test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub mod audit;
pub mod store;
pub mod subscriber;
pub mod tasks;
pub mod usecase;

#[cfg(any(test, feature = "testing"))]
pub mod testing;
