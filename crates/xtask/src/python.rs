//! The checks in Python: third-party clients and a fuzzer against the service.
//!
//! They are in `tests/python`, with pinned packages in `requirements.txt`, and run in a virtual
//! environment under `target`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, iter};

use anyhow::{Context as _, Result};

use crate::pins::{self, Folder};
use xtask::packages;
use xtask::process::Interrupt;

/// A script that fails if Python is too old, or Debian's package for virtual environments is
/// missing.
const PROBE: &str = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))";

/// Creates the environment unless it exists and is up to date.
pub fn prepare(root: &Path, target: &Path, interrupt: &Interrupt) -> Result<Environment> {
    let wanted = root.join("tests/python/requirements.txt");
    let pins = pins::read(&wanted)?;
    let environment = Environment(Folder::new(target.join("python-venv")));
    let folder = &environment.0;
    if environment.is_made_from(&pins) {
        println!("up to date: {}", folder.path().display());
        return Ok(environment);
    }
    folder.remove()?;
    let python = python().context("no Python 3.11 or later with its module venv was found")?;
    interrupt.run(Command::new(python).args(["-m", "venv"]).arg(folder.path()))?;
    environment.install(&wanted, interrupt)?;
    folder.seal(&pins)?;
    Ok(environment)
}

/// A virtual environment with the pinned packages.
pub struct Environment(Folder);

impl Environment {
    /// The command that runs every check, from the workspace's folder.
    pub fn pytest(&self) -> Command {
        let mut command = Command::new(self.program("python"));
        command
            .args(["-m", "pytest", "-q", "tests/python"])
            // Keep the work tree clean.
            .args(["-p", "no:cacheprovider"])
            .env("PYTHONDONTWRITEBYTECODE", "1");
        // Where the machine has no Node.js, it is beside Python.
        let path = env::var_os("PATH").unwrap_or_default();
        let last = iter::once(self.program(""));
        if let Ok(path) = env::join_paths(env::split_paths(&path).chain(last)) {
            command.env("PATH", path);
        }
        command
    }

    /// Installs the packages of a file, unless they are there.
    pub fn install(&self, requirements: &Path, interrupt: &Interrupt) -> Result<()> {
        interrupt.run(
            Command::new(self.program("python"))
                .args(["-m", "pip", "install", "--quiet", "--no-input"])
                .args(["--disable-pip-version-check", "--requirement"])
                .arg(requirements),
        )
    }

    /// A program that a package brings.
    pub fn program(&self, name: &str) -> PathBuf {
        self.0.path().join("bin").join(name)
    }

    /// Whether the environment has these pins and its interpreter works, which an upgrade of the
    /// system's Python can remove.
    fn is_made_from(&self, pins: &str) -> bool {
        self.0.is_made_from(pins) && is_usable(&self.program("python"))
    }
}

/// Whether there is a Python that can create virtual environments.
pub fn is_there() -> bool {
    python().is_some()
}

/// Not only by `PATH`, where an unsuitable Python may come before Debian's.
fn python() -> Option<PathBuf> {
    let found = packages::find("python3").into_iter();
    let mut all = found.chain([PathBuf::from("/usr/bin/python3")]);
    all.find(|python| is_usable(python))
}

fn is_usable(python: &Path) -> bool {
    packages::answers(python, &["-c", PROBE])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn an_environment_is_used_again_only_with_a_living_interpreter() {
        let folder = tempfile::tempdir().unwrap();
        let environment = Environment(Folder::new(folder.path().to_owned()));
        fs::create_dir(folder.path().join("bin")).unwrap();
        environment.0.seal("pytest==9").unwrap();

        // `true` and `false` stand in for a working and a broken interpreter.
        symlink("/bin/true", environment.program("python")).unwrap();
        assert!(environment.is_made_from("pytest==9"));
        assert!(!environment.is_made_from("pytest==10"), "other pins");

        fs::remove_file(environment.program("python")).unwrap();
        symlink("/bin/false", environment.program("python")).unwrap();
        assert!(!environment.is_made_from("pytest==9"), "broken interpreter");
    }
}
