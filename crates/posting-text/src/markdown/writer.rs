//! Prints a [`Document`] as `CommonMark`: `-` lists, `#` headings, `**` and `_`, a backslash for a
//! hard line break, one empty line between blocks.

use pulldown_cmark::{Event, Parser};

use super::{
    emphasis::{Interval, Mark, marks},
    escape::{self, Paragraph, Place},
};
use crate::{
    Budget, Result,
    document::{Block, DIALECT, Document, List, Span, Style, Table, plain},
};

pub(crate) fn write(document: &Document, budget: &Budget) -> Result<String> {
    budget.begin_text();
    let mut lines = Vec::new();
    blocks(&document.blocks, &mut lines, false, budget)?;
    let mut out = lines.join("\n");
    out.truncate(out.trim_end().len());
    Ok(out)
}

// Recursion is bounded by the builder's depth limit. A line and its prefix are paid when made, so a
// text that is too long is never built.
fn blocks(blocks: &[Block], out: &mut Vec<String>, tight: bool, budget: &Budget) -> Result<()> {
    // Two lists in a row would be read as one, so the second uses the other bullet.
    let mut other_sign = false;
    let mut previous: Option<&Block> = None;
    for block in blocks {
        let before = out.len();
        let list_after_text =
            tight && matches!(block, Block::List(_)) && !matches!(previous, Some(Block::Table(_)));
        if previous.is_some() && !list_after_text {
            out.push(String::new());
        }
        let start = out.len();
        match block {
            Block::Paragraph(spans) => {
                let text = inline(spans, budget)?;
                out.extend(text.split('\n').map(str::to_owned));
            }
            Block::Heading(level, spans) => out.push(heading(*level, spans, budget)?),
            Block::List(list) => {
                other_sign = match previous {
                    Some(Block::List(before)) if before.start.is_some() == list.start.is_some() => {
                        !other_sign
                    }
                    _ => false,
                };
                write_list(list, other_sign, out, budget)?;
            }
            Block::Quote(inner) => {
                let mut lines = Vec::new();
                self::blocks(inner, &mut lines, false, budget)?;
                prefixed(&lines, 2, budget)?;
                out.extend(lines.into_iter().map(|line| {
                    if line.is_empty() {
                        ">".to_owned()
                    } else {
                        format!("> {line}")
                    }
                }));
            }
            Block::Code(spans) => code_block(&plain(spans), out, budget)?,
            Block::Table(table) => write_table(table, out, budget)?,
            Block::Rule => out.push("---".to_owned()),
        }
        if out.len() == start {
            out.truncate(before);
        } else {
            budget.write(1)?;
            previous = Some(block);
        }
    }
    Ok(())
}

fn prefixed(lines: &[String], bytes: usize, budget: &Budget) -> Result<()> {
    let filled = lines.iter().filter(|line| !line.is_empty());
    budget.write(filled.count().saturating_mul(bytes))?;
    budget.spend(lines.iter().map(|line| 1 + bytes + line.len()).sum())
}

fn write_list(list: &List, other_sign: bool, out: &mut Vec<String>, budget: &Budget) -> Result<()> {
    // An item of several paragraphs needs empty lines, and then all items get them.
    let loose = list.items.iter().any(|item| {
        item.iter()
            .filter(|block| !matches!(block, Block::List(_)))
            .count()
            > 1
            || item
                .iter()
                .skip(1)
                .any(|block| !matches!(block, Block::List(_)))
    });
    for (index, item) in list.items.iter().enumerate() {
        let marker = match list.number(index) {
            Some(number) => format!("{number}{} ", if other_sign { ')' } else { '.' }),
            None => if other_sign { "* " } else { "- " }.to_owned(),
        };
        let mut lines = Vec::new();
        blocks(item, &mut lines, !loose, budget)?;
        prefixed(&lines, marker.len(), budget)?;
        if loose && index > 0 {
            budget.write(1)?;
            out.push(String::new());
        }
        let indent = " ".repeat(marker.len());
        for (number, line) in lines.into_iter().enumerate() {
            out.push(match (number, line.is_empty()) {
                (0, _) => format!("{marker}{line}"),
                (_, true) => line,
                (_, false) => format!("{indent}{line}"),
            });
        }
    }
    Ok(())
}

fn write_table(table: &Table, out: &mut Vec<String>, budget: &Budget) -> Result<()> {
    let row = |cells: &[Vec<Span>]| {
        let mut line = "|".to_owned();
        for cell in cells {
            let text = written(cell, true, budget)?;
            budget.write(text.len() + 3)?;
            if !text.is_empty() {
                line.push(' ');
                line.push_str(&text);
            }
            line.push_str(" |");
        }
        Ok(line)
    };
    out.push(row(&table.headers)?);
    budget.write(table.headers.len().saturating_mul(6))?;
    out.push(format!("|{}", " --- |".repeat(table.headers.len())));
    for cells in &table.rows {
        out.push(row(cells)?);
    }
    Ok(())
}

fn heading(level: u8, spans: &[Span], budget: &Budget) -> Result<String> {
    let mut text = inline(spans, budget)?;
    budget.write(8)?;
    // Within a heading nothing starts a block.
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 && (text[digits..].starts_with("\\.") || text[digits..].starts_with("\\)")) {
        text.remove(digits);
    } else if text.starts_with("\\# ") {
        text.remove(0);
    }
    // `# C #` would lose its last `#`.
    if let Some(before) = text.strip_suffix('#') {
        let backslashes = before.len() - before.trim_end_matches('\\').len();
        if backslashes % 2 == 0 {
            text.insert(text.len() - 1, '\\');
        }
    }
    Ok(format!("{} {text}", "#".repeat(level.clamp(1, 6).into())))
}

fn code_block(text: &str, out: &mut Vec<String>, budget: &Budget) -> Result<()> {
    budget.spend(text.len().saturating_mul(3))?;
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    budget.write(text.len() + 2 * (fence.len() + 1))?;
    out.push(fence.clone());
    out.extend(text.split('\n').map(|line| line.trim_end().to_owned()));
    out.push(fence);
    Ok(())
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

fn inline(spans: &[Span], budget: &Budget) -> Result<String> {
    let text = written(spans, false, budget)?;
    budget.write(text.len() + 1)?;
    Ok(text)
}

fn written(spans: &[Span], in_cell: bool, budget: &Budget) -> Result<String> {
    if let [span] = spans
        && span.style == Style::default()
        && span.link.is_none()
        && escape::is_harmless(&span.text)
        && !(in_cell && span.text.contains('|'))
    {
        budget.spend(span.text.len())?;
        return Ok(span.text.clone());
    }
    let (text, mut intervals) = marks(spans, budget)?;
    if in_cell {
        // A pipe in code cannot be escaped for every reader.
        let has_pipe = |interval: &Interval| text[interval.start..interval.end].contains(&'|');
        intervals.retain(|interval| interval.mark != Mark::Code || !has_pipe(interval));
    }
    let mut out = marked(&text, &intervals, in_cell, budget)?;
    // Plain text is better than visible marks. Struck out text goes last, for its meaning.
    let kept: [fn(&Mark) -> bool; 2] = [
        |mark| !matches!(mark, Mark::Strong | Mark::Emphasis),
        |mark| *mark != Mark::Deleted,
    ];
    for keep in kept {
        if !is_delicate(&text, &intervals) || shows(&out, &text, budget)? {
            break;
        }
        intervals.retain(|interval| keep(&interval.mark));
        out = marked(&text, &intervals, in_cell, budget)?;
    }
    Ok(out)
}

/// Whether corner cases of emphasis may apply: `*` or `_` in the text, or nested marks.
fn is_delicate(text: &[char], intervals: &[Interval]) -> bool {
    let has = |mark: &Mark| intervals.iter().any(|interval| interval.mark == *mark);
    let (strong, emphasis) = (has(&Mark::Strong), has(&Mark::Emphasis));
    let deleted = has(&Mark::Deleted);
    let touch = |pair: &[Interval]| pair[0].mark == pair[1].mark && pair[0].end == pair[1].start;
    (strong && emphasis)
        || intervals.windows(2).any(touch)
        || (deleted
            && intervals
                .iter()
                .any(|interval| interval.mark != Mark::Deleted))
        || ((strong || emphasis || deleted)
            && text.iter().any(|c| matches!(c, '*' | '_' | '`' | '~')))
}

fn shows(markdown: &str, text: &[char], budget: &Budget) -> Result<bool> {
    budget.spend(markdown.len().saturating_mul(2) + text.len())?;
    let mut seen = String::with_capacity(markdown.len());
    for event in Parser::new_ext(markdown, DIALECT) {
        if let Event::Text(text) | Event::Code(text) = event {
            seen.push_str(&text);
        }
    }
    let visible = |c: &char| !c.is_whitespace();
    let text = text.iter().copied().filter(visible);
    Ok(seen.chars().filter(visible).eq(text))
}

fn marked(text: &[char], intervals: &[Interval], in_cell: bool, budget: &Budget) -> Result<String> {
    let paragraph = Paragraph::of(text, intervals, in_cell);
    let mut out = String::with_capacity(text.len() + 16);
    let mut open: Vec<(&Interval, &'static str)> = Vec::new();
    let mut next = intervals.iter().peekable();
    let mut after_digits = None;
    let mut at = 0;
    // Spends steps by the thousand, since spending costs more than one turn.
    let mut turns = 0;
    loop {
        turns += 1 + open.len();
        if turns >= 1_000 {
            budget.spend(turns)?;
            turns = 0;
        }
        let mut markup = false;
        while let Some((interval, sign)) = open.last().copied().filter(|(i, _)| i.end <= at) {
            close(interval, sign, &mut out);
            open.pop();
            markup = true;
        }
        while let Some(interval) = next.next_if(|interval| interval.start <= at) {
            if let Mark::Code = interval.mark {
                code(&text[interval.start..interval.end], &mut out);
                at = interval.end;
                // Marks that would start inside the code are dropped.
                while next.next_if(|inner| inner.start < at).is_some() {}
            } else {
                let sign = sign(interval, text);
                out.push_str(sign);
                open.push((interval, sign));
            }
            markup = true;
            if at >= interval.end {
                break;
            }
        }
        let ends_here = open.last().is_some_and(|(interval, _)| interval.end <= at);
        if ends_here || next.peek().is_some_and(|interval| interval.start <= at) {
            continue;
        }
        let Some(c) = text.get(at).copied() else {
            break;
        };
        if c.is_alphabetic() || c == ' ' {
            out.push(c);
            at += 1;
            continue;
        }
        let line_start = !in_cell && !markup && (at == 0 || text[at - 1] == '\n');
        if c == '\n' {
            out.push_str("\\\n");
            at += 1;
            continue;
        }
        if line_start {
            after_digits = escape::ordered(&text[at..]).map(|digits| at + digits);
        }
        let ends = open
            .last()
            .is_some_and(|(interval, _)| interval.end == at + 1);
        let starts = next.peek().is_some_and(|interval| interval.start == at + 1);
        // A link after `!` would become an image; before a bracket of the text, `push` escapes it.
        let makes_image = c == '!' && starts && text.get(at + 1) != Some(&'[');
        if after_digits == Some(at) || makes_image {
            out.push('\\');
        }
        let in_link = open
            .iter()
            .any(|(interval, _)| matches!(interval.mark, Mark::Link(_)));
        escape::push(
            &mut out,
            Place {
                text,
                at,
                line_start,
                paragraph,
                beside_markup: markup || ends || starts,
                in_link,
            },
        );
        at += 1;
    }
    budget.spend(turns)?;
    Ok(out)
}

/// Returns the text of a mark. `_` reads best, but does not work within a word.
fn sign(interval: &Interval, text: &[char]) -> &'static str {
    let letter = |at: Option<usize>| {
        at.and_then(|at| text.get(at))
            .is_some_and(|c| !c.is_whitespace() && *c != '\n')
    };
    match interval.mark {
        Mark::Strong => "**",
        Mark::Emphasis if letter(interval.start.checked_sub(1)) || letter(Some(interval.end)) => {
            "*"
        }
        Mark::Emphasis => "_",
        Mark::Link(_) => "[",
        Mark::Code => "`",
        Mark::Deleted => "~~",
    }
}

fn close(interval: &Interval, sign: &str, out: &mut String) {
    if let Mark::Link(destination) = &interval.mark {
        out.push_str("](");
        out.push_str(destination);
        out.push(')');
    } else {
        out.push_str(sign);
    }
}

fn code(text: &[char], out: &mut String) {
    let text: String = text
        .iter()
        .map(|c| if *c == '\n' { ' ' } else { *c })
        .collect();
    let fence = "`".repeat(longest_run(&text) + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    out.push_str(&fence);
    out.push_str(pad);
    out.push_str(&text);
    out.push_str(pad);
    out.push_str(&fence);
}
