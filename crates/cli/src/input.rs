//! Opens input files, reads lines of bounded length, and reads ahead in a thread.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read as _},
    path::Path,
};

use anyhow::Context as _;
use tokio::sync::mpsc;

/// Opens a file, or standard input for `-`. Also returns the length if known.
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

/// Reads lines in constant memory. The fields describe the last line.
#[derive(Debug)]
pub struct LineReader<R> {
    input: R,
    /// The longest line in bytes, without the line break.
    pub longest: usize,
    /// The number of the line, from 1.
    pub number: u64,
    /// The offset in bytes of the end of the line.
    pub end: u64,
    /// Whether the line is too long, and only its beginning was kept.
    pub is_cut: bool,
}

impl<R: BufRead> LineReader<R> {
    pub const fn new(input: R, longest: usize) -> Self {
        Self {
            input,
            longest,
            number: 0,
            end: 0,
            is_cut: false,
        }
    }

    pub fn append_line(&mut self, buffer: &mut Vec<u8>) -> io::Result<bool> {
        // One byte more than the limit shows that the line is too long.
        let limit = self.longest as u64 + 1;
        let mut read = (&mut self.input).take(limit).read_until(b'\n', buffer)?;
        self.is_cut = read > self.longest && buffer.last() != Some(&b'\n');
        if self.is_cut {
            read += self.input.skip_until(b'\n')?;
        }
        self.number += u64::from(read > 0);
        self.end += read as u64;
        Ok(read > 0)
    }
}

/// Some programs begin a file with a byte order mark.
pub fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text)
}

/// Reads up to `count` items ahead, until the first error. The thread is never joined: a read from
/// a terminal or pipe cannot be interrupted.
pub fn read_ahead<T: Send + 'static, E: Send + 'static, I: Iterator<Item = Result<T, E>>>(
    count: usize,
    open: impl FnOnce() -> Result<I, E> + Send + 'static,
) -> mpsc::Receiver<Result<T, E>> {
    let (sender, receiver) = mpsc::channel(count);
    std::thread::spawn(move || {
        // The receiver may be gone.
        let send = |item: Result<T, E>| {
            let is_last = item.is_err();
            sender.blocking_send(item).is_ok() && !is_last
        };
        match open() {
            Ok(mut items) => while items.next().is_some_and(send) {},
            Err(error) => drop(sender.blocking_send(Err(error))),
        }
    });
    receiver
}
