//! What the chores share: child processes, and the packages of the system that they need.
#![expect(
    clippy::print_stdout,
    reason = "a command line tool reports on standard output"
)]

pub mod packages;
pub mod process;
