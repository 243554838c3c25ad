//! The checks in Node.js: what third parties wrote in JavaScript and TypeScript, against the
//! service.
//!
//! They are in `tests/node`, with pinned packages in `package-lock.json`. A copy of them runs under
//! `target`, beside the packages, so that the work tree stays clean.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::pins::{self, Folder};
use crate::python;
use xtask::packages;
use xtask::process::Interrupt;

/// A script that fails if Node.js is too old.
const PROBE: &str = "process.exit(Number(parseInt(process.versions.node) < 20))";
/// The files from which npm installs.
const PINS: [&str; 3] = ["package.json", "package-lock.json", ".npmrc"];

/// Installs the packages unless they are up to date, and copies the checks.
pub fn prepare(
    root: &Path,
    target: &Path,
    python: &python::Environment,
    interrupt: &Interrupt,
) -> Result<Checks> {
    let source = root.join("tests/node");
    let folder = Folder::new(target.join("node"));
    let node = node(&source, python, interrupt)?;
    let pins = PINS
        .iter()
        .map(|name| pins::read(&source.join(name)))
        .collect::<Result<String>>()?;
    if folder.is_made_from(&pins) {
        println!("up to date: {}", folder.path().display());
    } else {
        folder.remove()?;
        fs::create_dir_all(folder.path())?;
        for name in PINS {
            fs::copy(source.join(name), folder.path().join(name))?;
        }
        interrupt.run(
            Command::new(node.with_file_name("npm"))
                .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
                .arg("--loglevel=error")
                .current_dir(folder.path()),
        )?;
        folder.seal(&pins)?;
    }
    let copy = Folder::new(folder.path().join("checks"));
    copy.remove()?;
    copy_files(&source, copy.path()).context("cannot copy the checks")?;
    Ok(Checks {
        node,
        folder: copy.path().to_owned(),
    })
}

/// The checks with all that they need.
pub struct Checks {
    node: PathBuf,
    folder: PathBuf,
}

impl Checks {
    /// The script by which the pages of the console are checked for accessibility.
    pub fn axe(&self) -> PathBuf {
        self.folder
            .with_file_name("node_modules/axe-core/axe.min.js")
    }

    /// The command that runs every check.
    pub fn tests(&self) -> Command {
        let mut command = Command::new(&self.node);
        command
            .args(["--test", "--test-reporter=spec"])
            .current_dir(&self.folder);
        command
    }
}

/// A Node.js with npm beside it: the system's, or else that of a Python package.
fn node(source: &Path, python: &python::Environment, interrupt: &Interrupt) -> Result<PathBuf> {
    let is_complete = |node: &PathBuf| {
        node.with_file_name("npm").is_file() && packages::answers(node, &["--eval", PROBE])
    };
    if let Some(node) = packages::find("node").filter(is_complete) {
        return Ok(node);
    }
    python.install(&source.join("requirements.txt"), interrupt)?;
    Ok(python.program("node"))
}

/// Copies the files of a folder, and none of its folders: those were made by hand.
fn copy_files(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            fs::copy(entry.path(), to.join(entry.file_name()))?;
        }
    }
    Ok(())
}
