//! Turns lines that look like list items into lists, and drops empty blocks.

use super::inline::{join, lines, trim};
use crate::{
    document::{Block, Document, List, Span, plain},
    pattern::patterns,
};

patterns! {
    /// A number, and a word that does not begin in lower case.
    NUMBERED = r"(?:^|\s)(\d{1,2})[.)]\s+([\p{Lu}\p{Lo}]\w*)";
}

pub(crate) fn tidy(document: &mut Document) {
    let blocks = std::mem::take(&mut document.blocks);
    document.blocks = tidy_blocks(blocks, false);
}

fn tidy_blocks(blocks: Vec<Block>, in_list: bool) -> Vec<Block> {
    let mut out: Vec<Block> = Vec::new();
    // Whether the last block is a list created here, to which later lines may be added.
    let mut grown = false;
    // Whether the last block is a list that came with one item. Editors cut lists into such lists.
    let mut parts = false;
    for block in blocks {
        grown &= matches!(block, Block::Paragraph(_));
        match block {
            Block::Paragraph(spans) => paragraph(spans, &mut out, &mut grown, in_list),
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
                if has_text(&spans) {
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
    if in_list { out } else { without_ordinals(out) }
}

/// Turns numbered lists of one line into text. `1. May` is a date, in Markdown also.
fn without_ordinals(blocks: Vec<Block>) -> Vec<Block> {
    let mut out = Vec::new();
    for mut block in blocks {
        if let Block::List(List {
            start: Some(start),
            items,
        }) = &mut block
            && let [item] = items.as_mut_slice()
            && let [Block::Paragraph(spans)] = item.as_mut_slice()
            && !plain(spans).contains('\n')
        {
            spans.insert(0, Span::plain(format!("{start}. ")));
            paragraph(std::mem::take(spans), &mut out, &mut false, false);
        } else {
            out.push(block);
        }
    }
    out
}

/// Adds a list, or appends its items to the previous list: if the numbers are consecutive, or if
/// both lists came with one item (`parts`). Returns the new value of `parts`.
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
    let List { start, items } = list;
    let items: Vec<Vec<Block>> = (start.unwrap_or_default()..)
        .zip(items)
        .map(|(number, mut item)| {
            // `<li>• text</li>`
            if let Some(Block::Paragraph(spans)) = item.first_mut()
                && let text = plain(spans)
                && !text.contains('\n')
                && item_starts(spans).iter().all(|start| *start == 0)
                && let Some((marker, length)) = marker(&text)
                && match marker {
                    Marker::Bullet => true,
                    Marker::Dash => text[length..].starts_with(char::is_alphabetic),
                    Marker::Number(typed) => start.is_some() && typed == number,
                }
            {
                cut(spans, length);
            }
            tidy_blocks(item, true)
        })
        .filter(|item| !item.is_empty())
        .collect();
    (!items.is_empty()).then_some(List { start, items })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Marker {
    Bullet,
    /// A dash also starts dialogue or a calculation.
    Dash,
    Number(u32),
}

pub(super) fn is_bullet(c: char) -> bool {
    !c.is_ascii() && "•·▪▫●○◦‣⁃∙■□◆➢➤➔✓✔✅☑►▶❖✦➜👉🔹🔸\u{f0b7}\u{f0a7}".contains(c)
}

fn has_text(spans: &[Span]) -> bool {
    let mut texts = spans.iter();
    texts.any(|span| span.text.contains(|c: char| !c.is_whitespace()))
}

/// Splits a line with several items. An ambiguous line stays whole.
fn split(mut line: Vec<Span>) -> Vec<Vec<Span>> {
    let starts = item_starts(&line);
    let mut starts = starts.into_iter().filter(|start| *start > 0).peekable();
    if starts.peek().is_none() {
        return vec![line];
    }
    let mut at = 0;
    for span in &mut line {
        let mut text = String::new();
        for c in span.text.chars() {
            text.extend(starts.next_if_eq(&at).map(|_| '\n'));
            text.push(c);
            at += c.len_utf8();
        }
        span.text = text;
    }
    lines(line)
}

/// Finds at least two of the same sign, the first at the start of the line or after a colon.
fn item_starts(line: &[Span]) -> Vec<usize> {
    /// The examined part of an item, in bytes.
    const LOOK: usize = 24;
    let is_sign = |c: char| is_bullet(c) || matches!(c, '*' | '-' | '–');
    let text = &*plain(line);
    if !text.starts_with(|c| is_sign(c) || c == '1') && !text.contains(':') {
        return Vec::new();
    }
    if let Some(starts) = numbered(text) {
        return starts;
    }
    let Some((first, sign)) = text
        .char_indices()
        .find(|(at, c)| is_sign(*c) && (*at == 0 || text[..*at].ends_with(char::is_whitespace)))
    else {
        return Vec::new();
    };
    let lead = text[..first].trim_end();
    if !(lead.is_empty() || lead.ends_with(':')) {
        return Vec::new();
    }
    let between = format!(" {sign} ");
    let are_words = text.matches(&between).nth(1).is_some()
        && text.split(&between).all(|word| word.len() <= LOOK);
    let is_bullet_sign = is_bullet(sign);
    let same = |c: char| c == sign || (is_bullet_sign && is_bullet(c) && c != '·');
    let is_item = |at: usize| {
        let rest = &text[at..text.floor_char_boundary(at + LOOK)];
        let rest = rest.trim_start_matches(same);
        let rest = rest.strip_prefix('\u{fe0f}').unwrap_or(rest);
        let begins = rest.trim_start().chars().next();
        let is_item = (is_bullet_sign || rest.starts_with(char::is_whitespace))
            && begins.is_some_and(|c| c.is_alphabetic() || (is_bullet_sign && !is_sign(c)));
        // A dash between words is punctuation; after a punctuation mark it begins an item.
        let before = text[..at].trim_end();
        let is_apart = at == first || text[..at].ends_with(char::is_whitespace);
        is_item
            && is_apart
            && (at == first
                || !matches!(sign, '–' | '-')
                || are_words
                || before.ends_with([';', ',', '.']))
    };
    let found: Vec<usize> = text.match_indices(same).map(|(at, _)| at).collect();
    let starts: Vec<usize> = found.iter().copied().filter(|at| is_item(*at)).collect();
    let is_list = starts.len() >= 2 && (!is_bullet_sign || starts.len() == found.len());
    if is_list { starts } else { Vec::new() }
}

/// Finds the starts of `1. Call 2. Meet 3. Start`, but no ordinals (`1. Year … 2. Year …`).
fn numbered(text: &str) -> Option<Vec<usize>> {
    let mut starts = Vec::new();
    let mut word = "";
    if !["2.", "2)"].iter().any(|second| text.contains(second)) {
        return None;
    }
    for found in NUMBERED.captures_iter(text) {
        let start = found.get(1)?.start();
        let before = text[..start].trim_end();
        let is_first = starts.is_empty() && (before.is_empty() || before.ends_with(':'));
        let is_next = is_first || !(starts.is_empty() || before.ends_with(','));
        if !is_next || found[1].parse() != Ok(starts.len() + 1) || &found[2] == word {
            return None;
        }
        starts.push(start);
        word = found.get(2)?.as_str();
    }
    (starts.len() > 2).then_some(starts)
}

pub(super) fn marker(line: &str) -> Option<(Marker, usize)> {
    let first = line.chars().next()?;
    let (marker, width) = match first {
        c if is_bullet(c) => (Marker::Bullet, first.len_utf8()),
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

/// A line, its marker, and the length of the marker.
type Line = (Vec<Span>, Option<(Marker, usize)>);

fn paragraph(spans: Vec<Span>, out: &mut Vec<Block>, grown: &mut bool, in_list: bool) {
    if !has_text(&spans) {
        return;
    }
    let lines = lines(spans).into_iter().flat_map(split).collect();
    let mut lines = unwrapped(lines).into_iter().enumerate().peekable();
    let mut pending: Vec<Vec<Span>> = Vec::new();
    while let Some((index, (mut line, marker))) = lines.next() {
        let after = lines.peek().and_then(|(_, (_, after))| *after);
        let joins = *grown && pending.is_empty();
        let item = match marker {
            Some((Marker::Bullet, cut)) => Some((None, cut)),
            // A single dash may mean anything, but not beside another dash or among list items.
            Some((Marker::Dash, cut)) => {
                let is_alone = lines.peek().is_none() && !in_list;
                let is_first = matches!(after, Some((Marker::Dash, _)));
                (joins || is_first || index > 0 || is_alone).then_some((None, cut))
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
                    _ => {
                        let items = vec![item];
                        push_list(List { start, items }, false, out);
                    }
                }
                *grown = true;
            }
        }
    }
    flush(&mut pending, out);
}

/// Joins the lines of an item that a program wrapped, before the last item.
fn unwrapped(lines: Vec<Vec<Span>>) -> Vec<Line> {
    let texts: Vec<_> = lines.iter().map(|line| plain(line)).collect();
    let last = texts.iter().rposition(|text| marker(text).is_some());
    let mut out: Vec<Line> = Vec::new();
    for (index, (line, text)) in lines.into_iter().zip(texts).enumerate() {
        let marker = marker(&text);
        // Word processors write `o` for a bullet.
        let is_text = marker.is_none() && Some(index) < last && !text.starts_with("o ");
        match out.last_mut() {
            Some((item, Some(_))) if is_text && text.starts_with(char::is_lowercase) => {
                item.push(Span::plain(" ".to_owned()));
                item.extend(line);
            }
            _ => out.push((line, marker)),
        }
    }
    out
}

fn flush(pending: &mut Vec<Vec<Span>>, out: &mut Vec<Block>) {
    if !pending.is_empty() {
        out.push(Block::Paragraph(join(std::mem::take(pending))));
    }
}

fn continues(out: &[Block], number: u32) -> bool {
    match out.last() {
        Some(Block::List(list)) => list.start.is_some_and(|start| {
            usize::try_from(number - start.min(number)) == Ok(list.items.len())
        }),
        _ => false,
    }
}

fn cut(spans: &mut Vec<Span>, mut bytes: usize) {
    for span in spans.iter_mut() {
        let here = bytes.min(span.text.len());
        span.text.drain(..here);
        bytes -= here;
    }
    trim(spans);
}
