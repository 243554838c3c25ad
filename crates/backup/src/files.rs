//! Files and folders of a backup. Only their owner may read them, and they are synced to the disk
//! before another step relies on them.

use std::{
    ffi::OsString,
    fs,
    io::{self, BufRead as _, BufReader, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use cli::text::hex;
use rustix::fs::statvfs;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

const PRIVATE_FILE: u32 = 0o600;
const PRIVATE_FOLDER: u32 = 0o700;
const OTHERS: u32 = 0o077;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileDigest {
    pub bytes: u64,
    pub sha256: String,
}

/// Creates a private folder. Fails if the folder exists and is not empty.
pub fn claim_empty_folder(folder: &Path) -> anyhow::Result<()> {
    match fs::read_dir(folder) {
        Ok(mut entries) => {
            if let Some(entry) = entries.next() {
                let found = PathBuf::from(entry?.file_name());
                bail!(
                    "{} is not empty ({} is in it); name a new folder, or an empty one",
                    folder.display(),
                    found.display()
                );
            }
            let mode = fs::metadata(folder)?.permissions().mode();
            if mode & OTHERS != 0 {
                let private = fs::Permissions::from_mode(PRIVATE_FOLDER);
                fs::set_permissions(folder, private).with_context(|| {
                    format!("cannot restrict {} to its owner", folder.display())
                })?;
            }
            Ok(())
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            make_folder(folder).with_context(|| format!("cannot create {}", folder.display()))
        }
        Err(error) => Err(error).with_context(|| format!("cannot read {}", folder.display())),
    }
}

pub fn make_folder(folder: &Path) -> io::Result<()> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(PRIVATE_FOLDER)
        .create(folder)
}

pub fn make_file(path: &Path) -> io::Result<fs::File> {
    fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(PRIVATE_FILE)
        .open(path)
}

pub fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = make_file(path)?;
    file.write_all(content)?;
    file.sync_all()
}

/// Syncs a file, or the entries of a folder.
pub fn sync(path: &Path) -> io::Result<()> {
    fs::File::open(path)?.sync_all()
}

pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

pub fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut path = OsString::from(path);
    path.push(ending);
    path.into()
}

/// The additional files of SQLite while a database is in use.
pub fn sidecars(database: &Path) -> [PathBuf; 3] {
    ["-wal", "-shm", "-journal"].map(|ending| beside(database, ending))
}

pub fn free_space(folder: &Path) -> io::Result<u64> {
    let about = statvfs(folder)?;
    Ok(about.f_bavail.saturating_mul(about.f_frsize))
}

pub fn digest(path: &Path) -> io::Result<FileDigest> {
    let mut file = BufReader::with_capacity(1 << 16, fs::File::open(path)?);
    let (mut hash, mut bytes) = (Sha256::new(), 0);
    loop {
        let chunk = file.fill_buf()?;
        if chunk.is_empty() {
            break;
        }
        hash.update(chunk);
        let length = chunk.len();
        file.consume(length);
        bytes += length as u64;
    }
    let sha256 = hex(&hash.finalize());
    Ok(FileDigest { bytes, sha256 })
}
