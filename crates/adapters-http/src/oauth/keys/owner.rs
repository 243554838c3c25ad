//! The owner of the files: an operator makes keys as root, and the service runs as another user.

use std::{
    fs, io,
    os::unix::fs::{MetadataExt as _, fchown},
    path::Path,
};

/// The user id of root, who reads everything.
const ROOT: u32 = 0;
/// The permission of the owner to read.
const OWNER_READS: u32 = 0o400;

/// Gives what root made to the owner and the group of the folder that it is in, as SQLite does
/// with the files beside a database. Where root may not do that, the file stays root's: the
/// service may well run as root there.
pub(super) fn hand_over(made: &fs::File, path: &Path) {
    if let Err(error) = give(made, path) {
        let path = path.display();
        tracing::warn!(%path, %error, "the file cannot be given to the owner of its folder");
    }
}

fn give(made: &fs::File, path: &Path) -> io::Result<()> {
    // The parent of a relative name of one word is the empty path.
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

/// Whether the owner of a folder can read a private file in it. A file that is gone is nobody's
/// trouble.
pub(super) fn can_read(folder: &fs::Metadata, path: &Path) -> bool {
    folder.uid() == ROOT
        || fs::metadata(path).map_or(true, |file| {
            file.uid() == folder.uid() && file.mode() & OWNER_READS != 0
        })
}
