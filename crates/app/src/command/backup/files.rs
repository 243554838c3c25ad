//! Files and folders of a backup: private to their owner, on the disk before anything relies on
//! them.

use std::{
    ffi::OsStr,
    fs,
    io::{self, Read, Write},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

const PRIVATE_FILE: u32 = 0o600;
const PRIVATE_FOLDER: u32 = 0o700;
/// The permissions of group and others.
const OTHERS: u32 = 0o077;
const CHUNK: usize = 1 << 16;

/// The length and the SHA-256 of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileDigest {
    pub bytes: u64,
    pub sha256: String,
}

/// Makes a folder that only its owner can open, or makes an empty one so. Fails if anything is in
/// it.
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
                fs::set_permissions(folder, private)
                    .with_context(|| format!("{} cannot be made private", folder.display()))?;
            }
            Ok(())
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            make_folder(folder).with_context(|| format!("cannot make {}", folder.display()))
        }
        Err(error) => Err(error).with_context(|| format!("cannot read {}", folder.display())),
    }
}

/// Makes a folder that only its owner can open, and missing ones above it.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(PRIVATE_FOLDER)
        .create(folder)
}

/// Makes an empty file that only its owner can read.
pub fn make_file(path: &Path) -> io::Result<fs::File> {
    fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(PRIVATE_FILE)
        .open(path)
}

/// Writes a file that only its owner can read, to the disk.
pub fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = make_file(path)?;
    file.write_all(content)?;
    file.sync_all()
}

/// Syncs what a folder lists to the disk.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    fs::File::open(folder)?.sync_all()
}

/// Syncs a file to the disk.
pub fn sync_file(path: &Path) -> io::Result<()> {
    fs::File::open(path)?.sync_all()
}

/// The folder that lists a file.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// A path beside another one, with an ending.
pub fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or(OsStr::new("")).to_owned();
    name.push(ending);
    path.with_file_name(name)
}

/// Reads a file to its end, and returns its length and digest.
pub fn digest(path: &Path) -> io::Result<FileDigest> {
    copy(&mut fs::File::open(path)?, &mut io::sink())
}

/// Copies everything, and returns its length and digest.
pub fn copy(from: &mut impl Read, to: &mut impl Write) -> io::Result<FileDigest> {
    let (mut hash, mut bytes) = (Sha256::new(), 0);
    let mut chunk = vec![0; CHUNK];
    loop {
        let length = match from.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let read = chunk.get(..length).unwrap_or_default();
        hash.update(read);
        to.write_all(read)?;
        bytes += length as u64;
    }
    let sha256 = hash
        .finalize()
        .into_iter()
        .map(|byte| format!("{byte:02x}"));
    Ok(FileDigest {
        bytes,
        sha256: sha256.collect(),
    })
}
