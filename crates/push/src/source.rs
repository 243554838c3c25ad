//! The input: where it is, how it is packed, and the lines that it holds.
//!
//! Its first bytes decide, not its name: plain, gzip or Zstandard; lines or one JSON array.

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
use fields::body::Nesting;
use flate2::bufread::MultiGzDecoder;
use program::input::{LineReader, without_mark};

use crate::spool::{Spool, SpoolReader};

/// The longest line in bytes. Far above what any service accepts, it limits the memory for files
/// without lines.
const LONGEST_LINE: usize = 64 << 20;
/// How much of the content is looked at to see what it is.
const ENOUGH: u64 = 4 << 10;
/// How much of an unknown content is shown, in characters.
const SHOWN: usize = 40;
const BUFFER: usize = 256 << 10;

/// An input that can be read from its beginning any number of times.
#[derive(Clone, Debug)]
pub struct Source {
    /// What it is called in messages.
    name: String,
    content: Content,
}

#[derive(Clone, Debug)]
enum Content {
    File(PathBuf),
    /// What can be read only once.
    Spool(Arc<Spool>),
    Text(Arc<[u8]>),
}

/// A line of the input.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// Its number, from 1; that of an element of an array.
    pub number: u64,
    /// Its text without white space around it, and without line breaks.
    pub text: &'a [u8],
    /// The bytes of the input that were read so far, as they are in the file.
    pub position: u64,
}

impl Source {
    /// A file, or standard input for `-`, if it holds lines or an array. What is no regular file is
    /// copied to a temporary file while it is read.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        let source = Self::find(path)?;
        source.unpacked(Rc::default())?;
        Ok(source)
    }

    /// A file, or standard input for `-`, whatever it holds.
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

    /// What it is called in messages.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The same source with other lines.
    pub(crate) fn with_lines(&self, lines: Arc<Spool>) -> Self {
        Self {
            name: self.name.clone(),
            content: Content::Spool(lines),
        }
    }

    /// Lines in memory.
    pub fn text(text: &str) -> Self {
        Self {
            name: "a text".to_owned(),
            content: Content::Text(text.as_bytes().into()),
        }
    }

    /// The length in bytes, as they are in the file, if it is known yet.
    pub fn length(&self) -> Option<u64> {
        match &self.content {
            Content::File(path) => fs::metadata(path).ok().map(|metadata| metadata.len()),
            Content::Spool(spool) => spool.length(),
            Content::Text(text) => Some(text.len() as u64),
        }
    }

    /// Reads the lines, until one is the last that is wanted.
    pub(crate) fn read(&self, each: impl FnMut(Line<'_>) -> ControlFlow<()>) -> anyhow::Result<()> {
        let position = Rc::default();
        let (input, is_array) = self.unpacked(Rc::clone(&position))?;
        let mut lines = Lines {
            each,
            position,
            number: 0,
        };
        let read = if is_array {
            lines.read_array(input)
        } else {
            lines.read(input)
        };
        let last = lines.number;
        read.with_context(|| format!("{} cannot be read beyond line {last}", self.name))
    }

    /// The unpacked content, and whether it is an array.
    fn unpacked(&self, position: Rc<Cell<u64>>) -> anyhow::Result<(impl BufRead, bool)> {
        let open = || detect(self.unpack(position)?);
        open().with_context(|| format!("{} cannot be pushed", self.name))
    }

    /// The unpacked content. Counts the bytes that are read of the packed one.
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

/// Counts the bytes that are read.
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

/// Unpacks the content if it is packed.
fn unpack(mut input: impl Read + 'static) -> anyhow::Result<Box<dyn Read>> {
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
    let whole = BufReader::with_capacity(BUFFER, Cursor::new(start).chain(input));
    Ok(if is_gzip {
        Box::new(MultiGzDecoder::new(whole))
    } else if is_zstd {
        Box::new(zstd::Decoder::with_buffer(whole)?)
    } else {
        Box::new(whole)
    })
}

/// Detects whether the content is lines or an array.
fn detect(mut input: Box<dyn Read>) -> anyhow::Result<(impl BufRead, bool)> {
    let mut start = Vec::new();
    (&mut input).take(ENOUGH).read_to_end(&mut start)?;
    let text = without_mark(&start);
    let is_line = |line: &[u8]| line.trim_ascii_start().starts_with(b"{");
    let is_array = match text.trim_ascii_start().first() {
        Some(b'[') => true,
        None | Some(b'{') => false,
        // The first line alone may be wrong.
        Some(_) if text.split(|byte| *byte == b'\n').any(is_line) => false,
        Some(_) => bail!(unknown(text)),
    };
    let whole = Cursor::new(text.to_vec()).chain(input);
    Ok((BufReader::with_capacity(BUFFER, whole), is_array))
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
    let shown: String = line.chars().take(SHOWN).collect();
    format!(
        "{what}: it begins with `{shown}`, and each line has to be {{\"id\":\"…\",\"payload\":{{…}}}}"
    )
}

/// Hands on the lines of an input.
struct Lines<F> {
    each: F,
    position: Rc<Cell<u64>>,
    /// The number of the last line.
    number: u64,
}

impl<F: FnMut(Line<'_>) -> ControlFlow<()>> Lines<F> {
    /// Hands on a line, and returns whether more are wanted.
    fn add(&mut self, text: &[u8]) -> bool {
        self.number += 1;
        let line = Line {
            number: self.number,
            text: text.trim_ascii(),
            position: self.position.get(),
        };
        (self.each)(line).is_continue()
    }

    fn read(&mut self, input: impl BufRead) -> io::Result<()> {
        let mut lines = LineReader::new(input, LONGEST_LINE);
        let (mut text, mut spread) = (Vec::new(), Spread::default());
        while lines.append_line(&mut text)? {
            if lines.is_cut || spread.text.len() > LONGEST_LINE {
                let problem = format!("the next one is longer than {LONGEST_LINE} bytes");
                return Err(io::Error::other(problem));
            }
            let is_part = spread.take(&text);
            if (!is_part || spread.is_complete()) && !self.add_spread(&mut spread) {
                return Ok(());
            }
            // It may begin another object.
            if !is_part && !spread.take(&text) && !self.add(&text) {
                return Ok(());
            }
            text.clear();
        }
        self.add_spread(&mut spread);
        Ok(())
    }

    /// Hands on an object that is spread over several lines as the first of them. The others are
    /// blank, so that the numbers of lines stay.
    fn add_spread(&mut self, spread: &mut Spread) -> bool {
        let Spread { text, lines, .. } = std::mem::take(spread);
        (0..lines).all(|nth| self.add(if nth == 0 { &text } else { b"" }))
    }

    fn read_array(&mut self, mut input: impl BufRead) -> io::Result<()> {
        let mut items = Items::default();
        loop {
            let piece = input.fill_buf()?;
            if piece.is_empty() {
                return items.finish();
            }
            for byte in piece {
                if let Some(item) = items.take(*byte)?
                    && !self.add(&item)
                {
                    return Ok(());
                }
            }
            let length = piece.len();
            input.consume(length);
        }
    }
}

/// An object of which each member is on a line of its own, as programs that print for people write
/// it.
#[derive(Default)]
struct Spread {
    text: Vec<u8>,
    lines: usize,
    nesting: Nesting,
}

impl Spread {
    /// Takes a line if it is a part of the object. The first one is a brace, and no other begins
    /// with one: those of inner objects are indented.
    fn take(&mut self, line: &[u8]) -> bool {
        let is_part = if self.lines == 0 {
            line.trim_ascii_end() == b"{"
        } else {
            !line.starts_with(b"{")
        };
        if is_part {
            for byte in line {
                self.nesting.pass(*byte);
            }
            self.nesting.pass_line_end();
            self.text.extend(line.trim_ascii());
            self.text.push(b' ');
            self.lines += 1;
        }
        is_part
    }

    const fn is_complete(&self) -> bool {
        self.lines > 0 && self.nesting.is_outside()
    }
}

/// Cuts an array into its items, whatever is wrong with each.
#[derive(Default)]
struct Items {
    place: Place,
    nesting: Nesting,
    item: Vec<u8>,
}

#[derive(Default, PartialEq, Eq)]
enum Place {
    #[default]
    Before,
    Inside,
    Behind,
}

impl Items {
    /// Takes the next byte of the input; returns the item that it ends.
    fn take(&mut self, byte: u8) -> io::Result<Option<Vec<u8>>> {
        match self.place {
            _ if self.item.is_empty() && byte.is_ascii_whitespace() => return Ok(None),
            Place::Before => {
                // It begins with a bracket, or would be no array.
                self.place = Place::Inside;
                return Ok(None);
            }
            Place::Behind => return Err(io::Error::other("something follows the array")),
            Place::Inside => {}
        }
        if self.nesting.is_outside() {
            let is_complete = self.item.trim_ascii_end().ends_with(b"}");
            let next = match byte {
                b']' => {
                    self.place = Place::Behind;
                    None
                }
                b',' => None,
                // The comma is missing.
                b'{' if is_complete => Some(byte),
                _ => return self.keep(byte).map(|()| None),
            };
            let item = std::mem::take(&mut self.item);
            next.map_or(Ok(()), |byte| self.keep(byte))?;
            return Ok((!item.is_empty()).then_some(item));
        }
        self.keep(byte)?;
        Ok(if byte == b':' && self.nesting.is_in_string() {
            self.cut()
        } else {
            None
        })
    }

    fn keep(&mut self, byte: u8) -> io::Result<()> {
        if self.item.len() == LONGEST_LINE {
            let problem = format!("the next item is longer than {LONGEST_LINE} bytes");
            return Err(io::Error::other(problem));
        }
        self.nesting.pass(byte);
        // A line break outside of strings is a space like any other, and inside there is none.
        let is_break = matches!(byte, b'\n' | b'\r');
        self.item.push(if is_break { b' ' } else { byte });
        Ok(())
    }

    /// Ends the item where the next one seems to begin inside a string: an extra quotation mark has
    /// swapped the inside and the outside of strings. In an intact string these quotation marks
    /// would be escaped.
    fn cut(&mut self) -> Option<Vec<u8>> {
        let text = self.item.strip_suffix(b":")?.trim_ascii_end();
        let names = [&b"\"id\""[..], b"\"payload\""];
        let text = names.iter().find_map(|name| text.strip_suffix(*name))?;
        let start = text.trim_ascii_end().strip_suffix(b"{")?;
        let before = start.trim_ascii_end().strip_suffix(b",")?.trim_ascii_end();
        let end = before.ends_with(b"}").then_some(before.len())?;
        let next = self.item.split_off(start.len());
        self.item.truncate(end);
        self.nesting = Nesting::default();
        for byte in &next {
            self.nesting.pass(*byte);
        }
        Some(std::mem::replace(&mut self.item, next))
    }

    fn finish(self) -> io::Result<()> {
        if self.place == Place::Behind {
            return Ok(());
        }
        Err(io::Error::other("it ends before its array does"))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::{Compression, write::GzEncoder};

    use super::*;

    fn read(content: &[u8]) -> anyhow::Result<Vec<(u64, String)>> {
        let folder = tempfile::tempdir()?;
        // The name says nothing.
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

    /// The numbers of lines stay those of the file.
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
