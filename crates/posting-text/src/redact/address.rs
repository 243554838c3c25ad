//! Finds addresses: a street and a house number with further parts, or a post box.

mod eastern;
mod end;
mod parts;
mod piece;
mod post_box;
mod street;

use self::{
    parts::with_parts,
    piece::is_house,
    street::{after_street, before_street, names_street},
};
use super::{
    Hidden,
    cues::Cues,
    found::merged,
    vocabulary::List,
    words::{Text, Word, begins_sentence, is_digits, word_before},
};
use crate::{Range, Result};

pub(super) fn addresses(on: Text<'_>, found: &[Hidden]) -> Result<Vec<Range>> {
    const SEARCH_STEPS: usize = 150;
    let (text, words, budget) = on.parts();
    budget.spend(words.len())?;
    let mut out: Vec<Range> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let is_free = out.last().is_none_or(|last| last.end <= word.start);
        let post_box = is_free
            .then(|| post_box::post_box(text, words, at))
            .flatten();
        // "s/n": without a number
        let is_none =
            word.is_letter() && matches!(text[word.start..].get(..3), Some("s/n" | "S/N"));
        let may_be_house = is_house(word) || is_none || post_box.is_some();
        if !is_free || !may_be_house || names_street(text, words, at) {
            continue;
        }
        budget.spend(SEARCH_STEPS)?;
        let address = post_box
            .or_else(|| {
                // "Willow House, 6 Harbour Parade"
                let further = before_street(text, words, at).map_or(0, |street| street.end);
                after_street(text, words, at).map(|it| it.start..it.end.max(further))
            })
            .or_else(|| before_street(text, words, at))
            .or_else(|| parts::unit(text, words, at))
            .map(|range| with_parts(text, words, range));
        let starts_free = |found: &Range| out.last().is_none_or(|last| last.end <= found.start);
        out.extend(address.filter(starts_free));
    }
    out.extend(eastern::addresses(on, found)?);
    Ok(merged(out))
}
