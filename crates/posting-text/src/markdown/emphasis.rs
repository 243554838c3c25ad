//! Places the marks of styled text and links so that `CommonMark` parsers recognise them.
//!
//! `**` only opens before a character that is neither white space nor (after a letter) punctuation,
//! and closes likewise. So marks move inwards, never overlap, and may disappear.

use std::{cmp::Reverse, sync::Arc};

use crate::{Budget, Result, document::Span};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    Strong,
    Link(Arc<str>),
    Emphasis,
    Code,
    Deleted,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) mark: Mark,
}

/// Returns the text and its marks. Outer marks come before inner ones.
pub(crate) fn marks(spans: &[Span], budget: &Budget) -> Result<(Vec<char>, Vec<Interval>)> {
    let mut text = Vec::new();
    let mut ranges = Vec::with_capacity(spans.len());
    for span in spans {
        let start = text.len();
        text.extend(span.text.chars());
        ranges.push((start..text.len(), span));
    }
    // Each kind of mark passes over every span, and its ends move over the text.
    budget.spend((spans.len() + text.len()).saturating_mul(4))?;
    let runs = |wanted: &dyn Fn(&Span) -> Option<Mark>| {
        let mut out: Vec<Interval> = Vec::new();
        for (range, span) in &ranges {
            let Some(mark) = wanted(span) else { continue };
            match out.last_mut() {
                Some(last)
                    if last.mark == mark
                        && text[last.end..range.start].iter().all(|c| *c == ' ') =>
                {
                    last.end = range.end;
                }
                _ => out.push(Interval {
                    start: range.start,
                    end: range.end,
                    mark,
                }),
            }
        }
        out
    };
    let mut fixed = runs(&|span| span.link.clone().map(Mark::Link));
    fixed.retain_mut(|link| shrink(link, &text));
    let mut code = runs(&|span| span.style.code.then_some(Mark::Code));
    code.retain_mut(|code| shrink(code, &text) && !is_misread(&text[code.start..code.end]));
    let code = cut(code, &[&fixed], budget)?;
    let strong = runs(&|span| span.style.strong.then_some(Mark::Strong));
    let strong = settle(strong, &[&fixed, &code], &text, budget)?;
    let emphasis = runs(&|span| span.style.emphasis.then_some(Mark::Emphasis));
    let mut emphasis = settle(emphasis, &[&fixed, &code, &strong], &text, budget)?;
    // `**a***b*`: parsers disagree about rows of asterisks.
    emphasis.retain(|emphasis| {
        let near = strong.partition_point(|strong| strong.end < emphasis.start);
        !strong[near..].iter().take(2).any(|strong| {
            let beside = strong.end == emphasis.start || strong.start == emphasis.end;
            let first =
                strong.start == emphasis.start && is_letter(&text, strong.start.checked_sub(1));
            let last = strong.end == emphasis.end && is_letter(&text, Some(strong.end));
            beside || first || last
        })
    });
    let deleted = runs(&|span| span.style.deleted.then_some(Mark::Deleted));
    let others: [&[Interval]; 4] = [&fixed, &code, &strong, &emphasis];
    let deleted = settle(deleted, &others, &text, budget)?;
    let mut all = [deleted, fixed, code, strong, emphasis].concat();
    // The sort is stable: of equal intervals, the kind that is listed first above is outside.
    all.sort_by_key(|interval| (interval.start, Reverse(interval.end)));
    budget.spend(all.len())?;
    Ok((text, all))
}

/// Whether code may be misread: as a tag, the end of a link's text, or the start of a definition.
fn is_misread(text: &[char]) -> bool {
    text.contains(&']')
        || text.windows(2).any(|pair| {
            pair[0] == '<' && (pair[1].is_ascii_alphabetic() || matches!(pair[1], '/' | '!' | '?'))
        })
}

/// Cuts intervals at the borders of others, then moves their ends to where marks work.
fn settle(
    intervals: Vec<Interval>,
    others: &[&[Interval]],
    text: &[char],
    budget: &Budget,
) -> Result<Vec<Interval>> {
    let mut out = cut(intervals, others, budget)?;
    out.retain_mut(|interval| {
        shrink(interval, text)
            && flank(interval, text)
            && text[interval.start..interval.end]
                .iter()
                .any(|c| c.is_alphanumeric())
    });
    // Moved ends may have crossed a border.
    let mut out = cut(out, others, budget)?;
    out.retain(|interval| {
        let mut again = interval.clone();
        shrink(&mut again, text) && flank(&mut again, text) && again == *interval
    });
    Ok(out)
}

/// Splits intervals so that each lies inside, outside or around every other one. Each list of
/// others is sorted and without overlaps.
fn cut(
    mut intervals: Vec<Interval>,
    others: &[&[Interval]],
    budget: &Budget,
) -> Result<Vec<Interval>> {
    for others in others {
        let mut out = Vec::with_capacity(intervals.len());
        for interval in &intervals {
            out.extend(pieces(interval, others, budget)?);
        }
        intervals = out;
    }
    Ok(intervals)
}

fn pieces(interval: &Interval, others: &[Interval], budget: &Budget) -> Result<Vec<Interval>> {
    let mut points = vec![interval.start, interval.end];
    let first = others.partition_point(|other| other.end <= interval.start);
    for other in others[first..]
        .iter()
        .take_while(|other| other.start < interval.end)
    {
        budget.spend(1)?;
        // An outer mark must extend past an inner one on both sides; only tildes may touch.
        let around = if interval.mark == Mark::Deleted {
            interval.start <= other.start && other.end <= interval.end
        } else {
            interval.start < other.start && other.end < interval.end
        };
        let inside = other.start <= interval.start && interval.end <= other.end;
        if !around && !inside {
            points.extend([other.start, other.end]);
        }
    }
    points.retain(|point| (interval.start..=interval.end).contains(point));
    points.sort_unstable();
    points.dedup();
    budget.spend(points.len())?;
    let pieces = points
        .windows(2)
        .map(|pair| Interval {
            start: pair[0],
            end: pair[1],
            mark: interval.mark.clone(),
        })
        .collect();
    Ok(pieces)
}

/// Moves both ends past white space; false if nothing is left.
fn shrink(interval: &mut Interval, text: &[char]) -> bool {
    narrow(interval, |at, _| text[at].is_whitespace())
}

fn flank(interval: &mut Interval, text: &[char]) -> bool {
    narrow(interval, |at, outside| {
        let c = text[at];
        c.is_whitespace() || (!c.is_alphanumeric() && is_letter(text, outside))
    })
}

/// Moves both ends inwards; false if nothing is left. `is_passed` gets a character's index, and
/// that of its outer neighbour.
fn narrow(interval: &mut Interval, is_passed: impl Fn(usize, Option<usize>) -> bool) -> bool {
    let Interval { start, end, .. } = interval;
    while start < end && is_passed(*start, start.checked_sub(1)) {
        *start += 1;
    }
    while start < end && is_passed(*end - 1, Some(*end)) {
        *end -= 1;
    }
    start < end
}

/// Whether a character is neither white space nor punctuation for a Markdown parser.
fn is_letter(text: &[char], at: Option<usize>) -> bool {
    let is_sign =
        |c: char| c.is_ascii_punctuation() || "–—…“”„‘’«»•·¿¡、。「」（）：；！？，".contains(c);
    let c = at.and_then(|at| text.get(at));
    c.is_some_and(|c| !c.is_whitespace() && !is_sign(*c))
}
