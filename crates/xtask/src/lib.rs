//! What the chores share with the end-to-end tests: a throwaway PostgreSQL cluster that can be
//! stopped, killed and started again, and the child processes behind it.
#![expect(
    clippy::print_stdout,
    reason = "a command line tool reports on standard output"
)]

mod account;
pub mod cluster;
pub mod packages;
pub mod process;
