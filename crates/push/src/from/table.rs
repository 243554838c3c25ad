//! CSV: each row is an object with the names of the header. Empty cells are left out.

use std::io::Read;

use anyhow::ensure;
use csv::{ByteRecord, ReaderBuilder, Trim};
use jaq_json::{Map, Val};

use super::document::{Document, Each};

/// The most frequent delimiter in the first line.
pub fn delimiter(start: &[u8]) -> u8 {
    let line = start
        .split(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    let count = |delimiter: &u8| line.split(|byte| byte == delimiter).count();
    // Of equal counts `max_by_key` returns the last, so the preferred delimiter comes last.
    *b"|\t;,".iter().max_by_key(|it| count(it)).unwrap_or(&b',')
}

pub fn read(input: impl Read, delimiter: u8, each: Each<'_>) -> anyhow::Result<()> {
    let mut rows = ReaderBuilder::new()
        .delimiter(delimiter)
        .flexible(true)
        .trim(Trim::All)
        .from_reader(input);
    let names = rows.headers()?.clone();
    let names: Vec<_> = names.iter().map(str::to_owned).collect();
    ensure!(
        names.len() > 1,
        "it is neither JSON, XML nor HTML, and its first line is not the header of CSV"
    );
    let mut row = ByteRecord::new();
    while rows.read_byte_record(&mut row)? {
        let line = row.position().map(csv::Position::line);
        let value = object(&names, &row);
        each(Document { line, value })?;
    }
    Ok(())
}

fn object(names: &[String], row: &ByteRecord) -> Result<Val, String> {
    if row.len() > names.len() {
        let (cells, names) = (row.len(), names.len());
        return Err(format!("the row has {cells} cells, and the header {names}"));
    }
    let mut object = Map::default();
    for (name, cell) in names.iter().zip(row) {
        let Ok(cell) = str::from_utf8(cell) else {
            return Err(format!(
                "the cell of {name} is not UTF-8; save the file as UTF-8"
            ));
        };
        if !cell.is_empty() && !name.is_empty() {
            object.insert(name.clone().into(), cell.to_owned().into());
        }
    }
    Ok(Val::obj(object))
}
