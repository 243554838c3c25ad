//! Pushes lines as a sequence of imports.

use std::{io, time::Instant};

use anyhow::{Context as _, bail};
use futures_util::stream;
use reqwest::{Body, Method, StatusCode};
use tokio::sync::mpsc;

use super::{
    chunk::{Chunk, Pace, too_long},
    counts::Counts,
    options::ImportOptions,
    progress::Progress,
    receipts::{Answer, Receipt},
    report::Report,
    sender::{BodyError, Delivery, Sender, Upload},
};

const PATH: &str = "api/job-board/imports";

/// Sends chunks up to `None` one after the other, so that lines of one identifier stay in order.
/// After an error no more are sent.
pub async fn run(
    mut chunks: mpsc::Receiver<io::Result<Option<Chunk>>>,
    pace: &Pace,
    sender: &Sender,
    options: ImportOptions,
    report: &mut Report,
    progress: &Progress,
) -> anyhow::Result<()> {
    let path = options.path(PATH, &[]);
    let mut last = 0;
    loop {
        progress.read();
        let chunk = chunks
            .recv()
            .await
            .context("the input was not read to its end")?;
        let chunk =
            chunk.with_context(|| format!("the input cannot be read beyond line {last}"))?;
        let Some(chunk) = chunk else {
            return Ok(());
        };
        last = chunk.last();
        for number in &chunk.unsendable {
            report.refuse(b"", None, &too_long(*number))?;
        }
        let mut done = Counts::default();
        let mut parts = vec![chunk];
        while let Some(chunk) = parts.pop() {
            let count = chunk.lines().count();
            if count == 0 {
                continue;
            }
            let upload = upload(&chunk, &path, options, progress);
            let started = Instant::now();
            match sender.deliver(&upload, &mut done).await? {
                Delivery::Complete { counts, answer, .. } => {
                    pace.taken(count, started.elapsed());
                    take(report, &chunk, &counts, *answer)?;
                }
                Delivery::TooLarge(message) => {
                    if let Some((one, other)) = chunk.split() {
                        pace.too_large(chunk.body().len());
                        parts.extend([other, one]);
                        continue;
                    }
                    for (_, _, line) in chunk.lines() {
                        report.refuse(line, Some(413), &message)?;
                    }
                }
                Delivery::GivenUp { status, message } => {
                    let lines = chunk.lines().map(|(_, _, line)| line);
                    report.give_up(lines, status.map(|status| status.as_u16()), &message)?;
                    // A service that fails on these lines may be able to take others.
                    if status != Some(StatusCode::INTERNAL_SERVER_ERROR) {
                        bail!("the service does not answer any more: {message}");
                    }
                }
            }
        }
        progress.count(report.counts());
    }
}

/// Sends a few lines, and returns the receipt of each.
pub async fn receipts(
    sender: &Sender,
    chunk: &Chunk,
    progress: &Progress,
) -> anyhow::Result<Vec<Receipt>> {
    let path = format!("{PATH}?receipts=all");
    let upload = upload(chunk, &path, ImportOptions::default(), progress);
    match sender.deliver(&upload, &mut Counts::default()).await? {
        Delivery::Complete { answer, .. } => answer.receipts()?.collect(),
        Delivery::TooLarge(message) | Delivery::GivenUp { message, .. } => bail!(message),
    }
}

fn upload(
    chunk: &Chunk,
    path: &str,
    options: ImportOptions,
    progress: &Progress,
) -> Upload<impl Fn() -> anyhow::Result<Body>> {
    Upload {
        method: Method::POST,
        path: path.to_owned(),
        is_strict: options.is_strict,
        is_dry_run: options.is_dry_run,
        length: Some(chunk.body().len()),
        body: || Ok(body(chunk.clone(), progress.clone())),
    }
}

fn body(chunk: Chunk, progress: Progress) -> Body {
    let mut sent = 0;
    let pieces = std::iter::from_fn(move || {
        let piece = chunk.piece(sent).to_vec();
        sent += piece.len();
        progress.sent(chunk.position(sent), 0);
        if sent == chunk.body().len() {
            progress.await_answer();
        }
        (!piece.is_empty()).then_some(Ok::<_, BodyError>(piece))
    });
    Body::wrap_stream(stream::iter(pieces))
}

fn take(report: &mut Report, chunk: &Chunk, counts: &Counts, answer: Answer) -> anyhow::Result<()> {
    let mut lines = chunk.lines();
    report.add(counts, answer, |wanted| {
        let found = lines.find(|(line, ..)| *line >= wanted);
        let found = found.filter(|(line, ..)| *line == wanted);
        Ok(found.map(|(_, _, text)| text.to_vec()))
    })
}
