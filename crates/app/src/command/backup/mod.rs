//! `posthaste backup` and `restore`: the embedded database and the signing keys, in a folder.
//!
//! Files are made under temporary names and synced to the disk; the manifest comes last. So a
//! backup that was broken off has none, and is not taken for a whole one.

pub mod files;
mod manifest;
mod restore;

use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

use adapters_sqlite::SqliteStore;
use anyhow::{Context as _, bail, ensure};
use clap::Args;
use runtime::clock;
use tokens::KeyFolder;
use tokio::task;

use self::manifest::{DATABASE, DatabaseContents, KEYS, Manifest};
pub use self::restore::Restore;
use crate::{cli::StoreArgs, database_url::DatabaseUrl, embedded, output};

/// The folder in which a backup is made, inside its own.
const UNFINISHED: &str = ".unfinished";
const MEBIBYTE: u64 = 1 << 20;

/// Copy the embedded database and the keys into a directory, while they are in use
///
/// On PostgreSQL only the keys are copied, and what backs up the rest is named
#[derive(Debug, Args)]
pub struct Backup {
    /// The directory of the backup; made if it is not there, else it must be empty
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    #[command(flatten)]
    store: StoreArgs,
}

impl Backup {
    /// Makes a backup, and prints what it holds.
    pub async fn run(self) -> anyhow::Result<()> {
        let url = self.store.database();
        embedded::require(&url)?;
        let keys = KeyFolder::new(self.store.data_dir.keys());
        let folder = &self.folder;
        files::claim_empty_folder(folder)?;
        let staging = folder.join(UNFINISHED);
        files::make_folder(&staging)?;
        let began = Instant::now();
        let made = make(&url, &keys, folder, &staging).await;
        if made.is_err() {
            // What is left would be in the way of the next try.
            _ = fs::remove_dir_all(&staging);
        }
        let manifest = made?;
        say(&manifest, folder, began)?;
        Ok(())
    }
}

/// Makes the files in the staging, and moves them into their places.
async fn make(
    url: &DatabaseUrl,
    keys: &KeyFolder,
    folder: &Path,
    staging: &Path,
) -> anyhow::Result<Manifest> {
    let began_at = output::time(clock::now());
    let database = match url {
        DatabaseUrl::Sqlite(path) => Some(copy_database(path, &staging.join(DATABASE)).await?),
        DatabaseUrl::Postgres(_) => None,
    };
    let mut manifest = Manifest::new(began_at, database);
    for problem in keys.list()?.problems() {
        tracing::warn!("not backed up: {problem}");
    }
    let copied = keys.copy_to(&KeyFolder::new(staging.join(KEYS)))?;
    let database = manifest.database.iter().map(|_| DATABASE.to_owned());
    let names = database.chain(copied.iter().map(|id| format!("{KEYS}/{id}")));
    let names: Vec<String> = names.collect();
    let staging = staging.to_owned();
    let folder = folder.to_owned();
    task::spawn_blocking(move || {
        for name in names {
            let digest = files::digest(&staging.join(&name))
                .with_context(|| format!("cannot read {name} back"))?;
            manifest.files.insert(name, digest);
        }
        let text = serde_json::to_vec_pretty(&manifest)?;
        files::write(&staging.join(manifest::NAME), &text)?;
        files::sync(&staging)?;
        if manifest.database.is_some() {
            fs::rename(staging.join(DATABASE), folder.join(DATABASE))?;
        }
        fs::rename(staging.join(KEYS), folder.join(KEYS))?;
        files::sync(&folder)?;
        fs::rename(staging.join(manifest::NAME), folder.join(manifest::NAME))?;
        fs::remove_dir(&staging)?;
        files::sync(&folder)?;
        files::sync(files::folder_of(&folder))?;
        Ok(manifest)
    })
    .await?
}

/// Copies the database while others use it, and checks the copy.
async fn copy_database(path: &Path, copy: &Path) -> anyhow::Result<DatabaseContents> {
    let store = SqliteStore::open(path).context("cannot open the database")?;
    let needed = store.size().await?;
    let free = files::free_space(files::folder_of(copy))?;
    ensure!(
        needed < free,
        "the database has {} MiB, and {} MiB are free in {}",
        needed / MEBIBYTE,
        free / MEBIBYTE,
        files::folder_of(copy).display()
    );
    // SQLite takes an empty file as well as none, and does not change its mode.
    files::make_file(copy)?;
    store
        .copy_into(copy)
        .await
        .context("cannot copy the database")?;
    let copy = copy.to_owned();
    let contents = task::spawn_blocking(move || {
        files::sync(&copy)?;
        anyhow::Ok(adapters_sqlite::inspect(&copy)?)
    })
    .await?
    .context("the copy of the database is of no use")?;
    let Some(schema) = contents.schema.last() else {
        bail!(
            "the database {} holds nothing: it has no schema",
            path.display()
        );
    };
    Ok(DatabaseContents {
        schema: schema.clone(),
        rows: contents.rows,
    })
}

/// A number of keys.
fn in_words(keys: usize) -> String {
    format!("{keys} {}", if keys == 1 { "key" } else { "keys" })
}

fn say(manifest: &Manifest, folder: &Path, began: Instant) -> anyhow::Result<()> {
    let keys = manifest.files.len() - usize::from(manifest.database.is_some());
    let keys = in_words(keys);
    let folder = folder.display();
    if let Some(database) = &manifest.database {
        let count = |table: &str| database.rows.get(table).copied().unwrap_or_default();
        let bytes = manifest.files.get(DATABASE).map_or(0, |file| file.bytes);
        output::print(format_args!(
            "Backed up to {folder} in {:.1} seconds: {keys}, and a database of {} MiB with {} \
             postings, {} clients and {} subscribers, whose integrity was checked.",
            began.elapsed().as_secs_f64(),
            bytes.div_ceil(MEBIBYTE),
            count("postings"),
            count("clients"),
            count("subscribers"),
        ))
    } else {
        output::print(format_args!(
            "Backed up to {folder}: {keys}. The database is on a PostgreSQL server; back it up \
             beside them:\n\
             pg_dump --format=custom --file={folder}/posthaste.dump \"$DATABASE_URL\""
        ))
    }
}
