//! The end-to-end tests of Posthaste: the real program as child processes, over real HTTP.
//!
//! What is expected here is what the specification and the contract promise to somebody
//! outside; nothing looks into the program. Each case runs on every store (see
//! [`harness::Store`] and the macro `on_every_store`).
//!
//! - `harness`: starting the program, talking to it, forging what it must refuse.
//! - `cases`: the tests, one module for each subject of the contract.

#[cfg(test)]
#[macro_use]
mod harness;

#[cfg(test)]
mod cases;
