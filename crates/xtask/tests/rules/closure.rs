//! The dependencies of a pure crate when another workspace depends on it alone.
//!
//! The manifest does not show them: a harmless library may pull in a runtime or a source of
//! randomness by one feature. Nor does `cargo metadata`, which unifies the features of the whole
//! workspace; `cargo tree` resolves them for one package.

use xtask::process::cargo;

use crate::{ROOT, assert_none, matches};

/// The pure crates, by their folders in `crates`.
pub const PURE: &[&str] = &[
    "kernel",
    "access",
    "domain",
    "enrichment",
    "webhooks",
    "newsletter",
    "posting-text",
];

/// Runtimes, I/O, clocks, randomness, and untyped errors.
pub const IMPURE: &[&str] = &[
    "actix*",
    "anyhow",
    "chrono",
    "diesel*",
    "getrandom",
    "hyper*",
    "libsqlite3-sys",
    "mio",
    "rand",
    "reqwest",
    "ring",
    "socket2",
    "tokio",
    "tokio-*",
];

#[test]
fn pure_crates_pull_in_no_runtime_no_io_no_clock_and_no_randomness() {
    for package in PURE {
        let output = cargo()
            .args(["tree", "--package", package, "--all-features", "--locked"])
            .args(["--edges", "normal,build", "--target", "all"])
            .args(["--prefix", "none", "--format", "{p}"])
            .current_dir(ROOT)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        let tree = String::from_utf8(output.stdout).unwrap();
        let mut names: Vec<_> = tree
            .lines()
            .filter_map(|line| line.split(' ').next())
            .collect();
        names.sort_unstable();
        names.dedup();
        assert!(names.contains(package) && names.len() > 1);
        names.retain(|name| matches(IMPURE, name));
        let violation = |name| {
            format!("{package} pulls in {name}: see `cargo tree -p {package} --invert {name}`")
        };
        assert_none(&names.into_iter().map(violation).collect::<Vec<_>>());
    }
}
