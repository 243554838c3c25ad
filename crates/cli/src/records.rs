//! Reads the records of a CSV file (RFC 4180) with their line numbers.
//!
//! The crate `csv` parses each record, but miscounts lines after blank lines and CR LF. So the end
//! of a record is found here.

use std::io::BufRead;

use anyhow::{Context as _, bail};
use csv::{ByteRecord, ReaderBuilder};

use crate::input::{LineReader, without_mark};

/// The limit of a record in bytes, which limits the damage of an unclosed quote.
const MAX_RECORD_BYTES: usize = 64 << 10;

/// The number of columns of the widest layout.
const MAX_COLUMNS: usize = 6;

/// The fields of a record in the order of the layout. A missing column is empty.
pub type Fields = [String; MAX_COLUMNS];

/// The columns of a file, which may be in any order.
#[derive(Debug)]
pub struct Layout {
    pub columns: [&'static str; MAX_COLUMNS],
    /// The number of leading columns that are required.
    pub required: usize,
    pub ignored: &'static [&'static str],
}

impl Layout {
    /// The place of each column (`None` if ignored). `None` for a header that does not fit.
    fn places(&self, header: &[String]) -> Option<Vec<Option<usize>>> {
        let place = |name: &String| self.columns.iter().position(|column| column == name);
        let mut places = Vec::with_capacity(header.len());
        for name in header {
            let found = place(name);
            let is_known = found.is_some() || self.ignored.contains(&name.as_str());
            if !is_known || (found.is_some() && places.contains(&found)) {
                return None;
            }
            places.push(found);
        }
        let has = |field: usize| places.contains(&Some(field));
        (0..self.required).all(has).then_some(places)
    }

    fn expected(&self) -> String {
        let (required, optional) = self.columns.split_at(self.required);
        match optional {
            [] => required.join(","),
            _ => format!(
                "{}, and may have {}",
                required.join(","),
                optional.join(",")
            ),
        }
    }
}

#[derive(Debug)]
pub struct Record {
    /// The number of the first line, from 1.
    pub line: u64,
    /// The offset of the end in bytes.
    pub end: u64,
    /// The fields, or why the record is refused.
    pub fields: Result<Fields, String>,
}

pub struct Records<R> {
    input: LineReader<R>,
    layout: &'static Layout,
    /// `None` for an ignored column.
    places: Vec<Option<usize>>,
    buffer: Vec<u8>,
}

impl<R: BufRead> Records<R> {
    pub fn open(input: R, layout: &'static Layout) -> anyhow::Result<Self> {
        let mut records = Self {
            input: LineReader::new(input, MAX_RECORD_BYTES),
            layout,
            places: Vec::new(),
            buffer: Vec::new(),
        };
        let expect = layout.expected();
        let Some((line, whole)) = records.next_text()? else {
            bail!("the file is empty; its first line must be {expect}");
        };
        let header = whole.and_then(|()| split(records.text()));
        let names = header.map(|header| {
            let names = header.iter().map(|name| String::from_utf8_lossy(name));
            names.map(|name| name.trim().to_owned()).collect::<Vec<_>>()
        });
        let Some(places) = layout.places(&names.unwrap_or_default()) else {
            let why = if records.text().contains(&b';') {
                "; its columns are separated by semicolons instead of commas"
            } else {
                ""
            };
            bail!("line {line}: the header must be {expect}{why}");
        };
        records.places = places;
        Ok(records)
    }

    pub fn next_record(&mut self) -> anyhow::Result<Option<Record>> {
        let Some((line, whole)) = self.next_text()? else {
            return Ok(None);
        };
        let fields = whole
            .and_then(|()| split(self.text()))
            .and_then(|record| self.fields(&record));
        Ok(Some(Record {
            line,
            end: self.input.end,
            fields,
        }))
    }

    /// The text without the byte order mark that some programs write.
    fn text(&self) -> &[u8] {
        without_mark(&self.buffer)
    }

    /// Returns the number of the next record's first line. An error if the record is too long, or a
    /// quote is not closed.
    fn next_text(&mut self) -> anyhow::Result<Option<(u64, Result<(), String>)>> {
        loop {
            self.buffer.clear();
            let mut quotes = Quotes::default();
            let first = self.input.number + 1;
            let whole = loop {
                let start = self.buffer.len();
                let line = self.input.number;
                let read = self.input.append_line(&mut self.buffer);
                let read =
                    read.with_context(|| format!("the input cannot be read beyond line {line}"))?;
                let line = self.buffer.get(start..).unwrap_or_default();
                let line = if start == 0 { without_mark(line) } else { line };
                quotes.read(line);
                if !quotes.are_open() {
                    break Ok(());
                }
                if !read || self.buffer.len() > MAX_RECORD_BYTES {
                    let last = self.input.number;
                    break Err(format!("has a quote that is not closed by line {last}"));
                }
            };
            let is_long = self.buffer.len() > MAX_RECORD_BYTES;
            let whole = match whole {
                Ok(()) if is_long => Err(format!("is longer than {MAX_RECORD_BYTES} bytes")),
                whole => whole,
            };
            if self.input.number < first {
                return Ok(None);
            }
            if !self.text().trim_ascii().is_empty() {
                return Ok(Some((first, whole)));
            }
        }
    }

    fn fields(&self, record: &ByteRecord) -> Result<Fields, String> {
        if record.len() != self.places.len() {
            let (found, expect) = (record.len(), self.places.len());
            let columns = if found == 1 { "column" } else { "columns" };
            return Err(format!("has {found} {columns} instead of {expect}"));
        }
        let mut fields = Fields::default();
        for (column, place) in record.iter().zip(&self.places) {
            let Some(place) = *place else { continue };
            let name = self.layout.columns.get(place).copied().unwrap_or_default();
            let text = std::str::from_utf8(column).map_err(|_| format!("{name} must be UTF-8"))?;
            if let Some(field) = fields.get_mut(place) {
                text.trim().clone_into(field);
            }
        }
        Ok(fields)
    }
}

fn split(text: &[u8]) -> Result<ByteRecord, String> {
    let mut record = ByteRecord::new();
    ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .buffer_capacity(text.len().max(1))
        .from_reader(text)
        .read_byte_record(&mut record)
        .map_err(|error| error.to_string())?;
    Ok(record)
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Quotes {
    #[default]
    Start,
    /// A quote has no meaning here.
    Plain,
    Open,
    /// After a quote within quotes: it closes them or escapes the next quote.
    Ended,
}

impl Quotes {
    fn read(&mut self, text: &[u8]) {
        for byte in text {
            *self = match (*self, byte) {
                (Self::Open, b'"') => Self::Ended,
                (Self::Start | Self::Ended, b'"') | (Self::Open, _) => Self::Open,
                (_, b',' | b'\n') => Self::Start,
                (_, _) => Self::Plain,
            };
        }
    }

    const fn are_open(self) -> bool {
        matches!(self, Self::Open)
    }
}

#[cfg(test)]
mod tests;
