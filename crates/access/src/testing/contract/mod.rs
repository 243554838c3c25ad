//! The cases of the contract suite. Each takes an empty store, of which it needs the ports that it
//! names.

pub mod clients;
pub mod sign_in;
