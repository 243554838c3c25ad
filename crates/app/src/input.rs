//! Input files of the commands.

use std::{
    fs::File,
    io::{self, BufRead, BufReader},
    path::Path,
};

use anyhow::Context as _;

/// Opens a file, or standard input for `-`, and returns its length if that is known.
pub fn open(path: &Path) -> anyhow::Result<(Box<dyn BufRead + Send>, Option<u64>)> {
    if path == Path::new("-") {
        return Ok((Box::new(BufReader::new(io::stdin())), None));
    }
    let open = || {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::Error::from(io::ErrorKind::IsADirectory));
        }
        let length = metadata.is_file().then_some(metadata.len());
        Ok((
            Box::new(BufReader::with_capacity(1 << 18, file)) as _,
            length,
        ))
    };
    open().with_context(|| format!("the file {} cannot be read", path.display()))
}
