//! Helpers of the chores and of the benchmark: child processes, and packages of the system.
#![expect(
    clippy::print_stdout,
    reason = "a command line tool reports on standard output"
)]

pub mod packages;
pub mod process;
