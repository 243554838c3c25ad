//! The words of a related company's name.

use std::cell::LazyCell;

use super::{
    ACRONYMS, Context, Cues, List, MAX_WORDS, OUR, Script, Word, begins_sentence, cues, inflect,
    is_cased, is_gap, is_ordinary, joined,
    lists::{GROUPS, HOUSE_FOR},
    words,
};

/// Names of no companies behind a phrase, or of none that must be hidden, and ends of German nouns.
static OTHERS: List = List::new(include_str!("../../tables/related_others.txt"));
static NOUNS: List = List::new(include_str!("../../tables/related_nouns.txt"));
/// Small words within names.
static SMALL: List = List::new(
    "\
    of and und vom et y e & d l de del della dei du des do da dos das la der och og en the van von",
);

pub(super) fn run_end(text: &str, all: &[Word<'_>], from: usize) -> usize {
    let mut end = from;
    for at in from..all.len().min(from + MAX_WORDS) {
        let word = &all[at];
        if at > from {
            let gap = &text[all[at - 1].end()..word.start];
            let is_within = is_gap(gap, all[at - 1].text)
                && !gap.contains(['”', '“', '»', '/', '•', '–'])
                && !(gap.starts_with(". ") && all[at - 1].letters() > 1);
            if !is_within {
                break;
            }
        }
        let is_compound = at > from && text[..word.start].ends_with('-');
        if word.is_upper() || (at > from && word.is_number()) || is_compound {
            end = at + 1;
        } else if at > from
            && word.is(Cues::LEGAL | Cues::PARTNERS)
            && !word.is(Cues::SMALL | Cues::VERB)
            && end == at
        {
            // "Severn Utilities plc"
            end = at + 1;
        } else if at == from || !(SMALL.has(&word.lower) || GROUPS.has(&word.lower)) {
            break;
        }
    }
    // "Vidra S.p.A."
    let is_form =
        |end: usize| all[end - 1].is_letter() && text[all[end - 1].end()..].starts_with('.');
    end - usize::from(end > from + 1 && is_form(end))
}

pub(super) fn is_group_word(word: &Word<'_>) -> bool {
    static ENDINGS: List =
        List::new("gruppe gruppen koncernen konsernet konzern groep csoport konserni");
    GROUPS.has(&word.lower)
        || ENDINGS
            .without_ending(&word.lower)
            .is_some_and(|name| name.len() > 3)
}

/// One word is proper, and they are no place.
pub(super) fn is_name(
    run: &[Word<'_>],
    of_group: bool,
    title: &[Word<'_>],
    context: &Context<'_>,
) -> bool {
    let city = LazyCell::new(|| {
        let city = words(context.posting.city.unwrap_or_default());
        let stems = |word: &Word<'_>| inflect::stems(&word.lower, context.families);
        city.iter().flat_map(stems).collect::<Vec<_>>()
    });
    let shown = context.posting.title;
    // "Cook – Ash Inn"
    let is_part = |word: &&Word<'_>| {
        let before = shown[..word.start].trim_end();
        word.lower == run[0].lower && before.ends_with(['–', '—', '-', '|', '/', ':', ',', '@'])
    };
    let is_named = title.iter().find(is_part).is_some();
    let is_of_title = |lower: &str| {
        let at = title
            .iter()
            .position(|word| !is_named && &*word.lower == lower);
        // "Cook at Ash Inn"
        let before = |at| title[..at].iter().rfind(|word| !word.is_upper());
        let is_at = |word: &Word<'_>| HOUSE_FOR.has(&word.lower) || OUR.has(&word.lower);
        at.is_some_and(|at| !before(at).is_some_and(is_at))
    };
    let is_proper = |word: &Word<'_>| {
        let is_acronym = word.is_capitals() && word.letters() <= 5;
        let is_other = is_ordinary(&word.lower)
            || (is_acronym && run.len() == 1)
            || word.is(Cues::LANGUAGES
                | Cues::AFFIX
                | Cues::PLACE
                | Cues::REGION
                | Cues::PERSON
                | Cues::TITLE)
            || ACRONYMS.has(word.text)
            || OTHERS.has(&word.lower)
            || NOUNS.ends(&word.lower)
            || is_of_title(&word.lower)
            || GROUPS.has(&word.lower);
        let is_city = || city.iter().any(|stem| stem.begins(&word.lower));
        !is_other && word.letters() >= 3 && !context.is_place(&word.lower) && !is_city()
    };
    let spaced: Vec<&str> = run.iter().map(|word| &*word.lower).collect();
    // "Marmara Holding", "Rede Pinhão", "Cerámica Cholula", "Red River Savings"
    let is_group = |word: &Word<'_>| word.is(Cues::LEGAL) || is_group_word(word);
    let is_local = |word: &Word<'_>| word.is(Cues::REGION) || context.is_place(&word.lower);
    let capitals = run.iter().filter(|word| word.is_upper()).count();
    let is_of_group = of_group
        || (capitals >= 2
            && (run.iter().any(is_group)
                || (run.iter().any(is_local) && run.iter().any(|it| is_ordinary(&it.lower)))))
        || capitals >= 3;
    (run.iter().any(is_proper) || is_of_group)
        && (of_group || !context.is_place(&spaced.join(" ")))
        && !cues::are_of(&joined(run), Cues::GENERIC)
        && (is_cased(run[0].text) || Script::of_text(run[0].text) != Script::Latin)
}

/// The capitalised words before a legal form, and its first word.
pub(super) fn with_form<'c>(
    context: &'c Context<'_>,
    at: usize,
    form: &Word<'_>,
) -> Option<&'c [Word<'c>]> {
    const DOTTED: [&str; 9] = [
        "s.r.o", "a.s.", "A.Ş.", "S.A.", "S.L.", "d.o.o", "B.V.", "N.V.", "S.r.l",
    ];
    let (text, all) = (context.text, context.all);
    let rest = &text[form.start..];
    let is_form = form.is(Cues::LEGAL)
        && (2..=5).contains(&form.letters())
        && form.is_upper()
        && !matches!(form.text, "CV" | "MB" | "PT" | "HF" | "Co")
        && (form.text != "PLC" || context.families.intersects(Cues::ENGLISH))
        && !rest[form.text.len()..].starts_with('-');
    if !is_form && !DOTTED.iter().any(|dotted| rest.starts_with(dotted)) {
        return None;
    }
    let joins = |later: usize| {
        let gap = &text[all[later - 1].end()..all[later].start];
        let is_comma = later == at && gap == ", " && form.text.is_ascii();
        let is_within = later > 1 && later < at && all[later].is_upper();
        (matches!(gap, " " | "-" | " & " | " „" | " \"") || is_comma)
            && (all[later - 1].is_upper()
                || is_within && SMALL.has(&all[later - 1].lower) && all[later - 2].is_upper())
    };
    let count = (0..MAX_WORDS).take_while(|back| at > *back && joins(at - back));
    let mut first = at - count.count();
    // "Die Dornfeld GmbH"
    let is_begun = all[first].is(Cues::LANGUAGES) && begins_sentence(text, all[first].start);
    first += usize::from(is_begun || !all[first].is_upper());
    (first < at).then(|| &all[first..=at])
}
