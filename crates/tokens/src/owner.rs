//! An operator may generate keys as root while the service runs as another user.

use std::{
    fs, io,
    os::unix::fs::{MetadataExt as _, fchown},
    path::Path,
};

const ROOT: u32 = 0;
const OWNER_READS: u32 = 0o400;

/// Hands a file that root created to the owner and group of its folder, as SQLite does. If that
/// fails, root keeps the file: the service may run as root.
pub fn inherit_owner(made: &fs::File, path: &Path) {
    if let Err(error) = give(made, path) {
        let path = path.display();
        tracing::warn!(%path, %error, "cannot give the file the owner of its folder");
    }
}

fn give(made: &fs::File, path: &Path) -> io::Result<()> {
    // The parent of a relative path with one component is the empty path.
    let path = std::path::absolute(path)?;
    let Some(folder) = path.parent() else {
        return Ok(());
    };
    let (file, folder) = (made.metadata()?, fs::metadata(folder)?);
    let is_handed_over = (file.uid(), file.gid()) == (folder.uid(), folder.gid());
    if file.uid() != ROOT || is_handed_over {
        return Ok(());
    }
    fchown(made, Some(folder.uid()), Some(folder.gid()))
}

/// Whether the folder's owner can read a private file in it. Returns `true` for a removed file.
pub(super) fn can_read(folder: &fs::Metadata, path: &Path) -> bool {
    folder.uid() == ROOT
        || fs::metadata(path).map_or(true, |file| {
            file.uid() == folder.uid() && file.mode() & OWNER_READS != 0
        })
}
