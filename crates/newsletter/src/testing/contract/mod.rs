//! The cases of the contract suite, by area. Each takes an empty store.

pub mod accounts;
pub mod subscribers;
