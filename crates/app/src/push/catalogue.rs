//! Pushes a whole catalogue as one import.

use std::{env, fmt::Write as _, io, iter, path::Path, sync::atomic::Ordering};

use anyhow::{Context as _, bail};
use futures_util::stream;
use reqwest::{Body, Method};

use super::{
    chunk::too_long,
    counts::Counts,
    entry::write_line,
    options::ImportOptions,
    progress::Progress,
    receipts::{Answer, Missing},
    report::Report,
    sender::{BodyError, Delivery, Sender, Upload},
    source::{Input, Source},
};
use crate::{cli::PushArgs, input, text::quoted};

/// The bytes that are read ahead at once, and how often.
const BLOCK: usize = 256 << 10;
const READ_AHEAD: usize = 4;

/// Which catalogue it is.
pub struct Catalogue<'a> {
    pub name: &'a str,
    /// The share of missing postings in per cent up to which they expire.
    pub max_missing: Option<u8>,
}

/// Sends the catalogue until it has an answer.
pub async fn run(
    source: &Source,
    catalogue: &Catalogue<'_>,
    sender: &Sender,
    options: ImportOptions,
    report: &mut Report,
    progress: &Progress,
) -> anyhow::Result<()> {
    let percent = catalogue.max_missing.map(|percent| percent.to_string());
    let limit = percent
        .as_ref()
        .map(|percent| ("max_missing", percent.as_str()));
    let path = format!("api/job-board/catalogues/{}", catalogue.name);
    let upload = Upload {
        method: Method::PUT,
        path: options.path(&path, limit.as_slice()),
        is_strict: options.is_strict,
        is_dry_run: options.is_dry_run,
        length: None,
        body: || Ok(body(source.open()?, options.reopens, progress.clone())),
    };
    let mut done = Counts::default();
    let problem = match sender.deliver(&upload, &mut done).await? {
        Delivery::Complete {
            counts,
            missing,
            answer,
        } => {
            report.set_missing(missing);
            return take(report, source, options, &counts, *answer);
        }
        Delivery::TooLarge(message) => {
            format!("the catalogue is larger than the service takes: {message}")
        }
        Delivery::GivenUp { message, .. } => message,
    };
    // The others were sent in each attempt.
    report.count(&Counts {
        unchanged: 0,
        refused: 0,
        failed: 0,
        ..done
    });
    bail!(problem)
}

fn take(
    report: &mut Report,
    source: &Source,
    options: ImportOptions,
    counts: &Counts,
    answer: Answer,
) -> anyhow::Result<()> {
    let mut lines: Option<Lines> = None;
    report.add(counts, answer, |wanted| {
        let lines = match &mut lines {
            Some(lines) => lines,
            // Opened for the first line that was not taken, if there is any.
            none => none.insert(Lines::new(source.open()?, options.reopens)),
        };
        lines.find(wanted)
    })
}

/// A part of the body.
struct Block {
    /// Empty at the end of the body, and only there.
    text: Vec<u8>,
    /// How far the input was read.
    position: u64,
    /// The lines so far.
    lines: u64,
}

fn body(input: Input, reopens: bool, progress: Progress) -> Body {
    progress.start(input.length);
    let mut lines = Lines::new(input, reopens);
    let blocks = input::read_ahead(READ_AHEAD, move || {
        Ok(iter::repeat_with(move || {
            Ok(Block {
                text: lines.block()?,
                position: lines.input.position.load(Ordering::Relaxed),
                lines: lines.count,
            })
        }))
    });
    Body::wrap_stream(stream::unfold(
        (blocks, progress),
        async |(mut blocks, progress)| {
            // A reader that is gone without an end must not make the body look complete.
            let gone = || Err(BodyError("the input was not read to its end".to_owned()));
            let block: Result<Block, BodyError> = blocks.recv().await.unwrap_or_else(gone);
            let text = block.map(|block| {
                progress.sent(block.position, block.lines);
                block.text
            });
            if text.as_ref().is_ok_and(Vec::is_empty) {
                progress.await_answer();
                return None;
            }
            Some((text, (blocks, progress)))
        },
    ))
}

/// The lines of the body.
struct Lines {
    input: Input,
    reopens: bool,
    text: Vec<u8>,
    /// The number of the last line.
    number: u64,
    /// The lines that are not blank.
    count: u64,
}

impl Lines {
    fn new(input: Input, reopens: bool) -> Self {
        Self {
            input,
            reopens,
            text: Vec::new(),
            number: 0,
            count: 0,
        }
    }

    /// Appends the next line with its line break. Returns whether there was one.
    fn append(&mut self, body: &mut Vec<u8>) -> Result<bool, BodyError> {
        let read = self.input.items.read(&mut self.text);
        let item = read.map_err(|error| self.unreadable(&error))?;
        let Some(item) = item else { return Ok(false) };
        self.number = item.number;
        if item.is_cut {
            // Without it, its posting would be missing.
            let problem = too_long(item.number);
            return Err(BodyError(format!(
                "{problem}; the catalogue was not taken as complete"
            )));
        }
        self.count += u64::from(!self.text.is_empty());
        write_line(&self.text, self.reopens, body);
        body.push(b'\n');
        Ok(true)
    }

    fn unreadable(&self, error: &io::Error) -> BodyError {
        let last = self.number;
        BodyError(format!(
            "the input cannot be read beyond line {last}: {error}"
        ))
    }

    /// The next lines; none at the end.
    fn block(&mut self) -> Result<Vec<u8>, BodyError> {
        let mut block = Vec::with_capacity(BLOCK);
        while block.len() < BLOCK && self.append(&mut block)? {}
        Ok(block)
    }

    /// A line of the body by its number, which is larger than that of the last one.
    fn find(&mut self, number: u64) -> anyhow::Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        while self.number < number {
            line.clear();
            if !self
                .append(&mut line)
                .context("the rejects are not complete")?
            {
                return Ok(None);
            }
        }
        line.pop();
        Ok((self.number == number).then_some(line))
    }
}

/// What is said of the postings that a catalogue lacks, beside those that their lines expired.
pub fn missing(args: &PushArgs, missing: &Missing, by_lines: u64) -> String {
    let name = args.catalogue.as_deref().unwrap_or_default();
    let sentence = domain::import::Missing::from(*missing).sentence(by_lines, args.dry_run);
    let said = format!("Of the catalogue {name} {sentence}.");
    if !missing.held {
        return said;
    }
    let again = if args.file == Path::new("-") {
        "push the same input again with"
    } else {
        "run"
    };
    format!(
        "{said} If they are gone indeed, {again}\n  {}",
        overriding_command(args)
    )
}

/// The command that pushes the same again, whatever is missing. The secret is not repeated.
fn overriding_command(args: &PushArgs) -> String {
    let mut command = format!("posthaste push {}", quoted(&args.file.to_string_lossy()));
    let mut add = |option: &str, value: &str| {
        _ = write!(command, " --{option} {}", quoted(value));
    };
    add("url", args.url.as_str());
    add("client-id", &args.client_id);
    if let Some(name) = &args.catalogue {
        add("catalogue", name);
    }
    add("max-missing", "100");
    if let Some(rejects) = &args.rejects {
        add("rejects", &rejects.to_string_lossy());
    }
    let switches = [
        ("reopen", args.reopen),
        ("strict", args.strict),
        ("json", args.json.enabled),
    ];
    for (option, _) in switches.iter().filter(|(_, is_on)| *is_on) {
        _ = write!(command, " --{option}");
    }
    if env::var_os("POSTHASTE_CLIENT_SECRET").is_none() {
        command.push_str(" --client-secret …");
    }
    command
}
