#![expect(
    clippy::print_stdout,
    reason = "a command line tool reports on standard output"
)]

pub mod packages;
pub mod process;
