//! The manifest of a backup: what belongs to it. It is written last, so a folder without one is no
//! backup.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, Read as _},
    path::Path,
};

use anyhow::{Context as _, bail, ensure};
use serde::{Deserialize, Serialize};

use crate::files::{self, FileDigest};

/// The name of the manifest in a backup.
pub const NAME: &str = "manifest.json";
/// The name of the database in a backup.
pub const DATABASE: &str = "posthaste.db";
/// The name of the folder of keys in a backup.
pub const KEYS: &str = "keys";
/// The form of manifests that this program writes and reads.
const FORMAT: u32 = 1;
/// The most that is read of a manifest.
const LONGEST: u64 = 1 << 20;

/// A manifest, as JSON has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    pub format: u32,
    /// The version of the program that made the backup.
    pub program: String,
    /// When the backup was begun, in RFC 3339.
    pub began_at: String,
    /// The database; `None` if that is on a server, which is backed up by its own means.
    pub database: Option<DatabaseContents>,
    /// Each file, by its path in the backup.
    pub files: BTreeMap<String, FileDigest>,
}

/// What the database of a backup holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatabaseContents {
    /// The version of its newest migration.
    pub schema: String,
    /// The rows of each table.
    pub rows: BTreeMap<String, u64>,
}

impl Manifest {
    /// A manifest of this program.
    pub fn new(began_at: String, database: Option<DatabaseContents>) -> Self {
        Self {
            format: FORMAT,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            began_at,
            database,
            files: BTreeMap::new(),
        }
    }

    /// Reads the manifest of a backup.
    pub fn read(folder: &Path) -> anyhow::Result<Self> {
        let path = folder.join(NAME);
        let mut text = String::new();
        match File::open(&path).and_then(|file| file.take(LONGEST).read_to_string(&mut text)) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => bail!(
                "{} is no complete backup: it has no {NAME}, which is written last",
                folder.display()
            ),
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read {}", path.display()));
            }
        }
        let manifest: Self = serde_json::from_str(&text)
            .with_context(|| format!("{} cannot be read as a manifest", path.display()))?;
        ensure!(
            manifest.format == FORMAT,
            "{} has the form {}, and this program reads {FORMAT}; use the version {} of it",
            path.display(),
            manifest.format,
            manifest.program
        );
        Ok(manifest)
    }

    /// Checks that a backup is what its manifest says: no file is missing, changed or added.
    pub fn verify(&self, folder: &Path) -> anyhow::Result<()> {
        let has_database = self.files.contains_key(DATABASE);
        ensure!(
            has_database == self.database.is_some(),
            "{}: {NAME} contradicts itself about the database",
            folder.display()
        );
        for (name, expected) in &self.files {
            let path = folder.join(known(name)?);
            let found =
                files::digest(&path).with_context(|| format!("cannot read {}", path.display()))?;
            ensure!(
                found == *expected,
                "{} is not as it was backed up: it has {} bytes with the SHA-256 {}, and {NAME} \
                 says {} with {}",
                path.display(),
                found.bytes,
                found.sha256,
                expected.bytes,
                expected.sha256
            );
        }
        for name in names_of_keys(&folder.join(KEYS))? {
            ensure!(
                self.files.contains_key(&format!("{KEYS}/{name}")),
                "{} was not backed up; {NAME} does not name it",
                folder.join(KEYS).join(name).display()
            );
        }
        Ok(())
    }
}

/// The path of a file that a manifest may name: nothing outside the backup.
fn known(name: &str) -> anyhow::Result<&str> {
    let key = name
        .strip_prefix(KEYS)
        .and_then(|key| key.strip_prefix('/'));
    let is_key =
        key.is_some_and(|key| !key.is_empty() && !key.starts_with('.') && !key.contains('/'));
    ensure!(
        is_key || name == DATABASE,
        "{NAME} names {name:?}, which is no file of a backup"
    );
    Ok(name)
}

/// The names of the files in a folder of keys, which may be missing. Hidden ones are none.
pub fn names_of_keys(folder: &Path) -> anyhow::Result<Vec<String>> {
    let context = || format!("cannot read {}", folder.display());
    let entries = match folder.read_dir() {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error).with_context(context),
    };
    let mut names = Vec::new();
    for entry in entries {
        let name = entry.with_context(context)?.file_name();
        let name = name.to_string_lossy().into_owned();
        if !name.starts_with('.') {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_names_no_file_outside_the_backup() {
        for name in [
            "../posthaste.db",
            "/etc/passwd",
            "keys/../x",
            "keys/.x",
            "keys",
            "keys/",
            "keysx",
            "",
        ] {
            assert!(known(name).is_err(), "{name}");
        }
        assert!(known("keys/019a3c5e-0000-7000-8000-000000000000").is_ok());
        assert!(known(DATABASE).is_ok());
    }
}
