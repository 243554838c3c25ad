use std::{
    cell::Cell,
    io::{self, BufReader, Read},
    rc::Rc,
};

use anyhow::{Context as _, bail};
use cli::input::without_mark;
use jaq_json::Val;
use serde_json::Deserializer;

use super::{
    document::{Document, Each},
    html, table, xml,
};

/// The longest unpacked document in bytes: one JSON value, one CSV row, or a whole XML or HTML
/// file. In memory a document takes several times as much.
const LONGEST: u64 = 256 << 20;
/// The bytes that are examined to detect the format.
const ENOUGH: u64 = 16 << 10;

#[derive(Debug, PartialEq, Eq)]
enum Format {
    Json,
    Xml,
    Html,
    Csv,
}

pub fn read(mut input: impl Read, each: Each<'_>) -> anyhow::Result<()> {
    let mut start = Vec::new();
    (&mut input).take(ENOUGH).read_to_end(&mut start)?;
    if start.starts_with(b"\xFF\xFE") || start.starts_with(b"\xFE\xFF") {
        bail!("it is UTF-16; save it as UTF-8");
    }
    let start = without_mark(&start).to_vec();
    let Some(format) = format(&start) else {
        return Ok(());
    };
    let left = Rc::new(Cell::new(LONGEST));
    let mut input = Limited {
        input: start.as_slice().chain(input),
        left: Rc::clone(&left),
    };
    // The limit applies to each document.
    let each: Each<'_> = &mut |document| {
        left.set(LONGEST);
        each(document)
    };
    if format == Format::Csv {
        return table::read(input, table::delimiter(&start), each);
    }
    if format == Format::Json {
        let values = Deserializer::from_reader(BufReader::new(input)).into_iter::<Val>();
        for value in values {
            let value = Ok(value?);
            each(Document { line: None, value })?;
        }
        return Ok(());
    }
    let mut text = Vec::new();
    input.read_to_end(&mut text)?;
    if format == Format::Html {
        return html::read(&String::from_utf8_lossy(&text), each);
    }
    xml::check_encoding(&text)?;
    let text = String::from_utf8(text).context("it is not UTF-8; save it as UTF-8")?;
    let value = Ok(xml::parse(&text)?);
    each(Document { line: None, value })
}

fn format(start: &[u8]) -> Option<Format> {
    let text = String::from_utf8_lossy(start);
    let mut text = text.trim_start();
    Some(match text.chars().next()? {
        '{' | '[' => Format::Json,
        '<' => {
            // Both XML and HTML may begin with these.
            for (open, close) in [("<?", "?>"), ("<!--", "-->")] {
                while let Some((_, rest)) = text
                    .strip_prefix(open)
                    .and_then(|inside| inside.split_once(close))
                {
                    text = rest.trim_start();
                }
            }
            let name = text.get(1..).unwrap_or_default().to_ascii_lowercase();
            let html = [
                "!doctype html",
                "html",
                "head",
                "body",
                "script",
                "meta",
                "div",
            ];
            if html.iter().any(|it| name.starts_with(it)) {
                Format::Html
            } else {
                Format::Xml
            }
        }
        _ => Format::Csv,
    })
}

struct Limited<R> {
    input: R,
    left: Rc<Cell<u64>>,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        let left = self.left.get().checked_sub(read as u64);
        let too_long = || io::Error::other(format!("one document is longer than {LONGEST} bytes"));
        self.left.set(left.ok_or_else(too_long)?);
        Ok(read)
    }
}
