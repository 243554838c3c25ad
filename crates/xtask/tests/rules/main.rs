//! Checks the invariants of `docs/architecture.md` by cargo's metadata. Tests list all violations.

#![expect(
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

mod circles;
mod closure;
mod layers;
mod packages;
mod prose;
mod readme;
mod settings;
mod source;

use std::path::Path;

use cargo_metadata::{CargoOpt, Metadata, MetadataCommand};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn metadata() -> Metadata {
    MetadataCommand::new()
        .manifest_path(Path::new(ROOT).join("Cargo.toml"))
        .features(CargoOpt::AllFeatures)
        .other_options(["--locked".to_owned()])
        .exec()
        .unwrap()
}

fn assert_none(violations: &[String]) {
    assert!(violations.is_empty(), "\n  {}", violations.join("\n  "));
}

fn matches(patterns: &[&str], name: &str) -> bool {
    patterns
        .iter()
        .any(|pattern| match pattern.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => name == *pattern,
        })
}
