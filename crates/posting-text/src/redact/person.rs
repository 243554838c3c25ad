//! Finds persons to contact: beside a number or an e-mail address, or after a word for one.
//!
//! A run of capitalised words is a person by its words or its place.

mod beside;
mod eastern;
mod evidence;
mod known;
mod relatives;
mod roles;
mod run;

pub(super) use self::evidence::is_given;
use self::{
    beside::beside,
    evidence::{Evidence, evidence, is_particle},
    run::{ACADEMIC, PREPOSITIONS, first_name, has_contact, is_followed, is_name, line_end, run},
};
use super::{
    Hidden,
    cues::Cues,
    found::apart,
    inflect::{self, Stem},
    script::is_unspaced,
    vocabulary::List,
    words::{Text, Word, begins_sentence, word_before},
};
use crate::{Range, Result, places, redact::Kind};

const AHEAD: usize = 9;
/// The most names that are looked for in the whole text.
const MAX_NAMES: usize = 24;
type Search = fn(&str, &[Word<'_>], usize) -> Option<Range>;

/// `words` are those outside everything in `found`.
pub(super) fn persons(
    on: Text<'_>,
    families: Cues,
    found: &[Hidden],
    country: Option<&str>,
) -> Result<Vec<Range>> {
    const SEARCH_STEPS: usize = 300;
    const ALONE_STEPS: usize = 10;
    let (text, words, budget) = on.parts();
    budget.spend(words.len() + found.len())?;
    let mut out: Vec<Range> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let is_ascii = word.lower.is_ascii();
        let searches: [(bool, Search); 7] = [
            (!is_ascii && eastern::may_announce(word), eastern::person),
            (!is_ascii && word.text.contains("คุณ"), eastern::thai),
            (word.text == "HR", eastern::after_latin),
            (word.is(Cues::TITLE), after_title),
            (word.is(Cues::PERSON), announced),
            (word.is(Cues::CLOSING), signed),
            (roles::is_family(word), roles::family),
        ];
        if word.is_upper() && roles::may_begin(text, words, at) {
            budget.spend(SEARCH_STEPS)?;
            out.extend(roles::beside(text, words, at, families));
        }
        if word.is_upper() {
            budget.spend(ALONE_STEPS)?;
            out.extend(roles::alone(words, at));
            out.extend(known::known(text, words, at, families));
        }
        for (_, search) in searches.into_iter().filter(|(is_such, _)| *is_such) {
            budget.spend(SEARCH_STEPS)?;
            out.extend(search(text, words, at));
        }
    }
    for contact in found.iter().filter(|it| is_contact(it)) {
        budget.spend(SEARCH_STEPS)?;
        beside(text, words, &contact.range, &mut out);
    }
    relatives::of_company(on, found, &mut out)?;
    let mut at = 0;
    while let Some(person) = out.get(at) {
        budget.spend(SEARCH_STEPS)?;
        let next = roles::joined(text, words, person);
        out.extend(next.filter(|next| at < words.len() && !out.contains(next)));
        at += 1;
    }
    budget.spend(out.len())?;
    let mut out = apart(out);
    // "from Bodø": a city, unless a form of address precedes it.
    out.retain(|person| {
        let at = words.partition_point(|word| word.start < person.start);
        let is_titled = word_before(words, at).is_some_and(|it| it.is(Cues::TITLE));
        let name = &text[person.clone()];
        let is_given = words
            .get(at)
            .is_some_and(|it| it.is(Cues::GIVEN) || it.is_unspaced());
        is_titled || is_given || !country.is_some_and(|of| places::is_city(of, name))
    });
    again(on, families, &mut out)?;
    let mut seen: Vec<&str> = Vec::new();
    for at in 0..out.len() {
        let name = &text[out[at].clone()];
        if name.starts_with(is_unspaced) && seen.len() < MAX_NAMES && !seen.contains(&name) {
            budget.spend(text.len())?;
            out.extend(eastern::again(text, name));
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

const fn is_contact(found: &Hidden) -> bool {
    matches!(found.kind, Kind::Email | Kind::Phone | Kind::Handle)
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
            let is_form = |stem: &Stem| stem.begins(&word.lower);
            word.lower
                .strip_prefix(name)
                .is_some_and(|rest| matches!(rest, "" | "s"))
                || name.get(..2) == word.lower.get(..2)
                    && (stems.iter().any(is_form)
                        || !stems.is_empty() && evidence::is_form(name, |base| base == word.lower))
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

/// After the greeting of a letter, also on the next line: `Kind regards, Kezia Marsh`.
fn signed(text: &str, words: &[Word<'_>], at: usize) -> Option<Range> {
    let greeting = &words[at];
    let first = words.get(at + 1)?;
    let is_near = first.start - greeting.end() <= 8;
    if !is_near || !is_name(first) || first.is(Cues::CLOSING) {
        return None;
    }
    let end = run(text, words, at + 1);
    let names = words.get(at + 1..end)?;
    let (first, last) = names.first().zip(names.last())?;
    let is_person = match evidence(names) {
        Evidence::For => true,
        Evidence::Against => false,
        Evidence::None => (2..=4).contains(&names.len()),
    };
    (is_person && is_followed(text, last.end())).then(|| first.start..last.end())
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
        let is_title =
            is_ending || is_letter || title.is(Cues::TITLE) && !evidence::names_role(title);
        let gap = &text[title.end()..person.start];
        if !is_title || !matches!(gap, " " | "." | ". " | "\u{a0}" | ".\u{a0}" | ".-") {
            break;
        }
        person.start = title.start;
        at -= 1;
    }
}

/// `Seidlmayer` of `Frau Seidlmayer`, `Mr. Dr. Aigner`
fn after_title(text: &str, words: &[Word<'_>], at: usize) -> Option<Range> {
    let title = &words[at];
    let mut first = at + 1;
    let mut last = title;
    // Further titles: "Herr Dr. Aigner".
    loop {
        let word = words.get(first)?;
        let gap = &text[last.end()..word.start];
        let is_ending = gap.starts_with('.') && TITLE_ENDINGS.has(word.text);
        if !is_ending && !matches!(gap, " " | ". " | "\u{a0}" | ".\u{a0}") {
            return None;
        }
        if !is_ending && (!word.is(Cues::TITLE) || !word.is_upper()) {
            break;
        }
        last = word;
        first += 1;
    }
    // "mevrouw van der Zalm"
    let particles = first;
    let is_academic = |word: &Word<'_>| ACADEMIC.has(&word.lower);
    if !words[at..first].iter().any(is_academic) {
        first = (first..words.len().min(first + 3)).find(|name| !is_particle(&words[*name]))?;
    }
    // "HR" is no form of address.
    if title.text.len() > 1 && title.is_capitals() {
        return None;
    }
    let end = run(text, words, first);
    let names = words.get(first..end).filter(|names| !names.is_empty())?;
    let only_academic = words[at..particles].iter().all(is_academic);
    // One letter in lower case, or a word such as "pan" in another language, is no title.
    let is_sure = title.letters() > 2 || title.is_upper() || matches!(title.text, "κα" | "κ");
    let found = evidence(names);
    let is_person = match found {
        _ if names.iter().any(evidence::names_role) => false,
        // "Gerente de Operaciones"
        _ if first > particles && evidence::names_role(title) => false,
        Evidence::Against => false,
        Evidence::For => true,
        Evidence::None => is_sure && (!only_academic || names.len() >= 2) && names.len() <= 3,
    };
    is_person.then(|| words[particles].start..names[names.len() - 1].end())
}

/// `Ring Fergie after six on 07700 900 318`
fn is_continued(text: &str, next: Option<&Word<'_>>) -> bool {
    next.is_some_and(|next| {
        let is_short = !next.is_upper() && next.letters() <= 5;
        is_short && (roles::joins(next) || has_contact(text, next.start))
    })
}

/// `report to Xanthe Tallow and …`
fn is_reported(cue: &Word<'_>, names: &[Word<'_>]) -> bool {
    static REPORTS: List = List::new(include_str!("tables/reports.txt"));
    let is_plain = |word: &Word<'_>| word.cues.is_empty() || is_particle(word);
    REPORTS.has(&cue.lower) && (2..=4).contains(&names.len()) && names.iter().all(is_plain)
}

static ASK: List = List::new(include_str!("tables/ask.txt"));

fn announced(text: &str, words: &[Word<'_>], at: usize) -> Option<Range> {
    let cue = &words[at];
    let line = line_end(text, cue.end());
    let mut next = at + 1;
    while let Some(word) = words
        .get(next)
        .filter(|word| word.start < line && next <= at + AHEAD)
    {
        let before = &text[words[next - 1].end()..word.start];
        let has_colon = text[cue.end()..word.start].contains([':', '：']);
        if !is_name(word) {
            if !word.text.is_ascii()
                && let Some(found) = evidence::uncased(text, words, next, has_colon)
            {
                return Some(found);
            }
            next += 1;
            continue;
        }
        let end = run(text, words, next).max(next + 1);
        let names = &words[next..end];
        let names = &names[first_name(text, names).min(names.len() - 1)..];
        let range = names[0].start..names[names.len() - 1].end();
        let is_next = next == at + 1 || (next == at + 2 && PREPOSITIONS.has(&words[at + 1].lower));
        // "pregunta por Curro", "ask for Siobhra"
        let is_asked = names.len() == 1
            && is_next
            && before == " "
            && ASK.has(&cue.lower)
            && !names[0].is_capitals()
            && (names[0].cues.is_empty() || is_given(&names[0]))
            && (is_followed(text, range.end) || is_continued(text, words.get(end)));
        match evidence(names) {
            _ if is_asked => return Some(range),
            Evidence::For if names.len() >= 2 || has_colon => return Some(range),
            Evidence::None
                if (2..=4).contains(&names.len())
                    && ((has_colon && before.contains([':', '：', '.']))
                        || (is_next
                            && before == " "
                            && (has_contact(text, cue.start)
                                || (next > at + 1 && begins_sentence(text, cue.start)))))
                    && is_followed(text, range.end)
                    || next == at + 2 && before == " " && is_reported(cue, names) =>
            {
                return Some(range);
            }
            _ => {}
        }
        if names.len() == 1 || !has_colon {
            // "Ask our Head of Sales, Anna Berg"
            next = end;
        } else {
            next += 1;
        }
    }
    None
}
