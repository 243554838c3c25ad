//! The body of an import: the lines of a source, a few blocks ahead of what is sent.

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
/// How many blocks are read ahead.
const READ_AHEAD: usize = 4;
/// How long a block is awaited while the input gives none. The service takes a body on which
/// nothing arrives for 30 seconds for one that broke off.
const PATIENCE: Duration = Duration::from_secs(10);

/// The reason why a body ended early, so that the service does not take it for complete.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(pub String);

/// Whole lines of the body; none at its end, and only there.
#[derive(Debug, Default)]
struct Block {
    text: Vec<u8>,
    /// How far the input was read.
    position: u64,
    /// The lines so far that are not blank.
    lines: u64,
}

/// The body with the lines of a source. Of those that are not blank the first `taken` are left out:
/// in their place are blank ones, so that all others keep their numbers. A catalogue ends with a
/// line that says how many there were, unless the source has one.
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
                // A reader that is gone without an end must not make the body look complete.
                Ok(None) => Err(Unreadable("the input was not read to its end".to_owned())),
                // White space before the next line.
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

/// Reads the source until its end, or until no more is wanted.
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
