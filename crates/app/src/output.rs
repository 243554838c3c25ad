//! What commands print on standard output.
//!
//! `println!` panics when the reader went away (`posthaste outbox list | head`). Here that is an
//! error like any other, which [`is_reader_gone`] recognises and `main` takes for success.

use std::{
    fmt::Display,
    io::{self, Write as _},
};

use comfy_table::{Table, presets::NOTHING};
use serde::Serialize;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

/// Prints a line, or several.
pub fn print(text: impl Display) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{text}")?;
    out.flush()?;
    Ok(())
}

/// Prints bytes as they are.
pub fn print_bytes(bytes: &[u8]) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()?;
    Ok(())
}

/// Says something on standard error.
pub fn complain(what: impl Display) {
    // There is nobody left to tell if this fails.
    let _ = writeln!(io::stderr(), "{what}");
}

/// Prints a value as JSON for people and programs.
pub fn print_json(value: &impl Serialize) -> anyhow::Result<()> {
    print(serde_json::to_string_pretty(value)?)
}

/// An empty table with these headings, in the style of every list.
pub fn table<const N: usize>(headings: [&str; N]) -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(headings);
    table
}

/// A time as every list shows it.
pub fn time(at: OffsetDateTime) -> String {
    at.format(&Rfc3339).unwrap_or_else(|_| at.to_string())
}

/// A time to the minute, for lists that are short of room.
pub fn minute(at: OffsetDateTime) -> String {
    let text = time(at);
    text.get(..16).unwrap_or(&text).replace('T', " ")
}

/// Whether an error says that nobody reads standard output any more.
pub fn is_reader_gone(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(is_broken_pipe)
}

fn is_broken_pipe(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}
