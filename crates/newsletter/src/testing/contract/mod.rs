//! The cases of the contract suite, by area. Each takes an empty store.
#![expect(
    clippy::expect_used,
    reason = "these are tests, though not marked as such"
)]
#![expect(
    clippy::missing_panics_doc,
    reason = "a failing case panics; that is what it is for"
)]

pub mod accounts;
pub mod subscribers;
