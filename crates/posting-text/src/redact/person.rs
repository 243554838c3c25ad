//! Further mentions of persons, their forms of address, and given names.

use super::{
    cues::{self, Cues},
    found::apart,
    inflect::{self, Stem},
    script::{Script, is_unspaced},
    vocabulary::List,
    words::{Text, Word, unaccented, word_before},
};
use crate::{Range, Result};

/// The most names that are looked for in the whole text.
const MAX_NAMES: usize = 24;

static PARTICLES: List = List::new(
    "van von der den de ter da dos del della di la le af av bin ibn el al ben zu zur y e",
);
/// Given names that are also words, places or products, and words that look like their forms.
static UNSURE: List = List::new(include_str!("tables/given_names_unsure.txt"));
/// Endings of cases, which replace nothing, `a`, `o` or a soft sign.
static ENDINGS: List = List::new(include_str!("tables/given_name_endings.txt"));
static ROLES: List = List::new(include_str!("tables/roles.txt"));
static EASTERN_TITLES: List = List::new(include_str!("tables/eastern_titles.txt"));

/// Adds the forms of address of these persons, and where the text mentions them again.
pub(super) fn persons(on: Text<'_>, families: Cues, found: Vec<Range>) -> Result<Vec<Range>> {
    let (text, words, budget) = on.parts();
    let mut out = found;
    again(on, families, &mut out)?;
    let mut seen: Vec<&str> = Vec::new();
    for at in 0..out.len() {
        let name = &text[out[at].clone()];
        if name.starts_with(is_unspaced) && seen.len() < MAX_NAMES && !seen.contains(&name) {
            budget.spend(text.len())?;
            out.extend(again_in_east(text, name));
            seen.push(name);
        }
    }
    let mut out = apart(out);
    let mut free = 0;
    for person in &mut out {
        with_titles(text, words, free, person);
        free = person.end;
    }
    Ok(out)
}

/// Adds repeated names of found persons, in any case: `Dr. Weiss`, `Hanna`, `Hannalle`.
fn again(on: Text<'_>, families: Cues, out: &mut Vec<Range>) -> Result<()> {
    let (text, words, budget) = on.parts();
    let mut names: Vec<(&str, Vec<Stem>)> = Vec::new();
    for person in &*out {
        let first = words.partition_point(|word| word.start < person.start);
        let last = words.partition_point(|word| word.start < person.end);
        let all = &words[first..last.max(first)];
        let is_titled = word_before(words, first).is_some_and(|title| title.is(Cues::TITLE));
        let given = all.iter().position(is_given);
        let start = given.unwrap_or(if is_titled { 0 } else { all.len() });
        for (at, word) in all.iter().enumerate() {
            let is_new = !names.iter().any(|(name, _)| *name == word.lower);
            let is_plain = given.is_none() && word.cues.is_empty();
            if is_new && names.len() < MAX_NAMES && (is_plain || at >= start) && may_return(word) {
                let stems = inflect::stems(&word.lower, families & inflect::WITH_CASES);
                names.push((&word.lower, stems));
            }
        }
    }
    if names.is_empty() {
        return Ok(());
    }
    budget.spend(words.len())?;
    out.sort_by_key(|range| range.start);
    let known = out.len();
    let mut at = 0;
    for word in words {
        while at < known && out[at].end <= word.start {
            at += 1;
        }
        if !word.is_upper() || (at < known && out[at].start < word.end()) {
            continue;
        }
        budget.spend(names.len())?;
        let is_known = |(name, stems): &(&str, Vec<Stem>)| {
            word.lower
                .strip_prefix(name)
                .is_some_and(|rest| matches!(rest, "" | "s"))
                || name.get(..2) == word.lower.get(..2)
                    && (inflect::is_form(stems, &word.lower)
                        || !stems.is_empty() && is_form(name, |base| base == word.lower))
        };
        if names.iter().any(is_known) {
            match out[known..]
                .last_mut()
                .filter(|last| &text[last.end..word.start] == " ")
            {
                Some(last) => last.end = word.end(),
                None => out.push(word.start..word.end()),
            }
        }
    }
    Ok(())
}

/// Whether the name of a person counts alone.
fn may_return(word: &Word<'_>) -> bool {
    let other = Cues::GENERIC
        | Cues::LEGAL
        | Cues::LANGUAGES
        | Cues::PLACE
        | Cues::REGION
        | Cues::TITLE
        | Cues::PERSON
        | Cues::STREET_AFTER
        | Cues::UNIT
        | Cues::VERB;
    // A given name may also be a county or a street.
    let is_given = word.is(Cues::GIVEN) && word.is(Cues::REGION | Cues::STREET_AFTER | Cues::UNIT);
    word.is_upper()
        && word.letters() >= 3
        && (!word.is(other) || is_given)
        && !word.is_unspaced()
        && !is_particle(word)
}

/// Ends of forms of address after a full stop (`Sig.ra`, `D.ª`), and faculties (`Dr. med.`).
static TITLE_ENDINGS: List = List::new("ra ssa na rina ª º med phil jur rer nat oec dent vet");

/// Adds forms of address and degrees before a name: `Frau Dipl.-Ing. Brenner`, `Sig.ra Fabbri`.
fn with_titles(text: &str, words: &[Word<'_>], free: usize, person: &mut Range) {
    let mut at = words.partition_point(|word| word.end() <= person.start);
    while let Some(title) = word_before(words, at).filter(|title| title.start >= free) {
        let is_ending =
            TITLE_ENDINGS.has(&title.lower) && text[..title.start].trim_end().ends_with('.');
        // "D. Anselmo", "M. Jean Pinson"
        let is_letter = matches!(title.text, "D" | "M");
        let is_title = is_ending || is_letter || title.is(Cues::TITLE) && !is_role(&title.lower);
        let gap = text.get(title.end()..person.start).unwrap_or_default();
        if !is_title || !matches!(gap, " " | "." | ". " | "\u{a0}" | ".\u{a0}" | ".-") {
            break;
        }
        person.start = title.start;
        at -= 1;
    }
}

/// In any case of the languages that have some.
pub(super) fn is_given(word: &Word<'_>) -> bool {
    let lower = &*word.lower;
    let is_known = |form: &str| cues::are_of(form, Cues::GIVEN);
    word.is(Cues::GIVEN)
        || !UNSURE.has(lower) && (is_known(&unaccented(lower)) || is_form(lower, is_known))
}

/// Whether the word is a known name in any case.
fn is_form(lower: &str, is_known: impl Fn(&str) -> bool) -> bool {
    const BASES: [&str; 12] = ["", "a", "o", "e", "й", "ь", "я", "а", "as", "is", "s", "ek"];
    if is_known(lower) {
        return true;
    }
    if lower.is_ascii() && lower.len() < 5 {
        return false;
    }
    let mut name = String::new();
    for (at, _) in lower.char_indices().rev().take(4) {
        let (stem, ending) = lower.split_at(at);
        if stem.chars().count() < 3 || !ENDINGS.has(ending) {
            continue;
        }
        for end in BASES {
            name.clear();
            name.push_str(stem);
            name.push_str(end);
            if is_known(&name) {
                return true;
            }
        }
    }
    false
}

fn is_particle(word: &Word<'_>) -> bool {
    PARTICLES.has(&word.lower)
}

/// `Praxismanagerin`, `työmaapäällikkö`
fn is_role(lower: &str) -> bool {
    static ENDINGS: List = List::new(include_str!("tables/role_endings.txt"));
    ROLES.has(lower) || lower.chars().nth(7).is_some() && ENDINGS.ends(lower)
}

/// Adds later mentions by the family name in Japanese (`江藤が`) or by the given name with a title
/// in Korean (`누리 팀장`).
fn again_in_east(text: &str, name: &str) -> Vec<Range> {
    static PARTICLES: List = List::new("が は も を に へ と ま さ 様 氏 宛");
    let script = Script::of_text(name);
    let short = match script {
        Script::Hangul if name.chars().count() == 3 => {
            let family = name.chars().next().map_or(0, char::len_utf8);
            &name[family..]
        }
        Script::Han => name.split([' ', '\u{3000}']).next().unwrap_or(name),
        _ => return Vec::new(),
    };
    if short.len() == name.len() || short.chars().nth(1).is_none() {
        return Vec::new();
    }
    let is_letter = |c| Script::of(c) == script;
    let is_title = |it| EASTERN_TITLES.begins(it);
    let mentions = text.match_indices(short).filter(|(at, _)| {
        let next = &text[at + short.len()..];
        let follows = PARTICLES.begins(next)
            || script == Script::Hangul && next.strip_prefix(' ').is_some_and(is_title);
        follows && !text[..*at].ends_with(is_letter)
    });
    mentions.map(|(at, it)| at..at + it.len()).collect()
}
