//! Receipts that wait for the end of an import.

use std::io::{self, SeekFrom};

use actix_web::web::{Bytes, BytesMut};
use futures_util::stream::{self, Stream};
use tokio::{
    fs::File,
    io::{AsyncReadExt as _, AsyncSeekExt as _, AsyncWriteExt as _},
    task::spawn_blocking,
};

/// The bytes that are kept in memory. Any more go to a temporary file.
const IN_MEMORY: usize = 256 * 1024;
/// The size of a piece of the answer.
const PIECE: usize = 64 * 1024;

/// Bytes that are written first and read then, in memory or in a temporary file that goes with it.
#[derive(Default)]
pub struct Spool {
    buffer: BytesMut,
    file: Option<File>,
    in_file: u64,
}

impl Spool {
    /// A buffer to append to, until the next [`flush`](Self::flush).
    pub const fn buffer(&mut self) -> &mut BytesMut {
        &mut self.buffer
    }

    /// The number of bytes.
    pub fn len(&self) -> u64 {
        self.in_file + self.buffer.len() as u64
    }

    /// Moves bytes to the file if there are too many for memory.
    pub async fn flush(&mut self) -> io::Result<()> {
        if self.buffer.len() <= IN_MEMORY {
            return Ok(());
        }
        let file = match &mut self.file {
            Some(file) => file,
            none => {
                let file = spawn_blocking(tempfile::tempfile).await??;
                none.insert(File::from_std(file))
            }
        };
        file.write_all(&self.buffer).await?;
        self.in_file += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    /// Takes everything at once, if it is in memory.
    pub fn take_memory(&mut self) -> Option<Bytes> {
        let is_all = self.file.is_none();
        is_all.then(|| self.buffer.split().freeze())
    }

    /// Reads everything from the beginning.
    pub async fn read(mut self) -> io::Result<impl Stream<Item = io::Result<Bytes>>> {
        if let Some(file) = &mut self.file {
            file.flush().await?;
            file.seek(SeekFrom::Start(0)).await?;
        }
        Ok(stream::try_unfold(self, async |mut spool| {
            let piece = spool.piece().await?;
            Ok(piece.map(|piece| (piece, spool)))
        }))
    }

    async fn piece(&mut self) -> io::Result<Option<Bytes>> {
        if let Some(file) = &mut self.file {
            let mut piece = BytesMut::with_capacity(PIECE);
            if file.read_buf(&mut piece).await? > 0 {
                return Ok(Some(piece.freeze()));
            }
            self.file = None;
        }
        let length = self.buffer.len().min(PIECE);
        Ok((length > 0).then(|| self.buffer.split_to(length).freeze()))
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use futures_util::TryStreamExt as _;

    use super::*;

    #[tokio::test]
    async fn what_is_written_is_read_whether_it_fits_into_memory_or_not() {
        for lines in [0_usize, 3, 20_000, 60_000] {
            let (mut spool, mut written) = (Spool::default(), Vec::new());
            for number in 0..lines {
                let line = format!("line {number}\n");
                written.extend_from_slice(line.as_bytes());
                spool.buffer().extend_from_slice(line.as_bytes());
                spool.flush().await.unwrap();
                assert!(spool.buffer.len() <= IN_MEMORY);
            }
            assert_eq!(spool.len(), written.len() as u64);
            let mut pieces = pin!(spool.read().await.unwrap());
            let mut read = Vec::new();
            while let Some(piece) = pieces.try_next().await.unwrap() {
                read.extend_from_slice(&piece);
            }
            assert!(read == written, "{lines} lines");
        }
    }
}
