//! The dependencies of a pure crate if another workspace depends on this crate only, resolved by
//! `cargo tree`. Manifests do not show features of libraries, and `cargo metadata` unifies
//! features.

use std::collections::BTreeSet;

use xtask::process::cargo;

use crate::{ROOT, assert_none, matches};

pub const PURE: &[&str] = &[
    "attention",
    "fields",
    "kernel",
    "access",
    "domain",
    "enrichment",
    "webhooks",
    "newsletter",
    "posting-text",
    "views",
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

/// The largest number of crates that `domain` may add to another service, including itself.
const MOST_OF_DOMAIN: usize = 60;

/// The crates that a package depends on, including itself, each as `name version`.
fn tree(package: &str, which: &[&str]) -> BTreeSet<String> {
    let output = cargo()
        .args(["tree", "--package", package, "--locked"])
        .args(["--prefix", "none", "--format", "{p}"])
        .args(which)
        .current_dir(ROOT)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let lines = String::from_utf8(output.stdout).unwrap();
    let names = lines.lines().filter(|line| !line.is_empty());
    names
        .map(|line| line.split(' ').take(2).collect::<Vec<_>>().join(" "))
        .collect()
}

#[test]
fn pure_crates_pull_in_no_runtime_no_io_no_clock_and_no_randomness() {
    for package in PURE {
        let all = [
            "--all-features",
            "--edges",
            "normal,build",
            "--target",
            "all",
        ];
        let crates = tree(package, &all);
        let names = crates.iter().filter_map(|name| name.split(' ').next());
        let mut names: BTreeSet<_> = names.collect();
        assert!(names.contains(package) && names.len() > 1);
        names.retain(|name| matches(IMPURE, name));
        let violation = |name| {
            format!("{package} pulls in {name}: see `cargo tree -p {package} --invert {name}`")
        };
        assert_none(&names.into_iter().map(violation).collect::<Vec<_>>());
    }
}

#[test]
fn domain_brings_few_crates_into_another_service() {
    let crates = tree("domain", &["--edges", "normal"]);
    assert!(crates.len() > 1);
    assert!(
        crates.len() <= MOST_OF_DOMAIN,
        "domain brings {} crates, and {MOST_OF_DOMAIN} at most: {crates:#?}",
        crates.len()
    );
}
