//! Addresses by their place: parts of a line beside a postal code or the city of the posting.

use super::{
    Cues, Hidden, Text, Word,
    around::is_part,
    end::{is_house, is_year},
    is_among,
    street::{PARTICLES, is_compound, is_name},
    word_before,
};
use crate::{
    Range,
    redact::{Kind, id::has_form},
};

/// In words.
const MAX_PART: usize = 10;
const MAX_PARTS: usize = 3;
/// Words before a street's name in its clause.
const MAX_CLAUSE: usize = 4;
const OTHERS: Cues = Cues::LANGUAGES
    .union(Cues::PERSON)
    .union(Cues::ADDRESS)
    .union(Cues::VERB);
const ZONES: &str = include_str!("../tables/zones.txt");
const BUILDINGS: &str = include_str!("../tables/buildings.txt");
const BETWEEN: [&str; 11] = [
    "., ", ", ", "، ", " | ", " · ", " • ", " – ", " — ", " - ", "\n", "; ",
];

/// A postal code with its place, or a city alone.
struct Place {
    /// After a code at the beginning.
    code_end: Option<usize>,
    /// The index after its last word.
    next: usize,
    is_sure: bool,
}

enum Part {
    Address,
    /// After an address: `haven 527`.
    Unit,
    /// Between an address and its place.
    District,
}

/// `Eschenbrink 40-44, 48155 Münster`, `1147 Budapest, Almáskert köz 22`, around the place that
/// begins at `at`.
pub(super) fn beside_place(on: Text<'_>, at: usize, found: &[Hidden], city: &str) -> Option<Range> {
    let (text, words, _) = on.parts();
    let begins = text[..words[at].start].ends_with([' ', '\n', '(', ':']) || at == 0;
    let place = begins.then(|| place(text, words, at, city)).flatten()?;
    let mut first = at;
    let mut range: Option<Range> = None;
    let mut unit_end = None;
    let mut is_beside = true;
    for _ in 0..MAX_PARTS {
        let Some((part, kind)) = before(text, words, first, found, place.is_sure) else {
            break;
        };
        let end = range
            .as_ref()
            .map_or(unit_end.unwrap_or(part.end), |range| range.end);
        first = words.partition_point(|word| word.start < part.start);
        match kind {
            Part::Address => range = Some(part.start..end),
            Part::Unit => unit_end = Some(end),
            Part::District if range.is_none() && unit_end.is_none() => is_beside = false,
            Part::District => break,
        }
    }
    if let Some(range) = range {
        let end = place.code_end.filter(|_| is_beside);
        return Some(range.start..end.unwrap_or(range.end));
    }
    let mut next = place.next;
    for _ in 0..MAX_PARTS {
        let Some(part) = after(text, words, next, place.is_sure) else {
            break;
        };
        let start = range.as_ref().map_or(part.start, |range| range.start);
        range = Some(start..part.end);
        next = words.partition_point(|word| word.start < part.end);
    }
    range
}

fn place(text: &str, words: &[Word<'_>], at: usize, city: &str) -> Option<Place> {
    let gap = |at: usize| {
        let next = words.get(at + 1);
        next.map_or("", |next| &text[words[at].end()..next.start])
    };
    let is_capital = |word: &&Word<'_>| word.is_upper();
    let first = &words[at];
    // "48155 Münster", "D-48155 Münster", "1234 AB Zwolle", "00-950 Warszawa"
    let is_prefix = first.letters() <= 3 && first.is_upper() && matches!(gap(at), "-" | " ");
    let code = at + usize::from(is_prefix);
    if let Some(number) = words.get(code).filter(|word| word.is_number()) {
        let mut last = code;
        let mut length = number.text.len();
        while length < 8
            && matches!(gap(last), " " | "-")
            && let Some(more) = words.get(last + 1)
            && (more.is_number() && more.text.len() <= 4 || has_form(more.text, "AA"))
        {
            length += more.text.len();
            last += 1;
        }
        let place = words.get(last + 1).filter(is_capital)?;
        let is_code = (4..=8).contains(&length) && !(last == code && is_year(number));
        let is_place = is_code && gap(last) == " " && place.letters() >= 3;
        return is_place.then(|| Place {
            code_end: Some(words[last].end()),
            next: last + 2,
            is_sure: true,
        });
    }
    // "Raleigh, NC 27601", "Broadmeadow NSW 2292", "Leeds LS1 4AB", "Lisboa 1990-095"
    for next in at..words.len().min(at + 4) {
        let word = &words[next];
        if next > at && !matches!(gap(next - 1), " " | ", " | "-" | "/") {
            break;
        }
        let is_state = next > at && word.is_capitals() && word.letters() <= 3;
        let number = words.get(next + 1).filter(|_| gap(next) == " ");
        let is_code = number.is_some_and(|number| {
            let digits = number.text.len();
            let is_number = number.text.bytes().all(|b| b.is_ascii_digit());
            let further = words.get(next + 2).map_or("", |word| word.text);
            (is_number && (is_state && digits == 4 || matches!(digits, 5 | 6)))
                || (is_number
                    && digits == 4
                    && gap(next + 1) == "-"
                    && has_form(further, "000")
                    && !is_year(number))
                || has_form(further, "0AA") && matches!(digits, 2..=4)
                || has_form(number.text, "A0A") && has_form(further, "0A0")
        });
        if !word.is_upper() || !is_name(first) {
            break;
        }
        if is_code {
            return Some(Place {
                code_end: None,
                next: next + 2,
                is_sure: true,
            });
        }
    }
    // "Bornova/İzmir"
    let rest = &text[first.start..];
    let is_city = |start: usize| {
        let after = rest.get(start..).and_then(|rest| rest.strip_prefix(city));
        after.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    let second = words.get(at + 1).map_or(0, |word| word.start - first.start);
    let is_local = is_city(0) || matches!(gap(at), "/" | " / " | " ") && is_city(second);
    let end = words[at..].partition_point(|word| word.start < first.start + city.len());
    (!city.is_empty() && is_local && first.is_upper()).then(|| Place {
        code_end: None,
        next: at + end.max(1),
        is_sure: false,
    })
}

/// The part that ends before word `next`.
fn before(
    text: &str,
    words: &[Word<'_>],
    next: usize,
    found: &[Hidden],
    is_sure: bool,
) -> Option<(Range, Part)> {
    let place = words.get(next).map_or(text.len(), |word| word.start);
    let between = BETWEEN.iter().find(|it| text[..place].ends_with(**it))?;
    let end = place - between.len();
    let last = word_before(words, next).filter(|last| last.end() == end)?;
    if !is_of_part(&words[next - 1..], is_sure) {
        return None;
    }
    let mut first = next - 1;
    while next - first < MAX_PART
        && let Some(before) = word_before(words, first)
        && is_within(text, before, &words[first])
        && is_of_part(&words[first - 1..], is_sure)
    {
        first -= 1;
    }
    // "Obala kralja Tomislava 7"
    let whole = (first.saturating_sub(MAX_CLAUSE)..first).find(|whole| {
        let rest = &words[*whole..=first];
        is_sure
            && is_clause(text, words[*whole].start)
            && is_name(&rest[0])
            && rest.iter().all(|it| !it.is(OTHERS))
            && rest.iter().filter(|it| !it.is_upper()).count() <= 1
            && rest
                .windows(2)
                .all(|pair| &text[pair[0].end()..pair[1].start] == " ")
    });
    first = whole.unwrap_or(first);
    // "at 418 Fayetteville Commons"
    while first + 1 < next && is_small(&words[first]) {
        first += 1;
    }
    let company = found.partition_point(|other| other.range.end <= words[first].start);
    let company = company.checked_sub(1).map(|at| &found[at]);
    let company = company.filter(|it| {
        let rest = text[it.range.end..words[first].start].trim_end_matches(' ');
        it.kind == Kind::Company && rest.chars().all(char::is_alphabetic)
    });
    // "[company]kamp 40-44"
    let has_name = company.is_some() && words[first..next].iter().all(Word::is_number);
    let start = company
        .filter(|_| has_name)
        .map_or(words[first].start, |company| company.range.end);
    let begins = company.is_some() || is_clause(text, start);
    // "Our office is at 418 Fayetteville Commons"
    let is_within = || {
        (is_sure || is_street(&words[first..next]))
            && text[..start].ends_with(' ')
            && word_before(words, first).is_some_and(|it| {
                is_small(it) || !it.is_upper() && !it.is_number() && is_name(&words[first])
            })
    };
    let part = &words[first..next];
    let kind = if has_name && is_sure && is_house(last)
        || (begins || is_within()) && is_address(part, is_sure)
    {
        Part::Address
    } else if is_sure
        && begins
        && (part.len() == 2 && is_house(last)
            || part
                .iter()
                .all(|it| it.is(Cues::UNIT) || it.is_letter() || it.is_number()))
    {
        Part::Unit
    } else if is_sure && begins && part.iter().all(is_name) {
        Part::District
    } else {
        return None;
    };
    Some((start..end, kind))
}

fn is_clause(text: &str, start: usize) -> bool {
    let front = text[..start].trim_end_matches([' ', '\u{a0}', '"', '„', '“']);
    front.is_empty()
        || front.ends_with([
            ',', ':', '\n', '\u{1e}', '(', '|', '•', '·', '–', '—', '：', '.', ';', '،', ')',
        ])
}

fn is_small(word: &Word<'_>) -> bool {
    !word.is_upper()
        && word.is(Cues::LANGUAGES)
        && !word.is(Cues::STREET_BEFORE | Cues::UNIT | Cues::STREET_AFTER)
}

/// The part that begins with word `first`.
fn after(text: &str, words: &[Word<'_>], first: usize, is_sure: bool) -> Option<Range> {
    let start = words.get(first)?.start;
    let end = word_before(words, first)?.end();
    if !BETWEEN.contains(&&text[end..start]) || !is_of_part(&words[first..], is_sure) {
        return None;
    }
    let mut last = first;
    while last - first < MAX_PART
        && let Some(next) = words.get(last + 1)
        && is_within(text, &words[last], next)
        && is_of_part(&words[last + 1..], is_sure)
    {
        last += 1;
    }
    let rest = &text[words[last].end()..];
    let ends = rest.is_empty()
        || rest.starts_with(['.', ',', ';', '\n', ')', '|', '،', '(', '·', '•'])
        || rest.starts_with(" |")
        || rest.starts_with(" ·")
        || rest.starts_with(" (")
        || rest.starts_with(" –");
    let part = &words[first..=last];
    let has_street = is_street(part) || is_part(part) || is_sure && part[0].is_upper();
    (ends && has_street && is_address(part, is_sure)).then_some(start..words[last].end())
}

fn is_within(text: &str, before: &Word<'_>, next: &Word<'_>) -> bool {
    const UNITS: Cues = Cues::UNIT.union(Cues::STREET_AFTER);
    match &text[before.end()..next.start] {
        " " | "\u{a0}" | "-" | "–" | "’" | "'" | "/" | "/ " | " #" | " # " | "º " | ".º " => {
            true
        }
        " - " | " – " => before.is_number(),
        // "22. B épület, 9. emelet"
        "." | ". " if before.is_number() => next.is(UNITS) || next.is_letter() || next.is_number(),
        "." | ". " => {
            before.letters() <= 4 && !next.is_number()
                || before.is_letter()
                || before.is(Cues::STREET_BEFORE.union(UNITS))
        }
        ": " | ":" => before.is(Cues::UNIT) && next.is_number(),
        _ => false,
    }
}

/// Whether the first word may be of an address.
fn is_of_part(words: &[Word<'_>], is_sure: bool) -> bool {
    let word = &words[0];
    let is_known = word.is(Cues::STREET_BEFORE | Cues::STREET_AFTER | Cues::UNIT)
        || is_among(PARTICLES, &word.lower)
        || is_among(ZONES, &word.lower)
        || is_among(BUILDINGS, &word.lower);
    // "haven 527"
    let is_before_number = is_sure
        && !word.is(Cues::LANGUAGES)
        && words
            .get(1)
            .is_some_and(|next| next.is_number() && next.letters() <= 4);
    let is_other = word.letters() >= 3
        && word.is(Cues::PERSON | Cues::PHONE | Cues::ID | Cues::HANDLE | Cues::VERB);
    word.is_upper() && !is_other
        || word.is_number() && word.letters() <= 5
        || word.is_letter()
        || is_known
        || is_before_number && !is_other
}

fn is_street(part: &[Word<'_>]) -> bool {
    let is_word = |word: &Word<'_>| {
        word.letters() > 1
            && (word.is(Cues::STREET_BEFORE | Cues::STREET_AFTER) || is_compound(word))
    };
    part.len() > 1 && part.iter().any(is_word)
}

fn is_address(part: &[Word<'_>], is_sure: bool) -> bool {
    let has_house = part.iter().any(|word| is_house(word) && !is_year(word));
    let has_name = part
        .iter()
        .any(|word| word.letters() >= 3 && !word.is_number());
    // "ISO 9001"
    let is_norm = part.len() == 2 && part[0].is_capitals();
    // "418 Fayetteville Commons", but not "12 drivers"
    let is_known =
        is_street(part) || is_sure && part.len() > if part[0].is_number() { 2 } else { 1 };
    let first = &part[0];
    let begins = first.is_upper()
        || first.is_number()
        || first.is(Cues::STREET_BEFORE | Cues::UNIT)
        || is_among(ZONES, &first.lower);
    is_part(part) || begins && !is_norm && has_house && has_name && is_known
}
