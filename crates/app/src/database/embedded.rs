//! Decides which commands may create the embedded database.
//!
//! A service that starts with an empty database instead of a full one ingests everything again and
//! has lost suppressions and verdicts. Most commands therefore create none. Others, such as
//! `serve`, first look for traces of an earlier database: its side files, and the signing keys,
//! which `serve` and `keys generate` create after it.

use std::path::{self, Path, PathBuf};

use anyhow::Context as _;
use tokens::KeyFolder;

use super::url::DatabaseUrl;
use crate::misconfigured::Misconfigured;

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

pub fn require_no_trace(url: &DatabaseUrl, keys: &Path) -> anyhow::Result<()> {
    let Some(path) = missing(url)? else {
        return Ok(());
    };
    match trace(&path, keys)? {
        // A concurrent process creates the database first, then the keys.
        Some(trace) if !path.exists() => Err(Misconfigured(format!(
            "the database {} is missing, but {} is still there; restore the database, correct \
             POSTHASTE_DATA_DIR or DATABASE_URL, or run `posthaste migrate` to begin with an empty \
             one",
            path.display(),
            trace.display()
        ))
        .into()),
        _ => Ok(()),
    }
}

pub fn missing(url: &DatabaseUrl) -> anyhow::Result<Option<PathBuf>> {
    let Some(path) = url.file() else {
        return Ok(None);
    };
    let path = path::absolute(path)?;
    let is_there = path
        .try_exists()
        .with_context(|| format!("cannot open the database {}", path.display()))?;
    Ok((!is_there).then_some(path))
}

/// A file or directory that only an earlier database leaves.
fn trace(database: &Path, keys: &Path) -> anyhow::Result<Option<PathBuf>> {
    let mut sidecars = backup::sidecars(database).into_iter();
    if let Some(sidecar) = sidecars.find(|path| path.exists()) {
        return Ok(Some(sidecar));
    }
    let keys = path::absolute(keys)?;
    let held = KeyFolder::new(&keys).list()?;
    let is_used = !held.keys().is_empty() || !held.problems().is_empty();
    Ok(is_used.then_some(keys))
}
