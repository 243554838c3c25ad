//! The input: its place, compression and form. [`lines`](crate::lines) splits the input.
//!
//! The first bytes decide, not the file's name: plain, gzip or Zstandard; lines or one JSON array.

use std::{
    cell::Cell,
    fs::{self, File},
    io::{self, BufRead, BufReader, Cursor, Read},
    ops::ControlFlow,
    path::{Path, PathBuf},
    rc::Rc,
    sync::Arc,
};

use anyhow::{Context as _, bail};
use cli::input::without_mark;
use flate2::bufread::MultiGzDecoder;

use crate::{
    lines::{Line, Lines},
    spool::{Spool, SpoolReader},
};

const ENOUGH: u64 = 4 << 10;
/// How many characters an error shows.
const SHOWN: usize = 40;
const BUFFER: usize = 256 << 10;

#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    content: Content,
}

#[derive(Clone, Debug)]
enum Content {
    File(PathBuf),
    /// A copy of input that can be read only once.
    Spool(Arc<Spool>),
    Text(Arc<[u8]>),
}

impl Source {
    /// Opens a file, or standard input for `-`, with lines or an array. Input that is no regular
    /// file is copied to a temporary file while it is read.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        let source = Self::find(path)?;
        source.unpacked(Rc::default())?;
        Ok(source)
    }

    /// Like [`Self::open`], but with any content.
    pub(crate) fn find(path: &Path) -> anyhow::Result<Self> {
        let is_stdin = path == Path::new("-");
        let name = if is_stdin {
            "standard input".to_owned()
        } else {
            path.display().to_string()
        };
        let content = || {
            if is_stdin {
                return io::Result::Ok(Content::Spool(Spool::start(io::stdin())?));
            }
            let file = File::open(path)?;
            let kind = file.metadata()?.file_type();
            if kind.is_dir() {
                return Err(io::ErrorKind::IsADirectory.into());
            }
            Ok(if kind.is_file() {
                Content::File(path.to_owned())
            } else {
                Content::Spool(Spool::start(file)?)
            })
        };
        let content = content().with_context(|| format!("{name} cannot be read"))?;
        Ok(Self { name, content })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn with_lines(&self, lines: Arc<Spool>) -> Self {
        Self {
            name: self.name.clone(),
            content: Content::Spool(lines),
        }
    }

    pub fn text(text: &str) -> Self {
        Self {
            name: "a text".to_owned(),
            content: Content::Text(text.as_bytes().into()),
        }
    }

    pub fn length(&self) -> Option<u64> {
        match &self.content {
            Content::File(path) => fs::metadata(path).ok().map(|metadata| metadata.len()),
            Content::Spool(spool) => spool.length(),
            Content::Text(text) => Some(text.len() as u64),
        }
    }

    pub(crate) fn read(&self, each: impl FnMut(Line<'_>) -> ControlFlow<()>) -> anyhow::Result<()> {
        let position = Rc::default();
        let (input, is_array) = self.unpacked(Rc::clone(&position))?;
        let mut lines = Lines::new(each, position);
        let read = if is_array {
            lines.read_array(input)
        } else {
            lines.read(input)
        };
        let last = lines.number();
        read.with_context(|| format!("{} cannot be read beyond line {last}", self.name))
    }

    /// Also returns whether the content is an array.
    fn unpacked(&self, position: Rc<Cell<u64>>) -> anyhow::Result<(impl BufRead, bool)> {
        let open = || detect(self.unpack(position)?);
        open().with_context(|| format!("{} cannot be pushed", self.name))
    }

    /// `position` counts the bytes before decompression.
    pub(crate) fn unpack(&self, position: Rc<Cell<u64>>) -> anyhow::Result<Box<dyn Read>> {
        let reader = self.reader()?;
        unpack(Counted { reader, position })
    }

    fn reader(&self) -> io::Result<Box<dyn Read>> {
        Ok(match &self.content {
            Content::File(path) => Box::new(File::open(path)?),
            Content::Spool(spool) => Box::new(SpoolReader {
                spool: Arc::clone(spool),
                offset: 0,
            }),
            Content::Text(text) => Box::new(Cursor::new(Arc::clone(text))),
        })
    }
}

struct Counted<R> {
    reader: R,
    position: Rc<Cell<u64>>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        self.position.set(self.position.get() + read as u64);
        Ok(read)
    }
}

fn unpack(mut input: impl Read + 'static) -> anyhow::Result<Box<dyn Read>> {
    let mut start = Vec::new();
    (&mut input).take(4).read_to_end(&mut start)?;
    let is_gzip = start.starts_with(b"\x1F\x8B");
    // A frame, or a skippable frame before it (RFC 8878 §3.1).
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
    let whole = BufReader::with_capacity(BUFFER, Cursor::new(start).chain(input));
    Ok(if is_gzip {
        Box::new(MultiGzDecoder::new(whole))
    } else if is_zstd {
        Box::new(zstd::Decoder::with_buffer(whole)?)
    } else {
        Box::new(whole)
    })
}

fn detect(mut input: Box<dyn Read>) -> anyhow::Result<(impl BufRead, bool)> {
    let mut start = Vec::new();
    (&mut input).take(ENOUGH).read_to_end(&mut start)?;
    let text = without_mark(&start);
    let is_line = |line: &[u8]| line.trim_ascii_start().starts_with(b"{");
    let is_array = match text.trim_ascii_start().first() {
        Some(b'[') => true,
        None | Some(b'{') => false,
        // Only the first line may be invalid.
        Some(_) if text.split(|byte| *byte == b'\n').any(is_line) => false,
        Some(_) => bail!(unknown(text)),
    };
    let whole = Cursor::new(text.to_vec()).chain(input);
    Ok((BufReader::with_capacity(BUFFER, whole), is_array))
}

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
    let shown: String = line.chars().take(SHOWN).collect();
    format!(
        "{what}: it begins with `{shown}`, and each line has to be {{\"id\":\"…\",\"payload\":{{…}}}}"
    )
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::{Compression, write::GzEncoder};

    use super::*;

    fn read(content: &[u8]) -> anyhow::Result<Vec<(u64, String)>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("in.csv");
        fs::write(&path, content)?;
        let source = Source::open(&path)?;
        assert_eq!(source.length(), Some(content.len() as u64));
        let (mut read, mut position) = (Vec::new(), 0);
        source.read(|line| {
            let text = String::from_utf8(line.text.to_vec()).unwrap();
            read.push((line.number, text));
            position = line.position;
            ControlFlow::Continue(())
        })?;
        assert!(read.is_empty() || position == content.len() as u64);
        Ok(read)
    }

    fn numbered(lines: &[(u64, &str)]) -> Vec<(u64, String)> {
        let owned = lines
            .iter()
            .map(|(number, line)| (*number, (*line).to_owned()));
        owned.collect()
    }

    #[test]
    fn an_object_that_is_spread_over_lines_is_one_line() {
        let input = b"{\n  \"id\": 1,\n  \"x\": [\n    {}\n  ]\n}\r\n{\"id\":2}\n{\n\"t\": \"5\" pipe\"\n}\n\
            {\n\"cut\":\n{\"id\":3}\n{\n";
        let expect = [
            (1, "{ \"id\": 1, \"x\": [ {} ] }"),
            (7, "{\"id\":2}"),
            (8, "{ \"t\": \"5\" pipe\" }"),
            (11, "{ \"cut\":"),
            (13, "{\"id\":3}"),
            (14, "{"),
        ];
        let mut lines = read(input).unwrap();
        lines.retain(|(_, text)| !text.is_empty());
        assert_eq!(lines, numbered(&expect));
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
        let zst = parts
            .map(|part| zstd::encode_all(part, 1).unwrap())
            .concat();
        for packed in [gz, zst] {
            assert_eq!(read(&packed).unwrap(), expect);
            let cut = &packed[..packed.len() - 3];
            assert!(read(cut).is_err(), "the end is missing");
        }
    }

    #[test]
    fn elements_of_an_array_are_lines_that_keep_their_spelling() {
        let text = "\u{FEFF}\n[ {\"id\": \"a,]\\\"[\",\r\n \"n\": [1.50, {}]}\n,7 , \"x\"] \n";
        let lines = [
            (1, "{\"id\": \"a,]\\\"[\",   \"n\": [1.50, {}]}"),
            (2, "7"),
            (3, "\"x\""),
        ];
        for packed in [text.as_bytes().to_vec(), gzip(text.as_bytes())] {
            assert_eq!(read(&packed).unwrap(), numbered(&lines));
        }
        assert_eq!(read(b"[\n]").unwrap(), []);
        for (text, last) in [("[1", 0), ("[1,", 1), ("[1, {\"a\":]", 1), ("[1] [2]", 1)] {
            let error = format!("{:#}", read(text.as_bytes()).unwrap_err());
            let expect = format!("in.csv cannot be read beyond line {last}: ");
            assert!(error.contains(&expect), "{text}: {error}");
        }
    }

    #[test]
    fn a_bad_item_of_an_array_is_a_line_of_its_own() {
        let good = r#"{"id":"z","payload":{"x":[{"id":1},{"id":2}]}}"#;
        for bad in [
            r#"{"id":"a","payload":{"n":NaN,"t":None,}}"#,
            r"{'id': 'a', 'payload': {'t': 'a, b'}}",
            r#"{"id":"a","payload":{"t":"5" pipe"}}"#,
            r#"{"id":"a","payload":{"t":it's}}"#,
            r#"{"id":"a","payload":[1]]}}}"#,
            "1 2",
            "x",
        ] {
            let lines = [(1, good), (2, bad), (3, good)];
            for comma in [",", " ,\n"] {
                let text = format!("[{good}{comma}{bad}{comma}{good}]");
                assert_eq!(read(text.as_bytes()).unwrap(), numbered(&lines), "{text}");
            }
        }
        let text = format!("[{good} {good},,{good},]");
        let lines = [(1, good), (2, good), (3, good)];
        assert_eq!(read(text.as_bytes()).unwrap(), numbered(&lines));
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
