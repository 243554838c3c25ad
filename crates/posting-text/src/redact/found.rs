use std::{cmp::Reverse, ops::Range};

use super::{
    Kind,
    script::is_unspaced,
    words::{self, Word},
};

/// Something in a text that must not be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hidden {
    /// Its range in the text, in bytes.
    pub range: Range<usize>,
    /// Its kind.
    pub kind: Kind,
}

/// Keeps words outside of these ranges, and rests without spaces: `採用担当` of `里採用担当`.
pub(crate) fn retain_outside(words: &mut Vec<Word<'_>>, found: &[Hidden]) {
    let mut at = 0;
    words.retain_mut(|word| {
        while found
            .get(at)
            .is_some_and(|hidden| hidden.range.end <= word.start)
        {
            at += 1;
        }
        let Some(Hidden { range, .. }) = found.get(at) else {
            return true;
        };
        if range.start < word.end()
            && range.end < word.end()
            && word.text.ends_with(is_unspaced)
            && let Some(rest) = word.text.get(range.end - word.start..)
        {
            *word = words::word(range.end, rest);
            return found
                .get(at + 1)
                .is_none_or(|next| next.range.start >= word.end());
        }
        range.start >= word.end()
    });
}

/// Of two that overlap, the one that starts first, or the longer one.
pub(crate) fn apart(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| (range.start, Reverse(range.end)));
    ranges.dedup_by(|next, last| next.start < last.end);
    ranges
}

/// Unites those that overlap.
pub(crate) fn merged(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| range.start);
    ranges.dedup_by(|next, last| {
        let touches = next.start < last.end;
        last.end = last.end.max(if touches { next.end } else { 0 });
        touches
    });
    ranges
}

pub(crate) fn add(found: &mut Vec<Hidden>, ranges: Vec<Range<usize>>, kind: Kind) {
    if ranges.is_empty() {
        return;
    }
    let mut all: Vec<Hidden> = Vec::with_capacity(found.len() + ranges.len());
    let mut known = std::mem::take(found).into_iter().peekable();
    for range in ranges {
        while let Some(before) = known.next_if(|other| other.range.start < range.end) {
            all.push(before);
        }
        if all.last().is_none_or(|last| last.range.end <= range.start) {
            all.push(Hidden { range, kind });
        }
    }
    all.extend(known);
    *found = all;
}
