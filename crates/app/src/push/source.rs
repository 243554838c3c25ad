//! The input: where it is, how it is packed, and what it holds.
//!
//! Its first bytes decide, not its name: plain, gzip or Zstandard; lines or one JSON array.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Cursor, Read},
    os::unix::fs::FileExt as _,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use anyhow::{Context as _, bail};
use flate2::bufread::MultiGzDecoder;

use super::array::ArrayReader;
use crate::{
    input::{self, LineReader, without_mark},
    text::{plain, shorten},
};

/// The longest line in bytes. Far above what any service accepts, it limits the memory for files
/// without lines.
pub const LONGEST_LINE: usize = 64 << 20;
/// White space before the first line that is read to see what follows.
const LONGEST_SPACE: usize = 64 << 10;
/// How much of an unknown content is looked at.
const ENOUGH: usize = 4 << 10;
/// How much of it is shown.
const SHOWN: usize = 40;
const BUFFER: usize = 256 << 10;

type Reader = Box<dyn BufRead + Send>;

/// An input that can be opened again.
#[derive(Debug)]
pub struct Source {
    path: PathBuf,
    /// What was read of an input that cannot be opened again. The file has no name, so that nothing
    /// stays of it however this program ends.
    spool: Option<Arc<File>>,
}

impl Source {
    /// A file. Standard input, and whatever is no regular file, is copied to a temporary file
    /// first.
    pub fn spooled(path: &Path) -> anyhow::Result<Self> {
        let (mut reader, length) = input::open(path)?;
        let spool =
            match length {
                Some(_) => None,
                None => Some(spool(&mut reader).with_context(|| {
                    format!("{} cannot be copied to a temporary file", name(path))
                })?),
            };
        Ok(Self {
            path: path.to_owned(),
            spool,
        })
    }

    /// Opens it from its beginning.
    pub fn open(&self) -> anyhow::Result<Input> {
        let Some(file) = &self.spool else {
            return Input::open(&self.path);
        };
        let length = file.metadata()?.len();
        let (file, offset) = (Arc::clone(file), 0);
        Input::of(Spooled { file, offset }, Some(length), &self.path)
    }
}

fn spool(reader: &mut Reader) -> io::Result<Arc<File>> {
    let mut file = tempfile::tempfile()?;
    io::copy(reader, &mut file)?;
    Ok(Arc::new(file))
}

/// Reads a file from its beginning, whoever else reads it.
struct Spooled {
    file: Arc<File>,
    offset: u64,
}

impl Read for Spooled {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(buffer, self.offset)?;
        self.offset += read as u64;
        Ok(read)
    }
}

/// The input in a message.
fn name(path: &Path) -> String {
    if path == Path::new("-") {
        "standard input".to_owned()
    } else {
        path.display().to_string()
    }
}

/// An open input.
pub struct Input {
    pub items: Items,
    /// The bytes that were read, as they are in the file.
    pub position: Arc<AtomicU64>,
    /// The length of the file in bytes, if it is known.
    pub length: Option<u64>,
}

impl Input {
    /// Opens a file, or standard input for `-`.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        let (reader, length) = input::open(path)?;
        Self::of(reader, length, path)
    }

    fn of(
        reader: impl Read + Send + 'static,
        length: Option<u64>,
        path: &Path,
    ) -> anyhow::Result<Self> {
        let position = Arc::default();
        let counted = Counted {
            reader,
            position: Arc::clone(&position),
        };
        let items = unpacked(counted)
            .and_then(Items::detect)
            .with_context(|| format!("{} cannot be pushed", name(path)))?;
        Ok(Self {
            items,
            position,
            length,
        })
    }
}

/// Counts the bytes that are read.
struct Counted<R> {
    reader: R,
    position: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        self.position.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// The reader of the content, unpacked if it is packed.
fn unpacked(mut input: impl Read + Send + 'static) -> anyhow::Result<Reader> {
    let mut start = Vec::new();
    (&mut input).take(4).read_to_end(&mut start)?;
    let is_gzip = start.starts_with(b"\x1F\x8B");
    // A frame, or one to be skipped before it (RFC 8878 §3.1).
    let is_zstd = start == b"\x28\xB5\x2F\xFD"
        || (start.ends_with(b"\x2A\x4D\x18") && start.first().is_some_and(|b| b & 0xF0 == 0x50));
    let other = [
        (&b"PK\x03\x04"[..], "a ZIP archive"),
        (b"\xFD7zX", "packed by xz"),
        (b"BZh", "packed by bzip2"),
    ];
    if let Some((_, what)) = other.iter().find(|(magic, _)| start.starts_with(magic)) {
        bail!("it is {what}; unpack it first, or pack it by gzip or zstd");
    }
    let whole = Cursor::new(start).chain(input);
    Ok(if is_gzip {
        let packed = BufReader::with_capacity(BUFFER, whole);
        Box::new(BufReader::with_capacity(
            BUFFER,
            MultiGzDecoder::new(packed),
        ))
    } else if is_zstd {
        Box::new(BufReader::with_capacity(BUFFER, zstd::Decoder::new(whole)?))
    } else {
        Box::new(BufReader::with_capacity(BUFFER, whole))
    })
}

/// The lines of an input, or the elements of an array as lines.
pub enum Items {
    Lines(LineReader<Reader>),
    Array(ArrayReader<Reader>),
}

impl Items {
    /// Detects whether the content is lines or an array.
    fn detect(mut input: Reader) -> anyhow::Result<Self> {
        let mut start = Vec::new();
        let first = loop {
            let available = input.fill_buf()?;
            let first = without_mark(&start).trim_ascii_start().first();
            // A pipe may have given a part of a mark, or of the first lines.
            let is_enough = match first {
                None => false,
                Some(b'{' | b'[') => start.len() > 2,
                Some(_) => start.len() > ENOUGH,
            };
            if available.is_empty() || is_enough {
                break first.copied();
            }
            if start.len() > LONGEST_SPACE {
                bail!("it begins with nothing but white space");
            }
            let count = available.len();
            start.extend(available);
            input.consume(count);
        };
        let text = without_mark(&start);
        let is_array = first == Some(b'[');
        let is_line = |line: &[u8]| line.trim_ascii_start().starts_with(b"{");
        match first {
            None | Some(b'{' | b'[') => {}
            // The first line alone may be wrong.
            Some(_) if text.split(|byte| *byte == b'\n').any(is_line) => {}
            Some(_) => bail!(unknown(text)),
        }
        let start = if is_array { text.to_vec() } else { start };
        let input: Reader = Box::new(Cursor::new(start).chain(input));
        Ok(if is_array {
            Self::Array(ArrayReader::new(input, LONGEST_LINE))
        } else {
            Self::Lines(LineReader::new(input, LONGEST_LINE))
        })
    }

    /// Reads the next line into a buffer, in place of its content. Blank ones leave it empty.
    pub fn read(&mut self, buffer: &mut Vec<u8>) -> io::Result<Option<Item>> {
        buffer.clear();
        match self {
            Self::Array(array) => {
                let item = array.append_element(buffer)?.then_some(Item {
                    number: array.number,
                    is_cut: array.is_cut,
                });
                Ok(item)
            }
            Self::Lines(lines) => {
                if !lines.append_line(buffer)? {
                    return Ok(None);
                }
                let (number, is_cut) = (lines.number, lines.is_cut);
                if is_cut {
                    buffer.clear();
                }
                let whole = buffer.as_slice();
                let text = if number == 1 {
                    without_mark(whole)
                } else {
                    whole
                };
                let start = whole.len() - text.trim_ascii_start().len();
                let length = text.trim_ascii().len();
                buffer.drain(..start);
                buffer.truncate(length);
                Ok(Some(Item { number, is_cut }))
            }
        }
    }
}

/// What is known of a line besides its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its number in the input, from 1.
    pub number: u64,
    /// Whether it is too long, and was not kept.
    pub is_cut: bool,
}

/// The message about a content that is neither lines nor an array.
fn unknown(start: &[u8]) -> String {
    let is_utf_16 = start.starts_with(b"\xFF\xFE") || start.starts_with(b"\xFE\xFF");
    if is_utf_16 || start.iter().take(8).any(|byte| *byte == 0) {
        return "it is no UTF-8 text; save it as UTF-8".to_owned();
    }
    let text = String::from_utf8_lossy(start);
    let line = text.trim_start().lines().next().unwrap_or_default();
    let what = if line.contains([',', ';', '\t']) {
        "it looks like CSV"
    } else {
        "it is neither NDJSON nor a JSON array"
    };
    format!(
        "{what}: it begins with `{}`, and each line has to be {{\"id\":\"…\",\"payload\":{{…}}}}",
        shorten(&plain(line), SHOWN)
    )
}

#[cfg(test)]
mod tests {
    use std::{fs, io::Write as _};

    use flate2::{Compression, write::GzEncoder};

    use super::*;

    fn read(content: &[u8]) -> anyhow::Result<Vec<(u64, String)>> {
        let dir = tempfile::tempdir()?;
        // The name says nothing.
        let path = dir.path().join("in.csv");
        fs::write(&path, content)?;
        let mut input = Input::open(&path)?;
        let (mut buffer, mut read) = (Vec::new(), Vec::new());
        while let Some(item) = input.items.read(&mut buffer)? {
            assert!(!item.is_cut);
            read.push((item.number, String::from_utf8(buffer.clone())?));
        }
        assert_eq!(input.length, Some(content.len() as u64));
        assert_eq!(input.position.load(Ordering::Relaxed), content.len() as u64);
        Ok(read)
    }

    fn numbered(lines: &[(u64, &str)]) -> Vec<(u64, String)> {
        lines
            .iter()
            .map(|(number, line)| (*number, (*line).to_owned()))
            .collect()
    }

    fn gzip(content: &[u8]) -> Vec<u8> {
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(content).unwrap();
        packed.finish().unwrap()
    }

    #[test]
    fn blank_lines_crlf_a_byte_order_mark_and_a_missing_last_newline_do_no_harm() {
        let input = b"\xEF\xBB\xBF{\"id\":1}\r\n\r\n  \n \t{\"id\":2} \n{\"id\":3}";
        let expect = [
            (1, "{\"id\":1}"),
            (2, ""),
            (3, ""),
            (4, "{\"id\":2}"),
            (5, "{\"id\":3}"),
        ];
        assert_eq!(read(input).unwrap(), numbered(&expect));
        assert_eq!(read(b"").unwrap(), []);
        let junk = [(1, "nonsense"), (2, "{}")];
        assert_eq!(read(b"nonsense\n{}").unwrap(), numbered(&junk));
        assert_eq!(read(b"\n\n").unwrap(), numbered(&[(1, ""), (2, "")]));
    }

    #[test]
    fn packed_lines_are_unpacked_in_all_their_parts() {
        let expect = numbered(&[(1, "{}"), (2, "{\"a\":1}"), (3, "nonsense")]);
        let parts = [&b"{}\n{\"a\""[..], b":1}\nnonsense\n"];
        let gz = parts.map(gzip).concat();
        assert_eq!(read(&gz).unwrap(), expect);
        let zst = parts
            .map(|part| zstd::encode_all(part, 1).unwrap())
            .concat();
        assert_eq!(read(&zst).unwrap(), expect);
        for packed in [gz, zst] {
            let cut = &packed[..packed.len() - 3];
            assert!(read(cut).is_err(), "the end is missing");
        }
    }

    #[test]
    fn an_array_may_be_packed_and_have_a_mark() {
        let text = "\u{FEFF}\n[{\"id\":\n1},2]";
        let expect = numbered(&[(1, "{\"id\": 1}"), (2, "2")]);
        assert_eq!(read(text.as_bytes()).unwrap(), expect);
        assert_eq!(read(&gzip(text.as_bytes())).unwrap(), expect);
    }

    #[test]
    fn something_else_is_one_clear_error() {
        for (content, expect) in [
            (
                &b"id,title\na,b\n"[..],
                "it looks like CSV: it begins with `id,title`",
            ),
            (
                b"<html>",
                "it is neither NDJSON nor a JSON array: it begins with `<html>`",
            ),
            (b"PK\x03\x04x", "it is a ZIP archive"),
            (b"\xFD7zXZ\0", "it is packed by xz"),
            (b"\xFF\xFE{\0", "it is no UTF-8 text"),
        ] {
            let error = format!("{:#}", read(content).unwrap_err());
            assert!(
                error.contains(expect) && error.contains("in.csv"),
                "{error}"
            );
        }
    }
}
