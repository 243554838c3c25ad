//! Addresses before a place: a postal code or the city of the posting.

use super::{
    Cues, Text, Word,
    parts::{is_part, is_within, may_be_part},
    piece::{BETWEEN, begins_clause, code_before_city, gap, is_exact, is_house, is_name, is_year},
    word_before,
};
use crate::{Range, redact::id::has_form};

/// In words.
const MAX_PART: usize = 10;
const MAX_PARTS: usize = 3;
/// Words before a street's name in its clause.
const MAX_CLAUSE: usize = 4;
const OTHERS: Cues = Cues::LANGUAGES
    .union(Cues::PERSON)
    .union(Cues::ADDRESS)
    .union(Cues::VERB);
/// `Eschenbrink 40-44, 48155 Münster`, before the place that begins at `at`. Ends with the code.
pub(super) fn before_place(on: Text<'_>, at: usize, city: &str) -> Option<Range> {
    let (text, words, _) = on.parts();
    if !text[..words[at].start].ends_with([' ', '\n', '(', ':']) {
        return None;
    }
    let code = code_before_city(text, words, at);
    let exact = code.filter(|code| is_exact(text, *code));
    let is_postcode = words[at].is_upper() && is_code(text, words, at, false);
    let is_sure = code.is_some() || is_postcode || is_before_code(text, words, at);
    if !(is_sure || is_city(text, words, at, city)) {
        return None;
    }
    let mut first = at;
    let mut range: Option<Range> = None;
    for _ in 0..MAX_PARTS {
        let Some(part) = before(text, words, first, is_sure) else {
            break;
        };
        first = words.partition_point(|word| word.start < part.start);
        let end = range.map_or(part.end, |range| range.end);
        range = Some(part.start..exact.unwrap_or(end));
    }
    range
}

/// `Raleigh, NC 27601`, `Broadmeadow NSW 2292`, `Leeds LS1 4AB`, `Lisboa 1990-095`
fn is_before_code(text: &str, words: &[Word<'_>], at: usize) -> bool {
    const MAX_CITY: usize = 4;
    let is_city = |last: &usize| {
        words[*last].is_upper()
            && (*last == at || matches!(gap(text, words, last - 1), " " | ", " | "-" | "/"))
    };
    let mut ends = (at..words.len().min(at + MAX_CITY)).take_while(is_city);
    is_name(&words[at])
        && ends.any(|last| {
            let is_state = last > at && words[last].is_capitals() && words[last].letters() <= 3;
            let number = words
                .get(last + 1)
                .filter(|_| gap(text, words, last) == " ");
            number.is_some() && is_code(text, words, last + 1, is_state)
        })
}

fn is_code(text: &str, words: &[Word<'_>], at: usize, is_after_state: bool) -> bool {
    let code = words[at].text;
    let has_more = gap(text, words, at) == "-" && !is_year(&words[at]);
    let further = words.get(at + 1).map_or("", |word| word.text);
    has_form(code, "00000")
        || has_form(code, "000000")
        || has_form(code, "0000") && (is_after_state || has_more && has_form(further, "000"))
        || has_form(further, "0AA") && matches!(code.len(), 2..=4)
        || has_form(code, "A0A") && has_form(further, "0A0")
}

/// The city of the posting.
fn is_city(text: &str, words: &[Word<'_>], at: usize, city: &str) -> bool {
    let after = text[words[at].start..].strip_prefix(city);
    !city.is_empty() && after.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

/// The part that ends before word `next`.
fn before(text: &str, words: &[Word<'_>], next: usize, is_sure: bool) -> Option<Range> {
    let place = words[next].start;
    let between = BETWEEN.iter().find(|it| text[..place].ends_with(**it))?;
    let end = place - between.len();
    word_before(words, next).filter(|last| last.end() == end && may_be_part(last))?;
    let run = words[..next].windows(2).rev().take(MAX_PART - 1);
    let run = run.take_while(|pair| is_within(text, &pair[0], &pair[1]) && may_be_part(&pair[0]));
    let first = next - 1 - run.count();
    // "Obala kralja Tomislava 7"
    let whole = (first.saturating_sub(MAX_CLAUSE)..first).find(|whole| {
        let rest = &words[*whole..=first];
        let mut pairs = rest.windows(2);
        is_sure
            && begins_clause(text, rest[0].start)
            && is_name(&rest[0])
            && rest.iter().all(|it| !it.is(OTHERS))
            && pairs.all(|pair| &text[pair[0].end()..pair[1].start] == " ")
    });
    let first = whole.unwrap_or(first);
    let start = words[first].start;
    // "Our office is at 418 Fayetteville Commons"
    let is_in_sentence = is_sure
        && text[..start].ends_with(' ')
        && word_before(words, first).is_some_and(|it| !it.is_upper() && !it.is_number());
    let is_address = is_address(&words[first..next], is_sure);
    (is_address && (is_in_sentence || begins_clause(text, start))).then_some(start..end)
}

fn is_address(part: &[Word<'_>], is_sure: bool) -> bool {
    let has_house = part.iter().any(|word| is_house(word) && !is_year(word));
    let is_telling = |word: &Word<'_>| word.letters() >= 3 && !word.is_number();
    let has_name = part.iter().any(is_telling);
    // "ISO 9001"
    let is_norm = part.len() == 2 && part[0].is_capitals();
    // "418 Fayetteville Commons", but not "12 drivers"
    let is_long = part.len() > if part[0].is_number() { 2 } else { 1 };
    let first = &part[0];
    let begins =
        first.is_upper() || first.is_number() || first.is(Cues::STREET_BEFORE | Cues::UNIT);
    is_part(part) || is_sure && begins && !is_norm && has_house && has_name && is_long
}
