//! Decides which command may create the embedded database.
//!
//! A service that starts with an empty database in place of a full one ingests everything again and
//! has lost the suppressions and verdicts. So most commands create none, and the rest look for
//! traces of an earlier database: the files beside it, and the signing keys, which the first
//! `serve` makes after its database. A note in the data directory marks keys that `posthaste keys
//! generate` made before there was a database.

use std::{
    ffi::OsString,
    fs, io,
    os::unix::fs::OpenOptionsExt as _,
    path::{self, Path, PathBuf},
};

use adapters_http::oauth::KeyFolder;
use anyhow::Context as _;

use crate::{config::DatabaseUrl, misconfigured::Misconfigured};

/// Suffixes of the files that SQLite puts beside a database in use.
const SIDECAR_SUFFIXES: [&str; 3] = ["-wal", "-shm", "-journal"];
/// The name of the note in the data directory.
const NOTE: &str = ".first-start";
const NOTE_TEXT: &str = "\
`posthaste keys generate` has made the keys beside this file, and no database was made yet: the next
`posthaste serve` may make one. It then removes this file.
";

/// Fails if the embedded database does not exist, for commands that create none.
pub fn require(url: &DatabaseUrl) -> anyhow::Result<()> {
    match missing(url)? {
        None => Ok(()),
        Some(path) => Err(Misconfigured(format!(
            "there is no database at {}; correct POSTHASTE_DATA_DIR or DATABASE_URL, or make one \
             with `posthaste migrate`",
            path.display()
        ))
        .into()),
    }
}

/// Fails if the embedded database does not exist but has left traces.
pub fn require_no_trace(url: &DatabaseUrl, keys: &Path) -> anyhow::Result<()> {
    let Some(path) = missing(url)? else {
        return Ok(());
    };
    match trace(&path, keys)? {
        // Another process that starts at the same moment creates the database, then the keys.
        Some(trace) if !path.exists() => Err(Misconfigured(format!(
            "the database {} is gone, but {} is still there; put the database back, correct \
             POSTHASTE_DATA_DIR or DATABASE_URL, or run `posthaste migrate` to begin with an empty \
             one",
            path.display(),
            trace.display()
        ))
        .into()),
        _ => Ok(()),
    }
}

/// Writes the note that the keys in this data directory are older than any database.
pub fn note_first_keys(data_dir: &Path) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    let note = options.write(true).create(true).truncate(true).mode(0o600);
    let mut note = note.open(data_dir.join(NOTE))?;
    io::Write::write_all(&mut note, NOTE_TEXT.as_bytes())
}

/// Removes the note about first keys, once there is a database.
pub fn forget_first_keys(url: &DatabaseUrl, keys: &Path) {
    if !url.is_embedded() {
        return;
    }
    let note = keys.with_file_name(NOTE);
    match fs::remove_file(&note) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            tracing::warn!(path = %note.display(), %error, "the file cannot be removed");
        }
        _ => {}
    }
}

/// The path of the embedded database if its file does not exist.
fn missing(url: &DatabaseUrl) -> anyhow::Result<Option<PathBuf>> {
    let DatabaseUrl::Sqlite(path) = url else {
        return Ok(None);
    };
    let path = path::absolute(path)?;
    let is_there = path
        .try_exists()
        .with_context(|| format!("cannot open the database {}", path.display()))?;
    Ok((!is_there).then_some(path))
}

/// A file or directory that shows that there was a database.
fn trace(database: &Path, keys: &Path) -> anyhow::Result<Option<PathBuf>> {
    for end in SIDECAR_SUFFIXES {
        let mut beside = OsString::from(database);
        beside.push(end);
        let beside = PathBuf::from(beside);
        if beside.exists() {
            return Ok(Some(beside));
        }
    }
    let keys = path::absolute(keys)?;
    let held = KeyFolder::new(&keys).list()?;
    let is_used = !held.keys().is_empty() || !held.problems().is_empty();
    let is_new = keys.with_file_name(NOTE).exists();
    Ok((is_used && !is_new).then_some(keys))
}
