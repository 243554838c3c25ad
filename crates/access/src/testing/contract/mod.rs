//! The cases of the contract suite. Each takes an empty store, of which it needs the ports that it
//! names.
#![expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    missing_docs,
    reason = "the cases are tests, and their names say what they show"
)]

pub mod clients;
