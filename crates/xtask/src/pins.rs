//! Folders with installed packages, made again whenever their pins change.

use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::{Context, Result};

/// The file with the pins; written last, so that an incomplete folder is never used.
const STAMP: &str = "posthaste-pins.txt";

/// A folder under `target` with packages.
pub struct Folder(PathBuf);

impl Folder {
    /// The folder, whether it is there or not.
    pub fn new(path: PathBuf) -> Self {
        Self(path)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Whether all packages of these pins are installed.
    pub fn is_made_from(&self, pins: &str) -> bool {
        fs::read_to_string(self.stamp()).is_ok_and(|made_from| made_from == pins)
    }

    /// Removes it with all that is in it.
    pub fn remove(&self) -> Result<()> {
        match fs::remove_dir_all(&self.0) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(error).with_context(|| format!("cannot remove {}", self.0.display()))
            }
            _ => Ok(()),
        }
    }

    /// Remembers that all packages of these pins are installed.
    pub fn seal(&self, pins: &str) -> Result<()> {
        fs::write(self.stamp(), pins)
            .with_context(|| format!("cannot write into {}", self.0.display()))
    }

    fn stamp(&self) -> PathBuf {
        self.0.join(STAMP)
    }
}

/// The content of a file with pins.
pub fn read(file: &Path) -> Result<String> {
    fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_used_again_only_for_the_same_pins() {
        let directory = tempfile::tempdir().unwrap();
        let folder = Folder::new(directory.path().join("packages"));
        folder.remove().unwrap();
        fs::create_dir(folder.path()).unwrap();
        assert!(!folder.is_made_from("pytest==9"), "no stamp");
        folder.seal("pytest==9").unwrap();
        assert!(folder.is_made_from("pytest==9"));
        assert!(!folder.is_made_from("pytest==10"), "other pins");
        folder.remove().unwrap();
        assert!(!folder.is_made_from("pytest==9"), "removed");
    }
}
