//! Sets the commit of the build, and whether that commit is a release, for both programs.

use std::{path::Path, process::Command};

fn main() {
    let head = Path::new("../../.git/HEAD");
    let tags = Path::new("../../.git/refs/tags");
    // Cargo treats a missing path as changed in every build.
    for path in [head, tags, Path::new("../../.git/logs/HEAD")] {
        if path.exists() {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
    let commit = head.exists().then(commit).flatten().unwrap_or_default();
    println!("cargo::rustc-env=BUILD_COMMIT={commit}");
    let version = env!("CARGO_PKG_VERSION");
    let line = if commit.is_empty() {
        version.to_owned()
    } else if is_tagged(&format!("v{version}")) {
        format!("{version} ({commit})")
    } else {
        format!("{version} ({commit}, not a release)")
    };
    println!("cargo::rustc-env=BUILD_VERSION={line}");
}

/// The abbreviated commit; the build also works without one.
fn commit() -> Option<String> {
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    let commit = commit.trim().to_owned();
    let is_hash = !commit.is_empty() && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then_some(commit)
}

fn is_tagged(tag: &str) -> bool {
    let tags = git(&["tag", "--points-at", "HEAD"]);
    tags.is_some_and(|tags| tags.lines().any(|line| line == tag))
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then_some(text)
}
