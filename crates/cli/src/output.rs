//! Standard output and standard error of the commands.
//!
//! `println!` panics when the reader of a pipe is gone (`posthaste outbox list | head`). Here that
//! is an error, see [`is_reader_gone`]. All output for people passes through [`crate::text`]. JSON
//! and CSV keep the stored values.

use std::{
    borrow::Cow,
    fmt::{Display, Write as _},
    io::{self, IsTerminal as _, Write as _},
    slice,
};

use kernel::words;
use serde::Serialize;
use serde_json::Value;
use time::{OffsetDateTime, UtcOffset, macros::format_description};

use crate::text;

pub fn print(text: impl Display) -> anyhow::Result<()> {
    write(text::lines(&format!("{text}\n")).as_bytes())
}

/// Prints lines for a program: unchanged to a pipe or file, made safe on a terminal.
pub fn print_lines(lines: &[u8]) -> anyhow::Result<()> {
    write(&for_reader(lines, io::stdout().is_terminal()))
}

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

pub fn print_json(value: &impl Serialize) -> anyhow::Result<()> {
    print(json(value)?)
}

/// JSON that is readable, and safe on a terminal.
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

/// Prints records page by page: as a table, or as a JSON array with one object per line.
///
/// Each column is `HEADING=key`. The key is a member of the record's JSON, or a path to a member
/// (`last_import/lines`). Of `key|other`, the first key with a value is shown. `key?` may be absent
/// from all records. A column is as wide as the first page needs, or `:20` characters. `:..80` cuts
/// the line at character 80; `:below` puts a long value on its own line. `(UTC)` in the heading
/// shows times to the minute.
pub struct List<P> {
    as_json: bool,
    columns: Vec<Column>,
    print: P,
    widths: Vec<usize>,
    shown: usize,
}

impl<P: FnMut(String) -> anyhow::Result<()>> List<P> {
    pub fn new(as_json: bool, columns: &'static str, print: P) -> Self {
        Self {
            as_json,
            columns: columns.split(GAP).map(Column::of).collect(),
            print,
            widths: Vec::new(),
            shown: 0,
        }
    }

    /// Prints a page, and the headings before the first page.
    pub fn page(&mut self, records: &[impl Serialize]) -> anyhow::Result<()> {
        if !self.as_json {
            return self.lines(records);
        }
        for record in records {
            let before = if self.shown == 0 { "[" } else { "," };
            (self.print)(before.to_owned() + &text::json(&serde_json::to_string(record)?))?;
            self.shown += 1;
        }
        Ok(())
    }

    fn lines(&mut self, records: &[impl Serialize]) -> anyhow::Result<()> {
        let records = records.iter().map(serde_json::to_value);
        let records = records.collect::<Result<Vec<_>, _>>()?;
        for column in &self.columns {
            check(&records, column.keys)?;
        }
        if self.widths.is_empty() {
            let width = |column: &Column| column.width(&records);
            self.widths = self.columns.iter().map(width).collect();
            let headings = self.line(|column| Some(column.heading.into()));
            if !headings.is_empty() {
                (self.print)(headings)?;
            }
        }
        for record in &records {
            let line = self.line(|column| column.cell(record));
            (self.print)(line)?;
            let mut below = self.columns.iter().filter(|it| it.place == Place::Below);
            if let Some(below) = below.find_map(|column| column.cell(record)) {
                (self.print)(format!("    {}", text::plain(&below)))?;
            }
            self.shown += 1;
        }
        Ok(())
    }

    fn line<'a>(&self, cell: impl Fn(&Column) -> Option<Cow<'a, str>>) -> String {
        let mut line = String::new();
        for (column, width) in self.columns.iter().zip(&self.widths) {
            let mut text = text::plain(&cell(column).unwrap_or_default());
            match column.place {
                Place::Below => continue,
                Place::Until(end) => {
                    let room = end.saturating_sub(line.chars().count());
                    text = text::shorten(&text, room.max(LEAST_ROOM));
                }
                Place::Of(_) => {}
            }
            _ = write!(line, "{text:<width$}{GAP}");
        }
        line.trim_end().to_owned()
    }

    pub const fn shown(&self) -> usize {
        self.shown
    }

    /// Prints `nothing` for an empty table, and `more`. For JSON, `more` goes to standard error.
    pub fn end(mut self, nothing: &str, more: Option<String>) -> anyhow::Result<()> {
        if self.as_json {
            more.into_iter().for_each(print_error);
            return (self.print)(if self.shown == 0 { "[]" } else { "]" }.to_owned());
        }
        if self.shown == 0 && !nothing.is_empty() {
            (self.print)(nothing.to_owned())?;
        }
        more.map_or(Ok(()), self.print)
    }
}

pub fn table(columns: &'static str, records: &[impl Serialize]) -> anyhow::Result<String> {
    let mut lines = Vec::new();
    let mut list = List::new(false, columns, |line| {
        lines.push(line);
        Ok(())
    });
    list.page(records)?;
    Ok(lines.join("\n"))
}

struct Column {
    heading: &'static str,
    keys: &'static str,
    place: Place,
}

#[derive(PartialEq, Eq)]
enum Place {
    Of(Option<usize>),
    /// The line is cut at this width.
    Until(usize),
    /// A long value has its own line.
    Below,
}

/// The smallest width of a cell that is cut.
const LEAST_ROOM: usize = 16;

impl Column {
    fn of(column: &'static str) -> Self {
        let (heading, keys) = column.split_once('=').unwrap_or((column, column));
        let (keys, place) = keys.split_once(':').unwrap_or((keys, ""));
        let place = match place.strip_prefix("..") {
            Some(end) => Place::Until(end.parse().unwrap_or(usize::MAX)),
            None if place == "below" => Place::Below,
            None => Place::Of(place.parse().ok()),
        };
        Self {
            heading,
            keys,
            place,
        }
    }

    fn cell<'a>(&self, record: &'a Value) -> Option<Cow<'a, str>> {
        let words = words::value(value(record, self.keys)?);
        Some(match words {
            Cow::Borrowed(time) if self.heading.contains("(UTC)") => to_the_minute(time).into(),
            words => words,
        })
    }

    fn width(&self, records: &[Value]) -> usize {
        let Place::Of(width) = self.place else {
            return 0;
        };
        width.unwrap_or_else(|| {
            let cells = records.iter().filter_map(|record| self.cell(record));
            let widest = cells.map(|cell| cell.chars().count()).max().unwrap_or(0);
            widest.max(self.heading.chars().count())
        })
    }
}

/// The value of the first key that has one.
fn value<'a>(record: &'a Value, keys: &str) -> Option<&'a Value> {
    let is_something = |value: &&Value| match value {
        Value::Null => false,
        Value::Array(values) => !values.is_empty(),
        _ => true,
    };
    let find = |key: &str| {
        let pointer = format!("/{}", key.replace('?', ""));
        record.pointer(&pointer).filter(is_something)
    };
    keys.split('|').find_map(find)
}

/// Fails if no record has any of these keys: the column would always be blank.
fn check(records: &[Value], keys: &str) -> anyhow::Result<()> {
    let has = |record: &Value, key: &str| {
        let mut steps = key.split('/');
        let end = steps.try_fold(record, |value, step| {
            let name = step.trim_end_matches('?');
            let item = || value.get(name.parse::<usize>().ok()?);
            match value.get(name).or_else(item) {
                Some(value) if !value.is_null() => Ok(value),
                found => Err(found.is_some() || name != step),
            }
        });
        end.map_or_else(|is_null| is_null, |_| true)
    };
    let mut records = records.iter().peekable();
    let is_known = records.peek().is_none()
        || records.any(|record| keys.split('|').any(|key| has(record, key)));
    anyhow::ensure!(is_known, "no record has the key {keys}");
    Ok(())
}

pub fn more(has_more: bool) -> Option<String> {
    has_more.then(|| "and more; `--limit` takes a larger number of rows".to_owned())
}

const GAP: &str = "  ";

/// Returns a line for each key with a value. `key=never` shows `never` if there is no value.
pub fn record(record: &impl Serialize, keys: &str) -> anyhow::Result<String> {
    let record = serde_json::to_value(record)?;
    let mut lines = Vec::new();
    for key in keys.split(GAP) {
        let (key, none) = key.split_once('=').unwrap_or((key, ""));
        check(slice::from_ref(&record), key)?;
        let none = (!none.is_empty()).then(|| none.to_owned());
        let words = value(&record, key).map(|value| words::value(value).into_owned());
        if let Some(words) = words.or(none) {
            let label = key.split('|').next().unwrap_or(key);
            let label = label.replace('/', " ").replace('?', "");
            lines.push(format!("{label:<24} {}", text::plain(&words)));
        }
    }
    Ok(lines.join("\n"))
}

/// A time in RFC 3339 with microseconds, so that all times are equally wide.
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

fn to_the_minute(time: &str) -> String {
    time.get(..16).unwrap_or(time).replace('T', " ")
}

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
    use serde_json::json;

    use super::*;

    #[test]
    fn a_program_reads_what_was_stored_and_a_terminal_shows_it() {
        let stored = "a@example.com,A\u{1b}[2J\u{202e}da\r\n".as_bytes();
        assert_eq!(for_reader(stored, false), stored);
        let shown = for_reader(stored, true);
        let expected = "a@example.com,A\u{FFFD}[2J\u{FFFD}da\n";
        assert_eq!(shown, expected.as_bytes());
    }

    #[test]
    fn a_record_is_a_line_of_a_table_or_lines_of_its_own() {
        let columns = "AT (UTC)=at  ID=id:4  WHO=email|name  TITLE=title:..60  =of/error:below";
        let long = json!({"id": "x".repeat(60), "title": "A title that is rather long"});
        let records = [
            json!({"at": "2026-03-01T12:00:00Z", "id": 7, "name": "Ada", "title": "Baker\u{1b}[2J",
                "email": null, "nobody": null, "of": {"error": "no\nluck"}}),
            json!({"at": null, "email": ["a@b.example"], "name": "Ada", "title": "A title to cut"}),
            long.clone(),
        ];
        let line = format!("{:18}{}  {:13}A title that is…", "", "x".repeat(60), "");
        let expect = [
            "AT (UTC)          ID    WHO          TITLE",
            "2026-03-01 12:00  7     Ada          Baker\u{FFFD}[2J",
            "    no luck",
            "                        a@b.example  A title to cut",
            &line,
        ];
        assert_eq!(table(columns, &records).unwrap(), expect.join("\n"));
        let lines = record(&records[0], "id  at  email  of/error=never  nobody=never").unwrap();
        let expect = "id                       7\nat                       2026-03-01T12:00:00Z\n\
                      of error                 no luck\nnobody                   never";
        assert_eq!(lines, expect);
        assert!(table("WHO=nmae", &records).is_err());
        assert!(record(&records[0], "id  of/eror").is_err());
        assert!(record(&json!({"of": null}), "of/error  other?/key").is_ok());
        assert!(table("WHO=nmae", &[(); 0]).is_ok());
    }
}
