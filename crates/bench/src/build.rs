//! The program under test, built by cargo.

use std::io::{BufReader, Cursor};
use std::path::{self, Path, PathBuf};

use anyhow::{Context, Result};
use cargo_metadata::Message;

use crate::child;
use xtask::process::{Interrupt, cargo};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The path of the program: the given one, or one that is built with this profile.
pub fn program(given: Option<&Path>, profile: &str, interrupt: &Interrupt) -> Result<PathBuf> {
    if let Some(program) = given {
        return Ok(path::absolute(program)?);
    }
    println!("building (profile {profile})");
    let mut command = cargo();
    command
        .current_dir(ROOT)
        .args(["build", "--locked", "--profile", profile])
        .args(["--package", "app", "--bin", "posthaste"])
        .args(["--message-format", "json-render-diagnostics"]);
    executable(&child::output(&command, interrupt)?).context("cargo built no posthaste")
}

/// The last executable in cargo's messages.
fn executable(output: &str) -> Option<PathBuf> {
    let messages = Message::parse_stream(BufReader::new(Cursor::new(output)));
    let executables = messages.filter_map(|message| match message {
        Ok(Message::CompilerArtifact(artifact)) => artifact.executable,
        _ => None,
    });
    executables.last().map(Into::into)
}
