use std::{fs, path::Path, time::Instant};

use adapters_sqlite::SqliteStore;
use anyhow::{Context as _, bail, ensure};
use cli::output;
use runtime::clock;
use tokens::KeyFolder;
use tokio::task;

use crate::{
    files, in_words,
    manifest::{self, DATABASE, DatabaseContents, KEYS, Manifest},
};

const UNFINISHED: &str = ".unfinished";
const MEBIBYTE: u64 = 1 << 20;

/// Copies the keys and the embedded database into a new or empty folder, even while they are in
/// use. Returns a sentence about the backup.
pub async fn make(
    database: Option<&Path>,
    keys: &KeyFolder,
    folder: &Path,
) -> anyhow::Result<String> {
    check_keys(database.is_some(), keys)?;
    files::claim_empty_folder(folder)?;
    let staging = folder.join(UNFINISHED);
    files::make_folder(&staging)?;
    let began = Instant::now();
    let made = stage(database, keys, folder, &staging).await;
    if made.is_err() {
        // Files left over here would make the next attempt fail.
        _ = fs::remove_dir_all(&staging);
    }
    Ok(sentence(&made?, folder, began))
}

/// Fails where a wrong data folder would pass as one without keys. Before its first `serve`, an
/// embedded database has none.
fn check_keys(has_database: bool, keys: &KeyFolder) -> anyhow::Result<()> {
    let may_lack = has_database && files::folder_of(keys.path()).is_dir();
    ensure!(
        may_lack || !keys.list()?.keys().is_empty(),
        "there is no usable key in {}, so nothing was backed up; correct POSTHASTE_DATA_DIR",
        keys.path().display()
    );
    Ok(())
}

async fn stage(
    database: Option<&Path>,
    keys: &KeyFolder,
    folder: &Path,
    staging: &Path,
) -> anyhow::Result<Manifest> {
    let began_at = output::time(clock::now());
    let database = match database {
        Some(path) => Some(copy_database(path, &staging.join(DATABASE)).await?),
        None => None,
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

/// Copies the database, even while other processes use it, and checks the copy.
async fn copy_database(path: &Path, copy: &Path) -> anyhow::Result<DatabaseContents> {
    let store = SqliteStore::open(path).context("cannot open the database")?;
    let needed = store.size().await?;
    let free = files::free_space(files::folder_of(copy))?;
    ensure!(
        needed < free,
        "the database has {} MiB, but only {} MiB are free in {}",
        needed / MEBIBYTE,
        free / MEBIBYTE,
        files::folder_of(copy).display()
    );
    // Create the file first: SQLite accepts an empty file, and keeps its mode.
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
    .context("the copy of the database is unusable")?;
    let Some(schema) = contents.schema.last() else {
        bail!("the database {} is empty: it has no schema", path.display());
    };
    Ok(DatabaseContents {
        schema: schema.clone(),
        rows: contents.rows,
    })
}

fn sentence(manifest: &Manifest, folder: &Path, began: Instant) -> String {
    let keys = manifest.files.len() - usize::from(manifest.database.is_some());
    let keys = in_words(keys);
    let folder = folder.display();
    if let Some(database) = &manifest.database {
        let count = |table: &str| database.rows.get(table).copied().unwrap_or_default();
        let bytes = manifest.files.get(DATABASE).map_or(0, |file| file.bytes);
        format!(
            "Backed up to {folder} in {:.1} seconds: {keys}, and a database of {} MiB with {} \
             postings, {} clients and {} subscribers, whose integrity was checked.",
            began.elapsed().as_secs_f64(),
            bytes.div_ceil(MEBIBYTE),
            count("postings"),
            count("clients"),
            count("subscribers"),
        )
    } else {
        format!(
            "Backed up to {folder}: {keys}. The database is on a PostgreSQL server; back it up \
             beside them:\n\
             pg_dump --format=custom --file={folder}/posthaste.dump \"$DATABASE_URL\""
        )
    }
}
