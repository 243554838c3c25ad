//! The cases of the contract suite, by area. Each starts with an empty store.

pub mod accounts;
pub mod subscribers;
