//! Finds addresses: a street and a house number with further parts, a post box, a business park, or
//! a clause that is a street.

mod clause;
mod eastern;
mod end;
mod parts;
mod piece;
mod place;
mod post_box;
mod street;
mod zone;

use self::{
    parts::with_parts,
    piece::is_house,
    street::{after_street, before_street, names_street},
};
use super::{
    Hidden,
    cues::Cues,
    found::{apart, merged},
    vocabulary::List,
    words::{Text, Word, begins_sentence, is_digits, word_before},
};
use crate::{Range, Result};

pub(super) fn addresses(on: Text<'_>, found: &[Hidden], city: Option<&str>) -> Result<Vec<Range>> {
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
    let city = city.unwrap_or_default();
    for (at, word) in words.iter().enumerate() {
        if word.is_upper() || word.is_number() {
            budget.spend(SEARCH_STEPS / 10)?;
            out.extend(place::before_place(on, at, city));
        }
    }
    out.extend(eastern::addresses(on, found)?);
    let mut out = merged(out);
    let mut clauses: Vec<Range> = Vec::new();
    let mut known = out.iter().peekable();
    for (at, word) in words.iter().enumerate() {
        while known.next_if(|range| range.end <= word.start).is_some() {}
        let is_free = known.peek().is_none_or(|range| word.end() <= range.start)
            && clauses.last().is_none_or(|last| last.end <= word.start);
        if !is_free {
            continue;
        }
        let mut address = zone::zone(text, words, at);
        let is_word = word.is(Cues::STREET_BEFORE) && word.letters() > 2;
        if address.is_none() && (word.is_upper() || is_word) {
            budget.spend(SEARCH_STEPS / 5)?;
            address = clause::address(on, at, found, city);
        }
        clauses.extend(address.map(|range| with_parts(text, words, range)));
    }
    out.extend(clauses);
    budget.spend(out.len())?;
    Ok(apart(out))
}
