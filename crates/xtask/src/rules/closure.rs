//! What a pure crate pulls in when somebody depends on it alone.
//!
//! Its manifest does not tell: a harmless library may bring a runtime or a source of randomness by
//! one feature. `cargo metadata` does not tell either, as it joins the features that the whole
//! workspace asks for; `cargo tree` resolves them for one package.

use std::process::Stdio;

use anyhow::{Context, Result, bail};

use super::{Violation, matches_any};
use crate::workspace::Workspace;
use xtask::process::{cargo, shown};

/// Runtimes, I/O, clocks, randomness, and errors without a name.
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

/// The names of the packages behind a pure crate, without its tests.
pub fn of(workspace: &Workspace, folder: &str) -> Result<Vec<String>> {
    let mut command = cargo();
    command
        .args(["tree", "--package", package(folder)])
        .args(["--all-features", "--locked"])
        .args(["--edges", "normal,build", "--target", "all"])
        .args(["--prefix", "none", "--format", "{p}"])
        .current_dir(workspace.root())
        .stdin(Stdio::null())
        .stderr(Stdio::inherit());
    let output = command
        .output()
        .with_context(|| format!("cannot start `{}`", shown(&command)))?;
    if !output.status.success() {
        bail!("`{}` failed: {}", shown(&command), output.status);
    }
    let mut names = String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .map(str::to_owned)
        .collect::<Vec<_>>();
    names.sort();
    names.dedup();
    Ok(names)
}

/// The name of the package in a folder.
fn package(folder: &str) -> &str {
    folder.rsplit('/').next().unwrap_or(folder)
}

/// The packages that a pure crate must not pull in.
pub fn check(folder: &str, names: &[String]) -> Vec<Violation> {
    names
        .iter()
        .filter(|name| matches_any(IMPURE, name))
        .map(|name| Violation {
            subject: folder.to_owned(),
            rule: "purity of dependencies",
            found: format!("pulls in {name}"),
            remedy: format!(
                "See who brings it by `cargo tree --package {} --invert {name}` and switch that \
                 feature off",
                package(folder)
            ),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_impure_package_is_found_wherever_it_comes_from() {
        let names = ["getrandom", "serde", "uuid", "tokio-util"].map(str::to_owned);
        let found = check("crates/domain", &names)
            .into_iter()
            .map(|violation| violation.found)
            .collect::<Vec<_>>();
        assert_eq!(found, ["pulls in getrandom", "pulls in tokio-util"]);
    }

    #[test]
    fn the_tree_lists_what_a_crate_asks_for() {
        let names = of(&Workspace::load().unwrap(), "crates/newsletter").unwrap();
        for name in ["newsletter", "domain", "serde", "time"] {
            assert!(
                names.contains(&name.to_owned()),
                "{name} is missing: {names:?}"
            );
        }
    }
}
