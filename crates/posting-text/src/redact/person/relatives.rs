use super::{
    Cues, Hidden, Kind, Text, Word,
    evidence::{is_given, is_particle, names_role},
    run::{has_contact, is_name},
    word_before,
};
use crate::{Range, Result, redact::words::begins_sentence};

/// `De Backer`, in words.
const MAX_FAMILY: usize = 3;

/// `Silke` of `Silke Kornblum`, when the family's name is already the company's.
pub(super) fn of_company(on: Text<'_>, found: &[Hidden], out: &mut Vec<Range>) -> Result<()> {
    const SEARCH_STEPS: usize = 40;
    let (text, words, budget) = on.parts();
    for (index, Hidden { range, kind }) in found.iter().enumerate() {
        if *kind != Kind::Company {
            continue;
        }
        budget.spend(SEARCH_STEPS)?;
        let name = &text[range.clone()];
        if name.split_whitespace().nth(MAX_FAMILY).is_some() {
            continue;
        }
        // "à Patrice Delcourt, 03 21 55 50 14"
        let is_before_contact = found.get(index + 1).is_some_and(|contact| {
            matches!(contact.kind, Kind::Email | Kind::Phone)
                && contact.range.start - range.end <= 4
                && !text[range.end..contact.range.start].contains('\n')
        });
        let next = words.partition_point(|word| word.start < range.end);
        let before = word_before(words, next).filter(|before| {
            match text.get(before.end()..range.start) {
                Some(" " | "\u{a0}") => is_before_family(text, words, next - 1, is_before_contact),
                // "M. Lombardozzi, cv@…"
                Some(". ") => is_before_contact && before.is_upper() && before.is_letter(),
                _ => false,
            }
        });
        out.extend(before.map(|before| before.start..before.end()));
    }
    Ok(())
}

/// A given name of the table, or one announced on a line with a contact.
fn is_before_family(text: &str, words: &[Word<'_>], at: usize, is_before_contact: bool) -> bool {
    let other = Cues::GENERIC
        | Cues::LEGAL
        | Cues::SMALL
        | Cues::AFFIX
        | Cues::PERSON
        | Cues::PHONE
        | Cues::TITLE
        | Cues::ADDRESS
        | Cues::ID
        | Cues::HANDLE;
    let word = &words[at];
    let begins = begins_sentence(text, word.start);
    // "Elke" is also "every" in Dutch, which begins sentences.
    let is_known = word.is(Cues::GIVEN) && (is_before_contact || !begins);
    let is_small = word.is(Cues::LANGUAGES) && !is_known;
    if !is_name(word) || is_particle(word) || word.is(other) || is_small {
        return false;
    }
    let is_on_line = has_contact(text, word.start);
    if is_given(word) {
        return !begins || is_on_line;
    }
    let announces = Cues::PERSON | Cues::PHONE | Cues::TITLE;
    let is_announced = word_before(words, at).is_some_and(|previous| {
        let gap = &text[previous.end()..word.start];
        gap.len() <= 4
            && !gap.contains('\n')
            && (previous.is(announces) || gap == " " && names_role(previous))
    });
    (is_before_contact && !begins) || is_announced
}
