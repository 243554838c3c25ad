//! The cases of the contract suite. Each takes an empty store.

pub mod endpoints;
