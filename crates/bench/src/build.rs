//! Builds the programs to measure before the first measurement.

use std::collections::HashMap;
use std::io::{BufReader, Cursor};
use std::path::{self, Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use cargo_metadata::Message;

use crate::child;
use xtask::process::{Interrupt, cargo};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The built programs.
pub struct Programs {
    pub posthaste: PathBuf,
    /// `None` if nothing is compared with them.
    pub ceilings: Option<Ceilings>,
}

/// The benchmarks that give the ceilings.
pub struct Ceilings {
    /// The benchmark that writes batches directly to the PostgreSQL store.
    pub postgres_store: PathBuf,
    pub sqlite_store: PathBuf,
    /// The HTTP server whose handler only parses.
    pub bare: PathBuf,
}

/// Builds the program unless one is given, and the benchmarks if they are wanted. The program is
/// built by a separate command, because the benchmarks enable features of its libraries that a
/// release does not have.
pub fn build(
    given: Option<&Path>,
    wants_ceilings: bool,
    profile: &str,
    interrupt: &Interrupt,
) -> Result<Programs> {
    let command = |subcommand: &str| {
        let mut command = cargo();
        command
            .current_dir(ROOT)
            .args([subcommand, "--locked", "--profile", profile])
            .args(["--message-format", "json-render-diagnostics"]);
        command
    };
    let mut program = command("build");
    program.args(["--package", "app", "--bin", "posthaste"]);
    let mut benches = command("build");
    for package in ["adapters-postgres", "adapters-sqlite", "adapters-http"] {
        benches.args(["--package", package]);
    }
    benches.args(["--bench", "store", "--bench", "bare"]);

    let mut built = HashMap::new();
    if wants_ceilings {
        built.extend(executables(&benches, interrupt)?);
    }
    if given.is_none() {
        built.extend(executables(&program, interrupt)?);
    }
    let mut take = |package: &str, target: &str| {
        let key = (package.to_owned(), target.to_owned());
        let missing = || format!("cargo built no {target} of {package}");
        built.remove(&key).with_context(missing)
    };
    Ok(Programs {
        posthaste: match given {
            Some(program) => path::absolute(program)?,
            None => take("app", "posthaste")?,
        },
        ceilings: if wants_ceilings {
            Some(Ceilings {
                postgres_store: take("adapters-postgres", "store")?,
                sqlite_store: take("adapters-sqlite", "store")?,
                bare: take("adapters-http", "bare")?,
            })
        } else {
            None
        },
    })
}

fn executables(
    command: &Command,
    interrupt: &Interrupt,
) -> Result<HashMap<(String, String), PathBuf>> {
    Ok(parse(&child::output(command, interrupt)?))
}

/// Parses cargo's messages into executables by package folder and target name.
fn parse(output: &str) -> HashMap<(String, String), PathBuf> {
    let mut found = HashMap::new();
    for message in Message::parse_stream(BufReader::new(Cursor::new(output))) {
        if let Ok(Message::CompilerArtifact(artifact)) = message
            && let Some(executable) = artifact.executable
        {
            let folder = artifact.manifest_path.parent();
            let package = folder.and_then(|folder| folder.file_name());
            let package = package.unwrap_or_default().to_owned();
            found.insert((package, artifact.target.name), executable.into());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn executables_are_told_apart_by_their_package() {
        let artifact = |package: &str, target: &str, executable: &str| {
            format!(
                r#"{{"reason":"compiler-artifact","package_id":"path+file:///w/crates/{package}#0.1.0",
                "manifest_path":"/w/crates/{package}/Cargo.toml","target":{{"kind":["bench"],
                "crate_types":["bin"],"name":"{target}","src_path":"/w/x.rs","edition":"2024",
                "doc":false,"doctest":false,"test":false}},"profile":{{"opt_level":"3",
                "debuginfo":0,"debug_assertions":false,"overflow_checks":false,"test":false}},
                "features":[],"filenames":[],"executable":{executable},"fresh":true}}"#
            )
            .replace('\n', " ")
        };
        let output = [
            artifact("adapters-sqlite", "store", r#""/w/store-1""#),
            artifact("adapters-postgres", "store", r#""/w/store-2""#),
            artifact("domain", "domain", "null"),
        ]
        .join("\n");
        let found = parse(&output);
        assert_eq!(found.len(), 2);
        let key = ("adapters-postgres".to_owned(), "store".to_owned());
        assert_eq!(found[&key], PathBuf::from("/w/store-2"));
    }
}
