//! Restores a backup: first the keys, then the database, by a single rename. After an interruption
//! there is no database, and `serve` refuses to start with keys alone. The restore can be repeated.

use std::{
    ffi::OsString,
    fs,
    io::{self, ErrorKind},
    iter,
    path::Path,
};

use anyhow::{Context as _, anyhow, bail, ensure};
use cli::misconfigured::Misconfigured;
use tempfile::{PathPersistError, TempPath};
use tokens::{KeyFolder, inherit_owner};

use crate::{
    files, in_words,
    manifest::{self, DATABASE, KEYS, Manifest},
};

const UNFINISHED: &str = ".restoring-";

/// Restores a backup, and never overwrites a file. Blocks the thread. Returns a sentence about it.
pub fn restore(folder: &Path, database: Option<&Path>, keys: &Path) -> anyhow::Result<String> {
    let manifest = Manifest::read(folder)?;
    let database = match (database, &manifest.database) {
        (Some(path), Some(_)) => Some(std::path::absolute(path)?),
        (None, None) => None,
        (Some(_), None) => {
            return Err(Misconfigured(format!(
                "DATABASE_URL: {} holds the keys of a service on PostgreSQL, and no embedded \
                 database; set the URL of the server that its database is restored to",
                folder.display()
            ))
            .into());
        }
        (None, Some(_)) => {
            return Err(Misconfigured(format!(
                "DATABASE_URL: {} holds an embedded database, which cannot be restored to \
                 PostgreSQL; restore it to sqlite://PATH, then run `posthaste copy --to \
                 postgres://…`",
                folder.display()
            ))
            .into());
        }
    };
    if let Some(database) = &database {
        refuse_existing(database)?;
    }
    let source = KeyFolder::new(folder.join(KEYS));
    refuse_other_keys(&source, keys)?;
    manifest.verify(folder)?;
    if let Some(problem) = source.list()?.problems().first() {
        bail!("a key of the backup cannot be used: {problem}");
    }

    let prepared = database.as_deref();
    let prepared = prepared.map(|database| prepare(folder, &manifest, database));
    let prepared = prepared.transpose()?;
    if let Some(data_dir) = keys.parent() {
        files::make_folder(data_dir)
            .with_context(|| format!("cannot create {}", data_dir.display()))?;
    }
    let restored = source.copy_to(&KeyFolder::new(keys))?;
    if let (Some(prepared), Some(database)) = (prepared, &database) {
        put_in_place(prepared, database)?;
    }
    let keys = in_words(restored.len());
    Ok(match (&manifest.database, &database) {
        (Some(contents), Some(path)) => format!(
            "Restored {keys} and the database {} of {} with {} postings. Clients that follow the \
             event feed must take a new export.",
            path.display(),
            manifest.began_at,
            contents.rows.get("postings").copied().unwrap_or_default(),
        ),
        _ => format!("Restored {keys}. The database is restored by pg_restore."),
    })
}

/// Fails if there is a database or a sidecar file, which SQLite would apply to the restored one.
fn refuse_existing(database: &Path) -> anyhow::Result<()> {
    for path in iter::once(database.to_owned()).chain(files::sidecars(database)) {
        let is_there = path
            .try_exists()
            .with_context(|| format!("cannot access {}", path.display()))?;
        ensure!(
            !is_there,
            "{} already exists; stop the service, and move {}, its -wal and its -shm to another \
             folder before you restore",
            path.display(),
            database.display()
        );
    }
    Ok(())
}

/// Fails if there are other keys. Keys of this backup may come from an interrupted restore.
fn refuse_other_keys(source: &KeyFolder, keys: &Path) -> anyhow::Result<()> {
    for name in manifest::names_of_keys(keys)? {
        let (there, backed_up) = (keys.join(&name), source.path().join(&name));
        let is_same = match (fs::read(&there), fs::read(&backed_up)) {
            (Ok(there), Ok(backed_up)) => there == backed_up,
            _ => false,
        };
        ensure!(
            is_same,
            "{} already exists, and is not in the backup; stop the service, and move the keys \
             to another folder before you restore, or restore to another POSTHASTE_DATA_DIR",
            there.display()
        );
    }
    Ok(())
}

fn put_in_place(prepared: TempPath, database: &Path) -> anyhow::Result<()> {
    let place = database.display();
    let placed = prepared.persist_noclobber(database);
    placed.map_err(|PathPersistError { error, .. }| match error.kind() {
        ErrorKind::AlreadyExists => anyhow!(
            "another process has created {place}; stop the service, and move the file to another \
             folder before you restore"
        ),
        _ => anyhow::Error::new(error).context(format!("cannot create {place}")),
    })?;
    files::sync(files::folder_of(database))?;
    Ok(())
}

/// Prepares a copy of the database. If the copy is not put in place, it is removed.
fn prepare(folder: &Path, manifest: &Manifest, database: &Path) -> anyhow::Result<TempPath> {
    let data = files::folder_of(database);
    files::make_folder(data).with_context(|| format!("cannot create {}", data.display()))?;
    let mut prefix = OsString::from(".");
    prefix.push(database.file_name().unwrap_or_default());
    prefix.push(UNFINISHED);
    let made = tempfile::Builder::new().prefix(&prefix).tempfile_in(data);
    let made = made.with_context(|| format!("cannot write to {}", data.display()))?;
    let (mut file, path) = made.into_parts();
    let context = || format!("cannot write {}", path.display());
    inherit_owner(&file, &path);
    let source = folder.join(DATABASE);
    let mut source =
        fs::File::open(&source).with_context(|| format!("cannot read {}", source.display()))?;
    io::copy(&mut source, &mut file).with_context(context)?;
    drop(file);
    ensure!(
        manifest.files.get(DATABASE) == Some(&files::digest(&path).with_context(context)?),
        "the backup changed while it was read"
    );
    let prepared = adapters_sqlite::prepare_restored(&path);
    if prepared.is_err() {
        _ = fs::remove_file(files::beside(&path, "-journal"));
    }
    prepared.with_context(context)?;
    files::sync(&path).with_context(context)?;
    Ok(path)
}
