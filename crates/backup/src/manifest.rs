//! The list of a backup's files, which is written last. A folder without it is not a backup.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, Read as _},
    path::Path,
};

use anyhow::{Context as _, bail, ensure};
use serde::{Deserialize, Serialize};

use crate::files::{self, FileDigest};

pub const NAME: &str = "manifest.json";
pub const DATABASE: &str = "posthaste.db";
pub const KEYS: &str = "keys";
const FORMAT: u32 = 1;
/// The largest size of a manifest, in bytes.
const LONGEST: u64 = 1 << 20;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    pub format: u32,
    /// The version of the program that made the backup.
    pub program: String,
    /// A time in RFC 3339 format.
    pub began_at: String,
    /// `None` if the database is on a server, which needs its own backup.
    pub database: Option<DatabaseContents>,
    pub files: BTreeMap<String, FileDigest>,
}

/// The newest migration and the numbers of rows of the copied database, for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatabaseContents {
    pub schema: String,
    pub rows: BTreeMap<String, u64>,
}

impl Manifest {
    pub fn new(began_at: String, database: Option<DatabaseContents>) -> Self {
        Self {
            format: FORMAT,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            began_at,
            database,
            files: BTreeMap::new(),
        }
    }

    pub fn read(folder: &Path) -> anyhow::Result<Self> {
        let path = folder.join(NAME);
        let mut text = String::new();
        match File::open(&path).and_then(|file| file.take(LONGEST).read_to_string(&mut text)) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => bail!(
                "{} is not a complete backup: it has no {NAME}, which is written last",
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
            "{} has format {}, but this program reads format {FORMAT}; use its version {}",
            path.display(),
            manifest.format,
            manifest.program
        );
        Ok(manifest)
    }

    /// Fails if a file of the backup is missing, changed, or not in the manifest.
    pub fn verify(&self, folder: &Path) -> anyhow::Result<()> {
        let has_database = self.files.contains_key(DATABASE);
        ensure!(
            has_database == self.database.is_some(),
            "{}: {NAME} lists a database without its contents, or contents without a database",
            folder.display()
        );
        for (name, expected) in &self.files {
            let path = folder.join(known(name)?);
            let found =
                files::digest(&path).with_context(|| format!("cannot read {}", path.display()))?;
            ensure!(
                found == *expected,
                "{} has changed since the backup: it has {} bytes with the SHA-256 {}, but \
                 {NAME} says {} with {}",
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
                "{} is not part of the backup: {NAME} does not list it",
                folder.join(KEYS).join(name).display()
            );
        }
        Ok(())
    }
}

/// Refuses names outside the backup.
fn known(name: &str) -> anyhow::Result<&str> {
    let key = name
        .strip_prefix(KEYS)
        .and_then(|key| key.strip_prefix('/'));
    let is_key =
        key.is_some_and(|key| !key.is_empty() && !key.starts_with('.') && !key.contains('/'));
    ensure!(
        is_key || name == DATABASE,
        "{NAME} lists {name:?}, which cannot be a file of a backup"
    );
    Ok(name)
}

/// Returns no names if the folder does not exist. Ignores hidden files.
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
