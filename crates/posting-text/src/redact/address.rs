//! Finds street addresses: a street and a house number, with further parts.
//!
//! Every search starts at a number, so a text without numbers costs nothing.

mod around;
mod beside;
mod eastern;
mod end;
mod street;

use self::{
    beside::{
        after_post_box, before_city, in_block, names_street, with_street, with_zone, without_number,
    },
    street::{after_street, before_street},
};
use super::{
    Hidden,
    cues::Cues,
    found::apart,
    vocabulary::is_among,
    words::{Text, Word, begins_sentence, is_digits, word_before},
};
use crate::{Range, Result};

pub(super) fn addresses(on: Text<'_>, found: &[Hidden], city: Option<&str>) -> Result<Vec<Range>> {
    const SEARCH_STEPS: usize = 150;
    let (text, words, budget) = on.parts();
    budget.spend(words.len())?;
    let mut out: Vec<Range> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if word.is(Cues::STREET_BEFORE) && word.letters() >= 3 {
            budget.spend(SEARCH_STEPS / 10)?;
            out.extend(around::alone(text, words, at));
        }
        let is_free = out.last().is_none_or(|last| last.end <= word.start);
        if !is_free || !is_house(word) || names_street(text, words, at) {
            continue;
        }
        budget.spend(SEARCH_STEPS)?;
        let found = eastern::address(text, words, at)
            .or_else(|| after_post_box(text, words, at))
            .or_else(|| {
                after_street(text, words, at).map(|range| with_street(text, words, at, range))
            })
            .or_else(|| before_street(text, words, at))
            .or_else(|| in_block(text, words, at, found))
            .or_else(|| before_city(text, words, at, city?))
            .or_else(|| around::unit(text, words, at))
            .or_else(|| around::at_place(text, words, at))
            .map(|range| around::with_parts(text, words, with_zone(text, words, range)));
        let starts_free = |found: &Range| out.last().is_none_or(|last| last.end <= found.start);
        out.extend(found.filter(starts_free));
    }
    without_number(on, city, &mut out)?;
    budget.spend(out.len())?;
    Ok(apart(out))
}

/// Up to four digits and two letters.
fn is_house(word: &Word<'_>) -> bool {
    let digits = word.text.bytes().take_while(u8::is_ascii_digit).count();
    (1..=4).contains(&digits) && word.text.len() <= digits + 4 && word.letters() <= digits + 2
}
