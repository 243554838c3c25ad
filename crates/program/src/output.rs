//! Standard output and standard error of the commands.
//!
//! `println!` panics when the reader of a pipe is gone (`posthaste outbox list | head`). Here that
//! is an error, which [`is_reader_gone`] recognises and `main` treats as success.
//!
//! All output for people passes through [`crate::text`] here, so no command can forget it. JSON and
//! CSV for programs keep the stored values.

use std::{
    borrow::Cow,
    fmt::{Display, Write as _},
    io::{self, IsTerminal as _, Write as _},
};

use comfy_table::{Table, presets::NOTHING};
use serde::Serialize;
use time::{OffsetDateTime, UtcOffset, macros::format_description};

use crate::text;

/// Prints one or more lines.
pub fn print(text: impl Display) -> anyhow::Result<()> {
    write(text::lines(&format!("{text}\n")).as_bytes())
}

/// Prints lines for a program: unchanged to a pipe or file, made safe on a terminal.
pub fn print_lines(lines: &[u8]) -> anyhow::Result<()> {
    write(&for_reader(lines, io::stdout().is_terminal()))
}

/// Prints to standard error.
pub fn print_error(what: impl Display) {
    // A failure here cannot be reported anywhere.
    let _ = writeln!(io::stderr(), "{}", text::lines(&what.to_string()));
}

/// An error and its causes in one line, without repetitions.
pub fn in_one_line(error: &anyhow::Error) -> String {
    let mut line = String::new();
    for cause in error.chain() {
        let cause = cause
            .to_string()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        if line.is_empty() {
            line = cause;
        } else if !line.contains(&cause) {
            line = format!("{line}: {cause}");
        }
    }
    line
}

/// Prints a value as JSON that is readable, and safe on a terminal.
pub fn print_json(value: &impl Serialize) -> anyhow::Result<()> {
    print(json(value)?)
}

/// A value as JSON that is readable, and safe on a terminal.
pub fn json(value: &impl Serialize) -> serde_json::Result<String> {
    Ok(text::json(&serde_json::to_string_pretty(value)?))
}

fn write(bytes: &[u8]) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()?;
    Ok(())
}

fn for_reader(lines: &[u8], is_terminal: bool) -> Cow<'_, [u8]> {
    if is_terminal {
        let lines = String::from_utf8_lossy(lines);
        Cow::Owned(text::lines(&lines).into_bytes())
    } else {
        Cow::Borrowed(lines)
    }
}

/// A row of a list: fields as JSON, and cells of a table.
pub trait Row: Serialize {
    /// The headings of the columns, with two spaces between them.
    const HEADINGS: &'static str;

    /// The widths of the columns; without them, each is as wide as the first page needs.
    const WIDTHS: &'static [usize] = &[];

    /// The text of each column.
    fn cells(&self) -> Vec<String>;

    /// A line of its own below the row, for what may be long.
    fn below(&self) -> Option<String> {
        None
    }
}

/// A list that is printed page by page: a table, or a JSON array with an object a line.
pub struct List<P> {
    as_json: bool,
    print: P,
    widths: Vec<usize>,
    shown: usize,
}

impl<P: FnMut(String) -> anyhow::Result<()>> List<P> {
    /// A list whose lines are printed by this function.
    pub const fn new(as_json: bool, print: P) -> Self {
        Self {
            as_json,
            print,
            widths: Vec::new(),
            shown: 0,
        }
    }

    /// Prints a page of rows; before the first one the headings.
    pub fn page<R: Row>(&mut self, rows: &[R]) -> anyhow::Result<()> {
        if !self.as_json {
            return self.lines(rows);
        }
        for row in rows {
            let before = if self.shown == 0 { "[" } else { "," };
            (self.print)(before.to_owned() + &text::json(&serde_json::to_string(row)?))?;
            self.shown += 1;
        }
        Ok(())
    }

    fn lines<R: Row>(&mut self, rows: &[R]) -> anyhow::Result<()> {
        let cells: Vec<_> = rows.iter().map(Row::cells).collect();
        if self.widths.is_empty() {
            self.widths = match R::WIDTHS {
                [] => widths(R::HEADINGS, &cells),
                widths => widths.to_vec(),
            };
            if !R::HEADINGS.is_empty() {
                (self.print)(line(R::HEADINGS.split(GAP), &self.widths))?;
            }
        }
        for (row, cells) in rows.iter().zip(&cells) {
            (self.print)(line(cells.iter().map(String::as_str), &self.widths))?;
            if let Some(below) = row.below() {
                (self.print)(format!("    {}", text::plain(&below)))?;
            }
            self.shown += 1;
        }
        Ok(())
    }

    /// The number of rows so far.
    pub const fn shown(&self) -> usize {
        self.shown
    }

    /// Ends the list. Of a table, says that it has no rows, or that there are more.
    pub fn end(mut self, nothing: &str, more: Option<String>) -> anyhow::Result<()> {
        if self.as_json {
            return (self.print)(if self.shown == 0 { "[]" } else { "]" }.to_owned());
        }
        if self.shown == 0 && !nothing.is_empty() {
            (self.print)(nothing.to_owned())?;
        }
        more.map_or(Ok(()), self.print)
    }
}

/// Says that a list was cut at its limit.
pub fn more(has_more: bool) -> Option<String> {
    has_more.then(|| "and more; `--limit` takes a larger number of rows".to_owned())
}

/// What is between two columns.
const GAP: &str = "  ";

/// The cells in their columns; one that is too wide moves those behind it.
fn line<'a>(cells: impl Iterator<Item = &'a str>, widths: &[usize]) -> String {
    let cells = cells.zip(widths);
    let cells = cells.map(|(cell, width)| format!("{:<width$}", text::plain(cell)));
    cells.collect::<Vec<_>>().join(GAP).trim_end().to_owned()
}

/// The widths that columns need.
fn widths(headings: &str, rows: &[Vec<String>]) -> Vec<usize> {
    let width = |(place, heading): (usize, &str)| {
        let cells = rows.iter().filter_map(|row| row.get(place));
        let widest = cells.map(|cell| cell.chars().count()).max().unwrap_or(0);
        widest.max(heading.chars().count())
    };
    headings.split(GAP).enumerate().map(width).collect()
}

/// Rows below headings, which have two spaces between them, as lines.
pub fn columns(headings: &str, rows: &[Vec<String>]) -> String {
    let widths = widths(headings, rows);
    let rows = rows.iter();
    let rows = rows.map(|row| line(row.iter().map(String::as_str), &widths));
    let headings = line(headings.split(GAP), &widths);
    [headings]
        .into_iter()
        .chain(rows)
        .collect::<Vec<_>>()
        .join("\n")
}

/// Lines of a name and a value each, which show one thing in detail.
#[derive(Debug, Default)]
pub struct Fields(String);

impl Fields {
    /// Adds a line, if there is a value.
    pub fn add(&mut self, name: &str, value: impl Into<Option<String>>) -> &mut Self {
        if let Some(value) = value.into() {
            // Writing to a string cannot fail.
            _ = writeln!(self.0, "{name:<17} {}", text::plain(&value));
        }
        self
    }

    /// The lines.
    pub fn text(self) -> String {
        self.0.trim_end().to_owned()
    }
}

/// An empty table with headings, in the style of every list.
pub fn table<const N: usize>(headings: [&str; N]) -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(headings);
    table
}

/// A time in RFC 3339 with microseconds, so that all have one width, as all lists show it.
pub fn time(at: OffsetDateTime) -> String {
    let format =
        format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:6]Z");
    let at = at.to_offset(UtcOffset::UTC);
    at.format(format).unwrap_or_else(|_| at.to_string())
}

/// A time to the minute, for narrow lists.
pub fn minute(at: OffsetDateTime) -> String {
    to_the_minute(&time(at))
}

/// A time in RFC 3339 to the minute.
pub fn to_the_minute(time: &str) -> String {
    time.get(..16).unwrap_or(time).replace('T', " ")
}

/// Whether an error is caused by the closed reader of standard output.
pub fn is_reader_gone(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(is_broken_pipe)
}

fn is_broken_pipe(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_reads_what_was_stored_and_a_terminal_shows_it() {
        let stored = "a@example.com,A\u{1b}[2J\u{202e}da\r\n".as_bytes();
        assert_eq!(for_reader(stored, false), stored);
        let shown = for_reader(stored, true);
        let expected = "a@example.com,A\u{FFFD}[2J\u{FFFD}da\n";
        assert_eq!(shown, expected.as_bytes());
    }
}
