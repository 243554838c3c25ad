//! The checks in Python and Node.js, in `tests/python` and `tests/node`.
//!
//! Their pinned packages are installed under `target`. The Node.js checks are copied next to them,
//! so that the work tree stays clean.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, iter, slice};

use anyhow::{Context as _, Result};
use xtask::packages;
use xtask::process::Interrupt;

/// Fails if Python is too old, or Debian's package for virtual environments is missing.
const PYTHON: &str = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))";
const NODE: &str = "process.exit(Number(parseInt(process.versions.node) < 20))";
const OF_NPM: [&str; 3] = ["package.json", "package-lock.json", ".npmrc"];
/// The file with the pins of a folder. It is written last, so that incomplete folders are not used.
const STAMP: &str = "posthaste-pins.txt";

pub struct Checks {
    programs: PathBuf,
    /// A Node.js with npm in the same folder.
    node: PathBuf,
    packages: PathBuf,
}

impl Checks {
    pub fn prepare(root: &Path, target: &Path, interrupt: &Interrupt) -> Result<Self> {
        let environment = target.join("python-venv");
        let programs = environment.join("bin");
        let pip = |requirements: &Path| {
            let mut pip = Command::new(programs.join("python"));
            pip.args(["-m", "pip", "install", "--quiet", "--no-input"])
                .args(["--disable-pip-version-check", "--requirement"])
                .arg(requirements);
            interrupt.run(&mut pip)
        };
        let wanted = root.join("tests/python/requirements.txt");
        // An upgrade of the system's Python can remove the interpreter.
        let lives = || packages::answers(&programs.join("python"), &["-c", PYTHON]);
        made_from(slice::from_ref(&wanted), &environment, lives, || {
            let python = python().context("no Python 3.11 or later with its module venv")?;
            interrupt.run(Command::new(python).args(["-m", "venv"]).arg(&environment))?;
            pip(&wanted)
        })?;

        let (source, packages) = (root.join("tests/node"), target.join("node"));
        let is_complete = |node: &PathBuf| {
            node.with_file_name("npm").is_file() && packages::answers(node, &["--eval", NODE])
        };
        let node = if let Some(node) = packages::find("node").filter(is_complete) {
            node
        } else {
            pip(&source.join("requirements.txt"))?;
            programs.join("node")
        };
        let pins = OF_NPM.map(|name| source.join(name));
        made_from(
            &pins,
            &packages,
            || true,
            || {
                for name in OF_NPM {
                    fs::copy(source.join(name), packages.join(name))?;
                }
                interrupt.run(
                    Command::new(node.with_file_name("npm"))
                        .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
                        .arg("--loglevel=error")
                        .current_dir(&packages),
                )
            },
        )?;
        let checks = Self {
            programs,
            node,
            packages,
        };
        copy_files(&source, &checks.copy()).context("cannot copy the checks")?;
        Ok(checks)
    }

    pub fn python(&self) -> Command {
        let mut command = Command::new(self.programs.join("python"));
        command
            .args(["-m", "pytest", "-q", "tests/python"])
            // Without a cache, the work tree stays clean.
            .args(["-p", "no:cacheprovider"])
            .env("PYTHONDONTWRITEBYTECODE", "1")
            // The script that checks the accessibility of the console's pages.
            .env(
                "POSTHASTE_AXE",
                self.packages.join("node_modules/axe-core/axe.min.js"),
            );
        // On a machine without Node.js, it is installed next to Python.
        let path = env::var_os("PATH").unwrap_or_default();
        let last = iter::once(self.programs.clone());
        if let Ok(path) = env::join_paths(env::split_paths(&path).chain(last)) {
            command.env("PATH", path);
        }
        command
    }

    pub fn node(&self) -> Command {
        let mut command = Command::new(&self.node);
        command
            .args(["--test", "--test-reporter=spec"])
            .current_dir(self.copy());
        command
    }

    fn copy(&self) -> PathBuf {
        self.packages.join("checks")
    }
}

/// Finds a suitable Python, also behind an unsuitable one on the `PATH`.
pub fn python() -> Option<PathBuf> {
    let found = packages::find("python3").into_iter();
    let mut all = found.chain([PathBuf::from("/usr/bin/python3")]);
    all.find(|python| packages::answers(python, &["-c", PYTHON]))
}

/// Recreates a folder, unless it was created from the same pins and is complete.
fn made_from(
    pins: &[PathBuf],
    folder: &Path,
    is_whole: impl Fn() -> bool,
    make: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let read = |file: &PathBuf| {
        fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))
    };
    let pins = pins.iter().map(read).collect::<Result<String>>()?;
    let stamp = folder.join(STAMP);
    if fs::read_to_string(&stamp).is_ok_and(|made_from| made_from == pins) && is_whole() {
        return Ok(());
    }
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    make()?;
    fs::write(stamp, pins).with_context(|| format!("cannot write into {}", folder.display()))
}

/// Copies the files of a folder, but not its subfolders, which were created by hand.
fn copy_files(from: &Path, to: &Path) -> Result<()> {
    if to.exists() {
        fs::remove_dir_all(to)?;
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            fs::copy(entry.path(), to.join(entry.file_name()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use anyhow::ensure;

    use super::*;

    #[test]
    fn a_folder_is_used_again_only_while_it_is_whole_and_for_the_same_pins() {
        let directory = tempfile::tempdir().unwrap();
        let (pins, folder) = (directory.path().join("pins"), directory.path().join("made"));
        for (wanted, is_whole, fails, is_made) in [
            ("pytest==9", true, true, true),
            ("pytest==9", true, false, true),
            ("pytest==9", true, false, false),
            ("pytest==10", true, false, true),
            ("pytest==10", false, false, true),
        ] {
            fs::write(&pins, wanted).unwrap();
            let mut made = false;
            let done = made_from(
                slice::from_ref(&pins),
                &folder,
                || is_whole,
                || {
                    assert!(fs::read_dir(&folder).unwrap().next().is_none(), "it is new");
                    made = true;
                    ensure!(!fails, "no network");
                    Ok(())
                },
            );
            assert_eq!((made, done.is_err()), (is_made, fails), "{wanted}");
        }
    }
}
