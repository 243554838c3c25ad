//! Receipts that wait for the end of an import.

use std::io::{self, SeekFrom};

use actix_web::web::{BufMut as _, Bytes, BytesMut};
use futures_util::stream::{self, Stream};
use serde::Serialize;
use tokio::{
    fs::File,
    io::{AsyncReadExt as _, AsyncSeekExt as _, AsyncWriteExt as _},
    task::spawn_blocking,
};

/// How many bytes stay in memory. More bytes go to a temporary file.
pub const IN_MEMORY: usize = 256 * 1024;
const PIECE: usize = 64 * 1024;

const MOST_RECEIPTS: u64 = 100_000;
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// A store of JSON lines, which are all written before any is read. Many lines go to a temporary
/// file, which is deleted with the spool.
#[derive(Default)]
pub struct Spool {
    buffer: BytesMut,
    file: Option<File>,
    in_file: u64,
    receipts: u64,
    omitted: u64,
}

impl Spool {
    /// Adds a receipt, which stays in memory until [`flush`](Self::flush). From the first receipt
    /// that does not fit, all receipts are left out.
    pub fn add(&mut self, receipt: &impl Serialize) -> serde_json::Result<()> {
        if self.omitted == 0 && self.receipts < MOST_RECEIPTS {
            let before = self.buffer.len();
            self.add_last(receipt)?;
            if self.len() <= MOST_BYTES {
                self.receipts += 1;
                return Ok(());
            }
            self.buffer.truncate(before);
        }
        self.omitted += 1;
        Ok(())
    }

    /// Adds the last line, which always fits.
    pub fn add_last(&mut self, line: &impl Serialize) -> serde_json::Result<()> {
        serde_json::to_writer((&mut self.buffer).writer(), line)?;
        self.buffer.put_u8(b'\n');
        Ok(())
    }

    pub const fn omitted(&self) -> u64 {
        self.omitted
    }

    pub fn len(&self) -> u64 {
        self.in_file + self.buffer.len() as u64
    }

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

    pub fn take_memory(&mut self) -> Option<Bytes> {
        let is_all = self.file.is_none();
        is_all.then(|| self.buffer.split().freeze())
    }

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
                let line = format!("line {number}");
                written.extend_from_slice(format!("\"{line}\"\n").as_bytes());
                spool.add(&line).unwrap();
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

    #[tokio::test]
    async fn receipts_have_a_largest_number_and_size() {
        // Together with quotation marks and line end, each receipt has a mebibyte.
        let (mut spool, receipt) = (Spool::default(), "x".repeat(1024 * 1024 - 3));
        for _ in 0..66 {
            spool.add(&receipt).unwrap();
            spool.flush().await.unwrap();
        }
        assert_eq!((spool.len(), spool.omitted()), (64 * 1024 * 1024, 2));
        spool.add(&"short").unwrap();
        assert_eq!(spool.omitted(), 3, "those that are there are the first");
        spool.add_last(&"summary").unwrap();
        assert_eq!(spool.len(), 64 * 1024 * 1024 + 10);

        let mut spool = Spool::default();
        for _ in 0..100_003 {
            spool.add(&1).unwrap();
        }
        assert_eq!((spool.len(), spool.omitted()), (200_000, 3));
    }
}
