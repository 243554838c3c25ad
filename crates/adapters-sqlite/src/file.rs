use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    time::SystemTime,
};

use kernel::StoreError;

pub(crate) struct DatabaseFile {
    path: PathBuf,
    identity: Identity,
    is_reported: AtomicBool,
}

/// Identifies a file. An inode's number may be used again, but not with the same creation time.
#[derive(Debug, PartialEq, Eq)]
struct Identity {
    #[cfg(unix)]
    number: (u64, u64),
    made: Option<SystemTime>,
}

impl Identity {
    fn of(path: &Path) -> io::Result<Self> {
        let metadata = fs::metadata(path)?;
        Ok(Self {
            #[cfg(unix)]
            number: {
                use std::os::unix::fs::MetadataExt as _;

                (metadata.dev(), metadata.ino())
            },
            made: metadata.created().ok(),
        })
    }
}

impl DatabaseFile {
    pub(crate) fn at(path: PathBuf) -> io::Result<Self> {
        Ok(Self {
            identity: Identity::of(&path)?,
            path,
            is_reported: AtomicBool::new(false),
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Fails if the file was removed or replaced. Takes microseconds: only the system is asked.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        let why = match Identity::of(&self.path) {
            Ok(identity) if identity == self.identity => {
                if self.is_reported.swap(false, Ordering::Relaxed) {
                    tracing::warn!(path = %self.path.display(), "the database file is back");
                }
                return Ok(());
            }
            Ok(_) => "another file has replaced the database; restart to use it",
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                "the database file was removed; put it back, or restore a copy and restart"
            }
            Err(error) => return Err(StoreError::Unavailable(error.to_string())),
        };
        if !self.is_reported.swap(true, Ordering::Relaxed) {
            tracing::error!(
                path = %self.path.display(),
                "{why}; nothing is read or written until then"
            );
        }
        Err(StoreError::Unavailable(why.to_owned()))
    }
}
