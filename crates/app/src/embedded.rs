//! Which command may make the embedded database when its file is not there.
//!
//! A service that comes up with an empty database where a full one was takes everything in again
//! and has forgotten the suppressions and the verdicts. So most commands make none, and those that
//! do look for what a database leaves behind: the files beside it, and the signing keys, which the
//! first `serve` makes after its database. Keys that `posthaste keys generate` made before there
//! was a database are told apart by a note in the data directory.

use std::{
    ffi::OsString,
    fs, io,
    os::unix::fs::OpenOptionsExt as _,
    path::{self, Path, PathBuf},
};

use adapters_http::oauth::KeyFolder;
use anyhow::Context as _;

use crate::{config::DatabaseUrl, misconfigured::Misconfigured};

/// What SQLite puts beside a database while it is in use, by the ends of the names.
const BESIDE: [&str; 3] = ["-wal", "-shm", "-journal"];
/// The note, in the data directory.
const NOTE: &str = ".first-start";
const NOTE_TEXT: &str = "\
`posthaste keys generate` has made the keys beside this file, and no database was made yet: the next
`posthaste serve` may make one. It then removes this file.
";

/// Refuses to go on without the database: this command makes none.
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

/// Refuses to make a database where there was one.
pub fn require_no_trace(url: &DatabaseUrl, keys: &Path) -> anyhow::Result<()> {
    let Some(path) = missing(url)? else {
        return Ok(());
    };
    match trace(&path, keys)? {
        // Another process that starts at the same moment makes the database, then the keys.
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

/// Notes that the keys in this data directory were made before any database.
pub fn note_first_keys(data_dir: &Path) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    let note = options.write(true).create(true).truncate(true).mode(0o600);
    let mut note = note.open(data_dir.join(NOTE))?;
    io::Write::write_all(&mut note, NOTE_TEXT.as_bytes())
}

/// There is a database now: keys without one are not new any more.
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

/// The path of the embedded database if its file is not there.
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

/// What says that there was a database.
fn trace(database: &Path, keys: &Path) -> anyhow::Result<Option<PathBuf>> {
    for end in BESIDE {
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
