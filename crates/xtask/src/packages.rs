//! Finds programs, and installs Debian packages where that is possible.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context as _, Result, bail};
use rustix::process::geteuid;

use crate::process::Interrupt;

const PACKAGE_LISTS: &str = "/var/lib/apt/lists";

pub fn find(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .map(|folder| folder.join(program))
        .find(|file| file.is_file())
}

/// The path of a program. If it is missing, the package with the same name is installed.
pub fn found_or_installed(program: &str, interrupt: &Interrupt) -> Result<PathBuf> {
    if let Some(found) = find(program) {
        return Ok(found);
    }
    install(&[program], interrupt)?;
    find(program).with_context(|| format!("{program} was installed and is not on the PATH"))
}

pub fn answers(program: &Path, arguments: &[&str]) -> bool {
    let run = Command::new(program).args(arguments).output();
    run.is_ok_and(|output| output.status.success())
}

pub fn install(packages: &[&str], interrupt: &Interrupt) -> Result<()> {
    let names = packages.join(" ");
    if find("apt-get").is_none() {
        bail!("missing: {names}. There is no apt-get here; install them as your system does it");
    }
    if !geteuid().is_root() {
        bail!("missing: {names}. Install them as root: apt-get install {names}");
    }
    println!("installing {names}");
    let updated = !has_package_lists(Path::new(PACKAGE_LISTS));
    if updated {
        interrupt.output(apt_get().arg("update"))?;
    }
    let first = interrupt.output(&mut install_command(packages));
    if first.is_ok() || updated {
        return first.map(drop);
    }
    interrupt.check()?;
    // Outdated lists may name versions that the archive no longer has.
    interrupt.output(apt_get().arg("update"))?;
    interrupt.output(&mut install_command(packages)).map(drop)
}

fn install_command(packages: &[&str]) -> Command {
    let mut command = apt_get();
    command
        .args(["install", "--yes", "--no-install-recommends"])
        .args(packages);
    command
}

fn apt_get() -> Command {
    let mut command = Command::new("apt-get");
    command
        .env("DEBIAN_FRONTEND", "noninteractive")
        // Another apt-get, such as a nightly upgrade, may hold the lock.
        .args(["--quiet", "--option", "DPkg::Lock::Timeout=300"]);
    command
}

fn has_package_lists(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|entries| {
        entries
            .flatten()
            .any(|entry| entry.file_name().to_string_lossy().contains("_Packages"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_on_the_path() {
        assert!(find("sh").is_some_and(|file| file.is_absolute()));
        assert_eq!(find("no-such-program"), None);
    }

    #[test]
    fn package_lists_are_missing_on_a_fresh_machine() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!has_package_lists(&folder.path().join("none")));
        fs::create_dir(folder.path().join("partial")).unwrap();
        assert!(!has_package_lists(folder.path()));
        fs::write(folder.path().join("mirror_main_Packages.lz4"), "").unwrap();
        assert!(has_package_lists(folder.path()));
    }
}
