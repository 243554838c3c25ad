//! The end-to-end tests of Posthaste: the real program as child processes, over real HTTP.
//!
//! Each case runs on every store (see `harness::Store` and the macro `on_every_store`). `harness`
//! starts the program and sends requests; `cases` has a module for each subject of the contract.

#[cfg(test)]
#[macro_use]
mod harness;

#[cfg(test)]
mod cases;
