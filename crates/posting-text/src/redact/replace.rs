use super::{Hidden, Kind};
use crate::{
    Budget, Result,
    document::{Document, SEPARATOR, Span},
};

pub(super) fn hide_ranges(
    document: &mut Document,
    found: &[Hidden],
    budget: &Budget,
) -> Result<()> {
    budget.spend(document.steps() + found.len())?;
    let mut offset = 0;
    let mut result = Ok(());
    document.for_each_text_mut(&mut |spans| {
        let length: usize = spans.iter().map(|span| span.text.len()).sum();
        for span in spans.iter_mut() {
            span.link = None;
        }
        let first = found.partition_point(|hidden| hidden.range.end <= offset);
        let after = found.partition_point(|hidden| hidden.range.start < offset + length);
        if result.is_ok() {
            result = replace(spans, offset, &found[first..after], budget);
        }
        offset += length + SEPARATOR.len();
    });
    result
}

/// The first span of a range gets the token, and so its style.
fn replace(spans: &mut Vec<Span>, offset: usize, found: &[Hidden], budget: &Budget) -> Result<()> {
    if found.is_empty() {
        return Ok(());
    }
    let mut start = offset;
    let mut first = 0;
    for span in spans.iter_mut() {
        let end = start + span.text.len();
        let mut text = String::with_capacity(span.text.len());
        let mut at = start;
        while first < found.len() && found[first].range.end <= start {
            first += 1;
        }
        for Hidden { range, kind } in found[first..]
            .iter()
            .take_while(|hidden| hidden.range.start < end)
        {
            if range.start >= start {
                text.push_str(&span.text[at - start..range.start - start]);
                text.push_str(kind.token());
            }
            at = range.end.min(end);
        }
        text.push_str(&span.text[at - start..]);
        span.text = text;
        start = end;
    }
    spans.retain(|span| !span.text.is_empty());
    let may_repeat = |span: &&mut Span| span.text.bytes().filter(|b| *b == b']').count() > 1;
    for span in spans.iter_mut().filter(may_repeat) {
        for kind in [Kind::Company, Kind::Link, Kind::Person, Kind::Address] {
            // "Example Group (Example)" gets one token.
            let token = kind.token();
            remove_repeats(&mut span.text, token, &format!(" {token}"), budget)?;
            remove_repeats(&mut span.text, token, &format!(" ({token})"), budget)?;
        }
    }
    Ok(())
}

/// Removes `again` after `token`, repeatedly. One pass is enough: each repetition ends there.
pub(super) fn remove_repeats(
    text: &mut String,
    token: &str,
    again: &str,
    budget: &Budget,
) -> Result<()> {
    budget.spend(text.len())?;
    let twice = format!("{token}{again}");
    let (Some(first), Some(last)) = (text.find(&twice), again.chars().next_back()) else {
        return Ok(());
    };
    let mut out = String::with_capacity(text.len());
    out.push_str(&text[..first]);
    for piece in text[first..].split_inclusive(last) {
        budget.spend(piece.len() + twice.len())?;
        out.push_str(piece);
        if out.ends_with(&twice) {
            out.truncate(out.len() - again.len());
        }
    }
    *text = out;
    Ok(())
}
