//! Tells the program the commit that it is built from, if git knows one.

use std::{path::Path, process::Command};

fn main() {
    let head = Path::new("../../.git/HEAD");
    // A path that is not there would count as changed in every build.
    for path in [head, Path::new("../../.git/logs/HEAD")] {
        if path.exists() {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
    println!("cargo::rerun-if-changed=build.rs");
    let commit = head.exists().then(commit).flatten().unwrap_or_default();
    println!("cargo::rustc-env=BUILD_COMMIT={commit}");
    let version = env!("CARGO_PKG_VERSION");
    let line = if commit.is_empty() {
        version.to_owned()
    } else {
        format!("{version} ({commit})")
    };
    println!("cargo::rustc-env=BUILD_VERSION={line}");
}

/// The abbreviated commit of the source, without which the build goes on.
fn commit() -> Option<String> {
    let output = Command::new("git")
        .args(["rev-parse", "--short=12", "HEAD"])
        .output()
        .ok()?;
    let commit = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    let is_hash = !commit.is_empty() && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    (output.status.success() && is_hash).then_some(commit)
}
