//! The body of an import: the lines of a source, read a few blocks ahead.

use std::{mem, ops::ControlFlow, time::Duration};

use futures_util::stream;
use reqwest::Body;
use tokio::{sync::mpsc, task, time::timeout};

use crate::{
    entry::{is_end, write_line},
    import::Options,
    progress::Progress,
    source::Source,
};

const BLOCK: usize = 128 << 10;
const READ_AHEAD: usize = 4;
/// How long the body waits for the next block. The service's limit is 30 seconds.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why a body ended early. As the body's error, it keeps the service from taking the body as
/// complete.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(pub String);

/// Whole lines of the body. Only the last block is empty.
#[derive(Debug, Default)]
struct Block {
    text: Vec<u8>,
    position: u64,
    lines: u64,
}

/// Replaces the first `taken` lines that are not blank by blank lines, so that other lines keep
/// their numbers. A catalogue ends with a line that states the number of lines, unless the source
/// has such a line.
pub fn body(source: Source, options: &Options, taken: u64, progress: Progress) -> Body {
    let (sender, blocks) = mpsc::channel(READ_AHEAD);
    let (reopens, has_end) = (options.reopen, options.catalogue.is_some());
    task::spawn_blocking(move || feed(&source, reopens, has_end, taken, &sender));
    Body::wrap_stream(stream::unfold(
        (blocks, progress),
        async |(mut blocks, progress)| {
            progress.await_input();
            let block = match timeout(PATIENCE, blocks.recv()).await {
                Ok(Some(block)) => block,
                // A reader that disappears must not make the body look complete.
                Ok(None) => Err(Unreadable("the input was not read to its end".to_owned())),
                // A space before the next line keeps the import alive.
                Err(_) => return Some((Ok(b" ".to_vec()), (blocks, progress))),
            };
            let text = block.map(|block| {
                progress.send(block.position, block.lines);
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

/// Reads the source until its end, or until the receiver is gone.
fn feed(
    source: &Source,
    reopens: bool,
    mut has_end: bool,
    taken: u64,
    sender: &mpsc::Sender<Result<Block, Unreadable>>,
) {
    let mut block = Block::default();
    let mut is_wanted = true;
    let mut send = |block: &mut Block| {
        let text = mem::take(&mut block.text);
        is_wanted = sender.blocking_send(Ok(Block { text, ..*block })).is_ok();
        if is_wanted {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    };
    let read = source.read(|line| {
        if !line.text.is_empty() {
            if is_end(line.text) {
                has_end = false;
            }
            block.lines += 1;
            if block.lines > taken {
                write_line(line.text, reopens, &mut block.text);
            }
        }
        block.text.push(b'\n');
        block.position = line.position;
        if block.text.len() < BLOCK {
            return ControlFlow::Continue(());
        }
        send(&mut block)
    });
    if has_end && read.is_ok() {
        let end = format!("{{\"end\":{{\"lines\":{}}}}}\n", block.lines);
        block.text.extend(end.as_bytes());
    }
    if !block.text.is_empty() {
        _ = send(&mut block);
    }
    let end = read.map_err(|error| Unreadable(format!("{error:#}")));
    if is_wanted {
        _ = sender.blocking_send(end.map(|()| block));
    }
}
