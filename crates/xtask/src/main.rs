//! Chores of the Posthaste workspace, run as `cargo xtask COMMAND`.
//!
//! Contributors and the continuous integration both run `cargo xtask test`, which prepares the
//! machine and runs every check. See `suite` for the plan.
#![expect(
    clippy::print_stdout,
    reason = "a command line tool reports on standard output"
)]

mod checks;
mod dist;
mod mutants;
mod needs;
mod part;
mod suite;

use std::os::unix::process::CommandExt as _;
use std::process::ExitCode;

use clap::{Parser, ValueEnum as _};
use xtask::process::cargo;

use crate::part::Part;

/// Chores of the Posthaste workspace
///
/// Set `POSTHASTE_TEST_POSTGRES_URL` to test against your own PostgreSQL server; otherwise a
/// private temporary one is started.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask")]
enum Chore {
    /// Print and install the packages that this machine lacks, then run every test
    Test {
        /// Only this part; can be repeated
        #[arg(long, value_name = "PART")]
        only: Vec<Part>,
    },
    /// Build a release and pack it into target/dist: .deb, image, archive, bill of materials,
    /// checksums; DEBFULLNAME and DEBEMAIL name the package's maintainer
    Dist {
        /// The profile of the build; `dev` packs one without optimisations
        #[arg(long, default_value = "packed")]
        profile: String,
    },
    /// Write docs/reference.md, which a test compares with the program
    Reference,
    /// Check that the simulation finds the defects whose names contain a text, or all defects
    Mutants {
        #[arg(default_value = "")]
        named: String,
    },
    /// Measure how fast the service is; `bench --help` names the arguments
    #[command(disable_help_flag = true)]
    Bench {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        options: Vec<String>,
    },
}

fn main() -> ExitCode {
    let result = match Chore::parse() {
        Chore::Test { only } if only.is_empty() => suite::run(Part::value_variants()),
        Chore::Test { only } => suite::run(&only),
        // `exec` replaces this process with the benchmark, which cleans up by itself on a signal.
        Chore::Bench { options } => Err(cargo()
            .args(["run", "--release", "--locked", "--package", "bench", "--"])
            .args(options)
            .exec()
            .into()),
        Chore::Reference => Err(cargo()
            .args(["test", "--locked", "--package", "app", "reference"])
            .env("POSTHASTE_WRITE_REFERENCE", "1")
            .exec()
            .into()),
        Chore::Mutants { named } => mutants::run(&named),
        Chore::Dist { profile } => dist::run(&profile),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("\nerror: {error:#}");
            ExitCode::FAILURE
        }
    }
}
