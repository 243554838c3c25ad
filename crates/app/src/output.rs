//! Standard output and standard error of the commands.
//!
//! `println!` panics when the reader of a pipe is gone (`posthaste outbox list | head`). Here that
//! is an error, which [`is_reader_gone`] recognises and `main` treats as success.
//!
//! All output for people passes through [`crate::text`] here, so no command can forget it. JSON and
//! CSV for programs keep the stored values.

use std::{
    borrow::Cow,
    fmt::Display,
    io::{self, IsTerminal as _, Write as _},
};

use comfy_table::{Table, presets::NOTHING};
use serde::Serialize;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

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
pub fn complain(what: impl Display) {
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

/// An empty table with headings, in the style of every list.
pub fn table<const N: usize>(headings: [&str; N]) -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(headings);
    table
}

/// A time in RFC 3339, as all lists show it.
pub fn time(at: OffsetDateTime) -> String {
    at.format(&Rfc3339).unwrap_or_else(|_| at.to_string())
}

/// A time to the minute, for narrow lists.
pub fn minute(at: OffsetDateTime) -> String {
    let text = time(at);
    text.get(..16).unwrap_or(&text).replace('T', " ")
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
