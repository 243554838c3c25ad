//! Which file the connections have open.
//!
//! A file that is removed stays usable for those who have it open, and so does one in whose place
//! another is put. What is written to it is lost with the process.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    time::SystemTime,
};

use domain::store::StoreError;

/// The database file that the store opened.
pub(crate) struct DatabaseFile {
    path: PathBuf,
    identity: Identity,
    /// Whether the log has it that the file is not in its place.
    is_reported: AtomicBool,
}

/// What tells a file from every other. Its number is given out again once nobody has it open any
/// more, but not together with the time at which it was made.
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
    /// The file at an absolute path.
    pub(crate) fn at(path: PathBuf) -> io::Result<Self> {
        Ok(Self {
            identity: Identity::of(&path)?,
            path,
            is_reported: AtomicBool::new(false),
        })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Fails when it is not in its place. This asks the operating system alone and takes some
    /// microseconds.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        let why = match Identity::of(&self.path) {
            Ok(identity) if identity == self.identity => {
                if self.is_reported.swap(false, Ordering::Relaxed) {
                    tracing::warn!(path = %self.path.display(), "the database file is back");
                }
                return Ok(());
            }
            Ok(_) => "another file is in the place of the database; restart to use that one",
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
