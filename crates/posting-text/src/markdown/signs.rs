//! Reads Markdown syntax typed into HTML: `<p>## Tasks</p>`, `<p>**Tasks**</p>`.

use crate::document::{Block, Document, Span, plain};

pub(crate) fn read(document: &mut Document) {
    for block in &mut document.blocks {
        if let Block::Paragraph(spans) = block
            && let Some(level) = heading(spans)
        {
            spans[0].text.drain(..=usize::from(level));
            *block = Block::Heading(level, std::mem::take(spans));
        }
    }
    document.for_each_text_mut(&mut |spans| {
        if !spans.iter().any(|span| span.style.code) {
            strong(spans);
        }
    });
}

/// Returns the level of a heading, from 2: a single `#` may be a number sign.
fn heading(spans: &[Span]) -> Option<u8> {
    let first = spans.first()?;
    let signs = first.text.bytes().take_while(|b| *b == b'#').count();
    let rest = first.text.get(signs..)?.strip_prefix(' ')?;
    let one_line = !plain(spans).contains('\n') && !rest.trim().is_empty();
    let level = u8::try_from(signs).ok()?;
    ((2..=6).contains(&level) && one_line).then_some(level)
}

/// Makes text between pairs of `**` strong, if only strong text could be written like that.
fn strong(spans: &mut Vec<Span>) {
    if !spans.iter().any(|span| span.text.contains("**")) {
        return;
    }
    let text = plain(spans);
    let signs = pairs(&text);
    if signs.is_empty() {
        return;
    }
    let mut out = Vec::with_capacity(spans.len() + 2 * signs.len());
    let mut signs = signs.into_iter().peekable();
    let mut inside = false;
    let mut start = 0;
    let mut at = 0;
    for span in spans.iter() {
        let end = start + span.text.len();
        // A `**` may begin in one span and end in the next.
        while at < end {
            let next = signs.next_if(|sign| *sign < end);
            let until = next.unwrap_or(end);
            if until > at {
                let mut piece = span.with_text(&span.text[at - start..until - start]);
                piece.style.strong |= inside;
                out.push(piece);
            }
            at = next.map_or(end, |sign| sign + 2);
            inside ^= next.is_some();
        }
        start = end;
    }
    *spans = out;
}

fn pairs(text: &str) -> Vec<usize> {
    let signs: Vec<usize> = text.match_indices("**").map(|(at, _)| at).collect();
    if text.contains("***") || signs.len() % 2 == 1 {
        return Vec::new();
    }
    let is_strong = |pair: &[usize]| {
        let before = text[..pair[0]].chars().next_back();
        let inside = &text[pair[0] + 2..pair[1]];
        before.is_none_or(|c| !c.is_alphanumeric())
            && inside.starts_with(|c: char| !c.is_whitespace())
            && inside.contains(char::is_alphanumeric)
            && !inside.contains('\n')
    };
    if signs.chunks(2).all(is_strong) {
        signs
    } else {
        Vec::new()
    }
}
