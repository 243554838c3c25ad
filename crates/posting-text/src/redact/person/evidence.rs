use super::{Cues, Word, word_before};
use crate::{
    Range,
    redact::{cues, inflect, script::Script, vocabulary::List, words::unaccented},
};

static PARTICLES: List = List::new(
    "van von der den de ter da dos del della di la le af av bin ibn el al ben zu zur y e",
);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Evidence {
    For,
    Against,
    None,
}

static ROLES: List = List::new(include_str!("../tables/roles.txt"));

/// Given names that are also words, places or products, and words that look like their forms.
pub(super) static UNSURE: List = List::new(include_str!("../tables/given_names_unsure.txt"));

/// Endings of family names and patronymics, in any case, from census offices.
static FAMILY: List = List::new(include_str!("../tables/family_endings.txt"));

/// Endings of cases, which replace nothing, `a`, `o` or a soft sign.
static ENDINGS: List = List::new(include_str!("../tables/given_name_endings.txt"));

/// `Praxismanagerin`, `työmaapäällikkö`
pub(super) fn names_role(word: &Word<'_>) -> bool {
    static ENDINGS: List = List::new(include_str!("../tables/role_endings.txt"));
    ROLES.has(&word.lower) || word.letters() >= 8 && ENDINGS.ends(&word.lower)
}

pub(super) fn evidence(names: &[Word<'_>]) -> Evidence {
    let (Some(first), Some(last)) = (names.first(), names.last()) else {
        return Evidence::Against;
    };
    // Hungarian, Chinese and Vietnamese names end with the given name.
    if is_given(first) && (names.len() >= 2 || !names_role(first)) {
        return Evidence::For;
    }
    if names_role(last) {
        return Evidence::Against;
    }
    if names.len() >= 2 && is_given(last) {
        return Evidence::For;
    }
    let against = Cues::GENERIC
        | Cues::LEGAL
        | Cues::PERSON
        | Cues::ADDRESS
        | Cues::ID
        | Cues::HANDLE
        | Cues::STREET_AFTER;
    // "Van" is a car as well as a part of a family's name.
    let is_other =
        |(at, word): (usize, &Word<'_>)| word.is(against) && !(at > 0 && is_particle(word));
    if names.iter().enumerate().any(is_other) {
        return Evidence::Against;
    }
    let is_family = |word: &Word<'_>| {
        FAMILY.words().any(|ending| {
            word.lower
                .strip_suffix(ending)
                .is_some_and(|front| front.chars().count() >= 3)
        })
    };
    if names.len() >= 2 && names.iter().skip(1).any(is_family) {
        return Evidence::For;
    }
    Evidence::None
}

pub(super) fn is_particle(word: &Word<'_>) -> bool {
    PARTICLES.has(&word.lower)
}

/// Whether a word has a meaning besides a name; a given name may also be a street or a region.
pub(super) fn is_other(word: &Word<'_>) -> bool {
    let also = Cues::GIVEN | Cues::STREET_AFTER | Cues::UNIT | Cues::REGION;
    word.is(!also) || !word.is(Cues::GIVEN) && !word.cues.is_empty()
}

/// In any case of the languages that have some.
pub(in crate::redact) fn is_given(word: &Word<'_>) -> bool {
    let is_known = |form: &str| cues::are_of(form, Cues::GIVEN);
    word.is(Cues::GIVEN)
        || !UNSURE.has(&word.lower)
            && (is_known(&unaccented(&word.lower)) || is_form(&word.lower, is_known))
}

/// Whether the word is a known name in any case.
pub(super) fn is_form(lower: &str, is_known: impl Fn(&str) -> bool) -> bool {
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

/// Arabic or Hebrew: a given name and the next word, or the words after a colon.
pub(super) fn uncased(
    text: &str,
    words: &[Word<'_>],
    at: usize,
    is_announced: bool,
) -> Option<Range> {
    let first = &words[at];
    // A form of address belongs to no name.
    let follows = |next: &&Word<'_>| &text[first.end()..next.start] == " ";
    let titled = words.get(at + 1).filter(|_| first.is(Cues::TITLE));
    let at = at + usize::from(titled.as_ref().is_some_and(follows));
    let word = &words[at];
    let script = Script::of_text(word.text);
    if !matches!(script, Script::Arabic | Script::Hebrew) {
        return None;
    }
    // A prefix is joined to the name, with or without a tatweel (`ـ`) between.
    let bare = word.lower.rsplit('ـ').next().unwrap_or_default();
    let given = |name: &&str| cues::are_of(name, Cues::GIVEN);
    let name = Some(&*word.lower).filter(given).or_else(|| {
        let bare = Some(bare).filter(given);
        bare.or_else(|| inflect::without_prefix(&word.lower).find(given))
    });
    let is_given = name.is_some();
    let start = word.end() - name.map_or(word.text.len(), str::len);
    let titled = word_before(words, at).is_some_and(|title| {
        let is_title = |lower: &str| cues::are_of(lower, Cues::TITLE);
        is_title(&title.lower) || inflect::without_prefix(&title.lower).any(is_title)
    });
    let follows_colon = is_announced && text[..first.start].trim_end().ends_with([':', '：']);
    // "بالأستاذة منال": such a title announces a person.
    let is_beside =
        |next: &Word<'_>| next.start == word.end() + 1 && Script::of_text(next.text) == script;
    let is_addressed = titled && words.get(at + 1).is_some_and(is_beside);
    if !(is_given || follows_colon || is_addressed) {
        return None;
    }
    let mut end = word.end();
    let mut count = 1;
    for next in words[at + 1..].iter().take(3) {
        let joins = matches!(&text[end..next.start], " " | "-" | "\u{a0}" | "'" | "׳");
        if !joins || Script::of_text(next.text) != script || next.is(Cues::PERSON) {
            break;
        }
        // Without a colon before it, a given name has one further word: the family name.
        let joins_on = next.is(Cues::PHONE | Cues::HANDLE | Cues::TITLE);
        if joins_on {
            break;
        }
        if !follows_colon && count == 2 && &text[end..next.start] != "-" {
            break;
        }
        end = next.end();
        count += 1;
    }
    let is_whole = !follows_colon || is_given || text[end..].starts_with([',', '،', '.', '\n']);
    let fewest = if titled && is_given { 1 } else { 2 };
    ((fewest..=4).contains(&count) && is_whole).then_some(start..end)
}

/// Two words of Arabic or Hebrew before a number: `צרו קשר עם אביגיל שטרית, 052-…`.
pub(super) fn called(text: &str, words: &[Word<'_>], at: usize, contact: &Range) -> Option<Range> {
    static WITH: List = List::new("עם אל את مع إلى على عند");
    let (word, family) = (&words[at], words.get(at + 1)?);
    let before = word_before(words, at);
    let script = Script::of_text(word.text);
    let is_pair = matches!(script, Script::Arabic | Script::Hebrew)
        && &text[word.end()..family.start] == " "
        && Script::of_text(family.text) == script
        && !word.is(Cues::PERSON | Cues::PHONE | Cues::TITLE | Cues::GENERIC);
    let is_before = matches!(
        text.get(family.end()..contact.start),
        Some(", " | "، " | " (" | " - " | " – " | ": ")
    );
    // Alone in a clause: "052-5550182, רותם שקדי."
    let opens = (word.start == 0 || text[..word.start].ends_with('\n'))
        && matches!(text.get(family.end()..contact.start), Some(", " | "، "));
    let follows = matches!(text.get(contact.end..word.start), Some(", " | "، "))
        && text[family.end()..].starts_with(['.', ',', '،', '\n']);
    if is_pair && (opens || follows) {
        return Some(word.start..family.end());
    }
    let is_called = before.is_some_and(|before| {
        &text[before.end()..word.start] == " "
            && (before.is(Cues::TITLE) || WITH.has(&before.lower))
    });
    (is_pair && is_before && is_called).then(|| word.start..family.end())
}
