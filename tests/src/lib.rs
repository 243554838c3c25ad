//! The end-to-end tests of Posthaste: the real program as child processes, over real HTTP.
//!
//! The cases check the promises of the specification and the contract from outside the program.
//! Each case runs on every store (see `harness::Store` and the macro `on_every_store`).
//!
//! - `harness`: starts the program, sends requests, and forges tokens that it must refuse.
//! - `cases`: the tests, one module for each subject of the contract.

#[cfg(test)]
#[macro_use]
mod harness;

#[cfg(test)]
mod cases;
