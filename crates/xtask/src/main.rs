//! Chores of the Posthaste workspace, run as `cargo xtask COMMAND`.
//!
//! `cargo xtask test` is what a contributor and the continuous integration both run: it prepares
//! the machine and runs every check. See `suite` for the plan.
#![expect(
    clippy::print_stdout,
    reason = "a command line tool reports on standard output"
)]

mod dist;
mod mutants;
mod needs;
mod node;
mod part;
mod pins;
mod python;
mod sbom;
mod suite;

use std::env;
use std::os::unix::process::CommandExt as _;
use std::process::ExitCode;

use anyhow::anyhow;
use xtask::process::cargo;

const USAGE: &str = "\
Chores of the Posthaste workspace

cargo xtask test         Say and install what this machine lacks, then run every test;
                         --only alerts|rust|python|node, also several, runs these alone
cargo xtask dist         Build a release and pack it into target/dist: .deb, image, archive, bill
                         of materials, checksums; --profile dev packs a build without
                         optimisations. DEBFULLNAME and DEBEMAIL name the package's maintainer
cargo xtask reference    Write docs/reference.md, which a test compares with the program
cargo xtask mutants NAME Have the simulation find the defects whose names contain NAME, or all
cargo xtask bench ARGS   Measure how fast the service is; --help names the arguments

Set POSTHASTE_TEST_POSTGRES_URL to test against a PostgreSQL server of your own; without it, a
private throwaway one is started.";

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let words: Vec<_> = arguments.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        ["test", options @ ..] => part::Part::chosen(options).and_then(|it| suite::run(&it)),
        // `exec` replaces this process with the benchmark, which cleans up by itself on a signal.
        ["bench", options @ ..] => Err(cargo()
            .args(["run", "--release", "--locked", "--package", "bench", "--"])
            .args(options)
            .exec()
            .into()),
        ["reference"] => Err(cargo()
            .args(["test", "--locked", "--package", "app", "reference"])
            .env("POSTHASTE_WRITE_REFERENCE", "1")
            .exec()
            .into()),
        ["mutants"] => mutants::run(""),
        ["mutants", named] => mutants::run(named),
        ["dist"] => dist::run("release"),
        ["dist", "--profile", profile] => dist::run(profile),
        ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            Ok(())
        }
        _ => Err(anyhow!("no such command\n\n{USAGE}")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("\nerror: {error:#}");
            ExitCode::FAILURE
        }
    }
}
