//! The checks in Python: third-party clients and a fuzzer against the service.
//!
//! They are in `tests/python`, with pinned packages in `requirements.txt`, and run in a virtual
//! environment under `target`, which is created again whenever the pins change.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{fs, io};

use anyhow::{Context, Result, bail};

use xtask::packages;
use xtask::process::Interrupt;

/// A script that fails if Python is too old, or Debian's package for virtual environments is
/// missing.
const PROBE: &str = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))";
/// The file with the pins of the environment; written last, so that an incomplete one is never
/// used.
const STAMP: &str = "posthaste-requirements.txt";

/// Creates the environment unless it exists and is up to date.
pub fn prepare(root: &Path, target: &Path, interrupt: &Interrupt) -> Result<Environment> {
    let wanted = checks(root).join("requirements.txt");
    let pins =
        fs::read_to_string(&wanted).with_context(|| format!("cannot read {}", wanted.display()))?;
    let environment = Environment {
        folder: target.join("python-venv"),
    };
    if environment.is_made_from(&pins) {
        println!("up to date: {}", environment.folder.display());
        return Ok(environment);
    }
    match fs::remove_dir_all(&environment.folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(error).context("cannot remove the old virtual environment");
        }
        _ => {}
    }
    let python = python(interrupt)?;
    interrupt.run(
        Command::new(python)
            .args(["-m", "venv"])
            .arg(&environment.folder),
    )?;
    interrupt.run(
        Command::new(environment.python())
            .args(["-m", "pip", "install", "--quiet", "--no-input"])
            .args(["--disable-pip-version-check", "--requirement"])
            .arg(&wanted),
    )?;
    fs::write(environment.stamp(), pins)?;
    Ok(environment)
}

/// A virtual environment with the pinned packages.
pub struct Environment {
    folder: PathBuf,
}

impl Environment {
    /// The command that runs every check, from the workspace's folder.
    pub fn pytest(&self) -> Command {
        let mut command = Command::new(self.python());
        command
            .args(["-m", "pytest", "-q", "tests/python"])
            // Keep the work tree clean.
            .args(["-p", "no:cacheprovider"])
            .env("PYTHONDONTWRITEBYTECODE", "1");
        command
    }

    fn python(&self) -> PathBuf {
        self.folder.join("bin/python")
    }

    fn stamp(&self) -> PathBuf {
        self.folder.join(STAMP)
    }

    /// Whether the environment has these pins and its interpreter works, which an upgrade of the
    /// system's Python can remove.
    fn is_made_from(&self, pins: &str) -> bool {
        fs::read_to_string(self.stamp()).is_ok_and(|made_from| made_from == pins)
            && is_usable(&self.python())
    }
}

fn checks(root: &Path) -> PathBuf {
    root.join("tests/python")
}

/// A Python that can create virtual environments, installed if it is missing.
fn python(interrupt: &Interrupt) -> Result<PathBuf> {
    if let Some(python) = packages::find("python3").filter(|python| is_usable(python)) {
        return Ok(python);
    }
    packages::install(&["python3", "python3-venv"], interrupt)?;
    // Not by `PATH`, where the unsuitable Python may still come first.
    let python = PathBuf::from("/usr/bin/python3");
    if !is_usable(&python) {
        bail!("the Python checks need Python 3.11 or later with its module venv");
    }
    Ok(python)
}

fn is_usable(python: &Path) -> bool {
    Command::new(python)
        .args(["-c", PROBE])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn an_environment_is_used_again_only_for_the_same_pins_and_a_living_interpreter() {
        let folder = tempfile::tempdir().unwrap();
        let environment = Environment {
            folder: folder.path().to_owned(),
        };
        fs::create_dir(folder.path().join("bin")).unwrap();
        assert!(!environment.is_made_from("pytest==9"), "no stamp");

        // `true` and `false` stand in for a working and a broken interpreter.
        symlink("/bin/true", environment.python()).unwrap();
        fs::write(environment.stamp(), "pytest==9").unwrap();
        assert!(environment.is_made_from("pytest==9"));
        assert!(!environment.is_made_from("pytest==10"), "other pins");

        fs::remove_file(environment.python()).unwrap();
        symlink("/bin/false", environment.python()).unwrap();
        assert!(!environment.is_made_from("pytest==9"), "broken interpreter");
    }
}
