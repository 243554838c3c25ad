//! Turns lines that look like list items into lists, and drops empty blocks.

use super::inline::{join, lines, trim};
use crate::document::{Block, Document, List, Span, plain};

pub(crate) fn tidy(document: &mut Document) {
    let blocks = std::mem::take(&mut document.blocks);
    document.blocks = tidy_blocks(blocks, false);
}

// Recursion is bounded by the depth that the builder allows.
fn tidy_blocks(blocks: Vec<Block>, in_list: bool) -> Vec<Block> {
    let mut out: Vec<Block> = Vec::new();
    // Whether the last block is a list made here, so that more lines may join it.
    let mut grown = false;
    // Whether the last block is made of lists of one item each.
    let mut parts = false;
    for block in blocks {
        grown &= matches!(block, Block::Paragraph(_));
        match block {
            Block::Paragraph(spans) => paragraph(&spans, &mut out, &mut grown, in_list),
            Block::List(list) => {
                if let Some(list) = tidy_list(list) {
                    parts = push_list(list, parts, &mut out);
                }
                continue;
            }
            Block::Quote(inner) => {
                let inner = tidy_blocks(inner, in_list);
                if !inner.is_empty() {
                    out.push(Block::Quote(inner));
                }
            }
            Block::Heading(level, mut spans) => {
                trim(&mut spans);
                if plain(&spans).chars().any(|c| !c.is_whitespace()) {
                    // A heading is bold already.
                    for span in &mut spans {
                        span.style.strong = in_list;
                    }
                    out.push(if in_list {
                        Block::Paragraph(spans)
                    } else {
                        Block::Heading(level, spans)
                    });
                }
            }
            Block::Rule => {
                if !matches!(out.last(), None | Some(Block::Rule)) {
                    out.push(Block::Rule);
                }
            }
            block @ (Block::Code(_) | Block::Table(_)) => out.push(block),
        }
        parts = false;
    }
    while matches!(out.last(), Some(Block::Rule)) {
        out.pop();
    }
    out
}

/// Adds a list, or appends it to the list before it, if that continues: consecutive numbers, or
/// lists of one item each, into which editors cut a list. `parts` says whether the last block is
/// made of such; returns whether it is now.
fn push_list(list: List, parts: bool, out: &mut Vec<Block>) -> bool {
    let is_part = list.start.is_none() && list.items.len() == 1;
    let goes_on = match list.start {
        Some(1) => false,
        Some(start) => continues(out, start),
        None => is_part && parts,
    };
    match out.last_mut() {
        Some(Block::List(before)) if goes_on => before.items.extend(list.items),
        _ => out.push(Block::List(list)),
    }
    is_part
}

fn tidy_list(list: List) -> Option<List> {
    let items: Vec<Vec<Block>> = list
        .items
        .into_iter()
        .map(|mut item| {
            // `<li>• text</li>`
            if let Some(Block::Paragraph(spans)) = item.first_mut()
                && !plain(spans).contains('\n')
                && let Some((Marker::Bullet, length)) = marker(&plain(spans))
            {
                cut(spans, length);
            }
            tidy_blocks(item, true)
        })
        .filter(|item| !item.is_empty())
        .collect();
    (!items.is_empty()).then_some(List {
        start: list.start,
        items,
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Marker {
    /// A character that is always a bullet.
    Bullet,
    /// A character that also starts dialogue or a calculation.
    Dash,
    Number(u32),
}

/// The list marker that starts a line, and its length in bytes with the space after it.
fn marker(line: &str) -> Option<(Marker, usize)> {
    let first = line.chars().next()?;
    let (marker, width) = match first {
        '•' | '·' | '▪' | '▫' | '●' | '○' | '◦' | '‣' | '⁃' | '∙' | '■' | '□' | '◆' | '➢' | '➤'
        | '➔' | '✓' | '✔' | '✅' | '\u{f0b7}' | '\u{f0a7}' => {
            (Marker::Bullet, first.len_utf8())
        }
        '-' | '*' | '–' | '—' | '‐' | '‑' => (Marker::Dash, first.len_utf8()),
        '1'..='9' => {
            let digits = line.bytes().take_while(u8::is_ascii_digit).count();
            let number = line.get(..digits).filter(|_| digits <= 2)?.parse().ok()?;
            if !line[digits..].starts_with(['.', ')']) {
                return None;
            }
            (Marker::Number(number), digits + 1)
        }
        _ => return None,
    };
    let rest = &line[width..];
    // A variation selector belongs to the character before it.
    let selector = if rest.starts_with('\u{fe0f}') { 3 } else { 0 };
    let rest = &rest[selector..];
    let space = rest.len() - rest.trim_start_matches(' ').len();
    let text = rest.trim_start().chars().next();
    let enough = text.is_some() && (space > 0 || marker == Marker::Bullet);
    enough.then_some((marker, width + selector + space))
}

fn paragraph(spans: &[Span], out: &mut Vec<Block>, grown: &mut bool, in_list: bool) {
    if !plain(spans).chars().any(|c| !c.is_whitespace()) {
        return;
    }
    let lines = lines(spans);
    let markers: Vec<_> = lines.iter().map(|line| marker(&plain(line))).collect();
    let mut pending: Vec<Vec<Span>> = Vec::new();
    for (index, mut line) in lines.into_iter().enumerate() {
        let neighbour = |at: Option<usize>| at.and_then(|at| markers.get(at).copied().flatten());
        let (before, after) = (neighbour(index.checked_sub(1)), neighbour(Some(index + 1)));
        let joins = *grown && pending.is_empty();
        let item = match markers[index] {
            Some((Marker::Bullet, cut)) => Some((None, cut)),
            // A single dash may mean anything, but not beside another one or among list items.
            Some((Marker::Dash, cut)) => {
                let dash = |m: Option<(Marker, usize)>| matches!(m, Some((Marker::Dash, _)));
                (joins
                    || dash(before)
                    || dash(after)
                    || index > 0
                    || (markers.len() == 1 && !in_list))
                    .then_some((None, cut))
            }
            Some((Marker::Number(number), cut)) => {
                let next = matches!(after, Some((Marker::Number(next), _)) if next == number + 1);
                let continues = joins && continues(out, number);
                (continues || (number == 1 && next)).then_some((Some(number), cut))
            }
            None => None,
        };
        match item {
            None => {
                pending.push(line);
                *grown = false;
            }
            Some((start, length)) => {
                flush(&mut pending, out);
                cut(&mut line, length);
                let item = vec![Block::Paragraph(line)];
                match out.last_mut() {
                    Some(Block::List(list)) if joins && list.start.is_some() == start.is_some() => {
                        list.items.push(item);
                    }
                    _ if start.is_some_and(|start| start > 1) => {
                        let items = vec![item];
                        push_list(List { start, items }, false, out);
                    }
                    _ => out.push(Block::List(List {
                        start,
                        items: vec![item],
                    })),
                }
                *grown = true;
            }
        }
    }
    if !pending.is_empty() {
        *grown = false;
    }
    flush(&mut pending, out);
}

fn flush(pending: &mut Vec<Vec<Span>>, out: &mut Vec<Block>) {
    if !pending.is_empty() {
        out.push(Block::Paragraph(join(std::mem::take(pending))));
    }
}

/// Whether the numbered list at the end of `out` continues with `number`.
fn continues(out: &[Block], number: u32) -> bool {
    match out.last() {
        Some(Block::List(list)) => list.start.is_some_and(|start| {
            usize::try_from(number - start.min(number)) == Ok(list.items.len())
        }),
        _ => false,
    }
}

/// Removes bytes from the start.
fn cut(spans: &mut Vec<Span>, mut bytes: usize) {
    for span in spans.iter_mut() {
        let here = bytes.min(span.text.len());
        span.text.drain(..here);
        bytes -= here;
    }
    trim(spans);
}
