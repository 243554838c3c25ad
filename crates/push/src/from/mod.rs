//! `--from`: converts the items of a source to lines.
//!
//! [`format`] parses JSON, XML, CSV, or the JSON-LD of HTML pages. A [`program`] in the jq language
//! (a preset or the user's own) finds the items and creates the lines. A failed item becomes a line
//! without an identifier. The service refuses and counts it, so a catalogue does not expire the
//! postings that the item may have contained.

mod document;
mod format;
mod html;
mod preset;
mod program;
mod settings;
mod table;
mod xml;

use std::{
    collections::HashSet,
    io::{BufWriter, IntoInnerError, Write as _},
    ops::ControlFlow,
    path::Path,
    rc::Rc,
};

use anyhow::Context as _;
use cli::{
    misconfigured::Misconfigured,
    text::{plain, shorten},
};
use jaq_json::Val;
use serde_json::json;

use self::{document::Document, program::Program, settings::Settings};
pub use self::{
    preset::{PRESETS, Preset},
    program::PRELUDE,
    settings::Setting,
};
use crate::{source::Source, spool::Spool};

/// The number of failures that are described. Others are only counted.
const DESCRIBED: usize = 20;
/// The length in characters of a shown item, and of its error.
const SHOWN: usize = 80;
const REASON: usize = 200;

pub struct Conversion {
    program: Program,
    settings: Settings,
}

#[derive(Debug)]
pub struct Converted {
    pub source: Source,
    pub items: u64,
    pub lines: u64,
    pub failed: u64,
    /// The first failures: the place, the beginning of the item, and the error.
    pub failures: Vec<String>,
    /// The number of lines with the identifier of an earlier line.
    pub repeated: u64,
}

impl Converted {
    pub fn each_line(
        &self,
        mut each: impl FnMut(&[u8]) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let mut ended = Ok(());
        self.source.read(|line| {
            ended = each(&[line.text, b"\n"].concat());
            match ended {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        })?;
        ended
    }
}

impl Conversion {
    pub fn new(from: &str, settings: &[Setting]) -> anyhow::Result<Self> {
        let program = match Preset::find(from) {
            Some(preset) => Program::new(from, preset.program)?,
            None if Path::new(from).is_file() => {
                let text = std::fs::read_to_string(from);
                Program::new(
                    from,
                    &text.with_context(|| format!("{from} cannot be read"))?,
                )?
            }
            None => {
                let names: Vec<_> = PRESETS.iter().map(|preset| preset.name).collect();
                let names = names.join(", ");
                return Err(Misconfigured(format!(
                    "--from: {from:?} is neither a file nor one of the presets {names}"
                ))
                .into());
            }
        };
        let settings = Settings::new(settings);
        Ok(Self { program, settings })
    }

    /// Converts a file, or standard input for `-`, into a temporary file.
    pub fn convert(&self, path: &Path) -> anyhow::Result<Converted> {
        let source = Source::find(path)?;
        let file = tempfile::tempfile().context("there is no temporary file for the lines")?;
        let mut work = Work {
            conversion: self,
            lines: BufWriter::new(file),
            length: 0,
            ids: HashSet::new(),
            converted: Converted {
                source: source.clone(),
                items: 0,
                lines: 0,
                failed: 0,
                failures: Vec::new(),
                repeated: 0,
            },
        };
        let input = source.unpack(Rc::default())?;
        let read = format::read(input, &mut |document| work.add(document));
        read.with_context(|| {
            let (name, items) = (source.name(), work.converted.items);
            format!("{name} cannot be read beyond item {items}; nothing was pushed")
        })?;
        let mut converted = work.converted;
        let file = work
            .lines
            .into_inner()
            .map_err(IntoInnerError::into_error)?;
        converted.source = source.with_lines(Spool::complete(file, work.length));
        Ok(converted)
    }
}

struct Work<'a> {
    conversion: &'a Conversion,
    lines: BufWriter<std::fs::File>,
    length: u64,
    ids: HashSet<String>,
    converted: Converted,
}

impl Work<'_> {
    fn add(&mut self, document: Document) -> anyhow::Result<()> {
        let Document { line, value } = document;
        let value = match value {
            Ok(value) => value,
            Err(reason) => {
                self.converted.items += 1;
                return self.fail(line, None, &reason);
            }
        };
        for item in self.conversion.program.items(value) {
            self.converted.items += 1;
            let item = item.map_err(|reason| {
                let reason = shorten(&plain(&reason), REASON);
                anyhow::anyhow!("the items cannot be found: {reason}; is --from the right format?")
            })?;
            self.convert(line, &item)?;
        }
        Ok(())
    }

    fn convert(&mut self, line: Option<u64>, item: &Val) -> anyhow::Result<()> {
        let mut is_empty = true;
        for output in self.conversion.program.lines(item.clone()) {
            is_empty = false;
            let posting = output.and_then(|output| self.conversion.settings.apply(&output));
            match posting {
                Ok((id, text)) => {
                    self.converted.repeated += u64::from(!self.ids.insert(id));
                    self.write(&text)?;
                }
                Err(reason) => return self.fail(line, Some(item), &reason),
            }
        }
        if is_empty {
            return self.fail(line, Some(item), "the program yields nothing for it");
        }
        Ok(())
    }

    fn fail(&mut self, line: Option<u64>, item: Option<&Val>, reason: &str) -> anyhow::Result<()> {
        let Converted {
            items, failures, ..
        } = &mut self.converted;
        let place = line.map_or_else(String::new, |line| format!(", line {line}"));
        let reason = shorten(&plain(reason), REASON);
        let item = item.map_or_else(String::new, |item| {
            format!("\n  {}", shorten(&plain(&item.to_string()), SHOWN))
        });
        let failure = format!("item {items}{place}: {reason}{item}");
        // The identifier is unknown, so the line has none.
        let stub = json!({"id": null, "payload": {"error": failure}}).to_string();
        if failures.len() < DESCRIBED {
            failures.push(failure);
        }
        self.converted.failed += 1;
        self.write(&stub)
    }

    fn write(&mut self, line: &str) -> anyhow::Result<()> {
        let written = writeln!(self.lines, "{line}");
        written.context("the lines cannot be kept in a temporary file")?;
        self.length += line.len() as u64 + 1;
        self.converted.lines += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
