//! Words between a phrase and a name, and names before a phrase.

use super::{
    Context, Cues, List, MAX_WORDS, OUR, Phrase, Word, begins_sentence,
    lists::{GROUPS, OWN},
    run::run_end,
    word_before,
};
use crate::redact::person::is_given;

static BETWEEN: List = List::new(include_str!("../../tables/related_between.txt"));
/// Whom an agency works for, up to four words before the client.
static FOR: List = List::new(include_str!("../../tables/related_for.txt"));
static PETS: List = List::new(
    "hund hunden dog hond pies pes perro cane chien cão koira kutya köpek cat katze katt",
);
static ARTICLES: List = List::new("the der die das den le la les l el los las il lo het o a az");
/// Before a place: "our shop in York".
static BEFORE_PLACES: List =
    List::new("i in til till av af van von de di del della da do du des zu zum zur al en");

/// Whether the words before a noun say whose client or product it is.
pub(super) fn is_owned(context: &Context<'_>, at: usize, phrase: Phrase) -> bool {
    let all = context.all;
    let has = |words: &[Word<'_>], list: &List| words.iter().any(|it| list.has(&it.lower));
    let before = |most| &all[at.saturating_sub(most)..at];
    match phrase {
        Phrase::Client => has(before(4), &FOR),
        // "produsul nostru", "το προϊόν μας"
        Phrase::Our => {
            // "our Site Services Director"
            let is_title = all[at].is_upper() && context.families.intersects(Cues::ENGLISH);
            let after = &all[at + 1..all.len().min(at + 2)];
            // "Orquidea's platform"
            let front = &context.text[all[at.saturating_sub(3)].start..all[at].start];
            let is_genitive = front.contains("'s ") || front.contains("’s ");
            !is_title && (is_genitive || has(before(3), &OUR) || has(after, &OUR))
        }
        // "einen Hund namens Bello"
        Phrase::Weak | Phrase::Strong => !before(2).iter().any(|it| PETS.ends(&it.lower)),
        _ => true,
    }
}

/// Whether a word may be between a phrase and the name, such as "the Danish group".
pub(super) fn is_between(context: &Context<'_>, first: usize, at: usize, phrase: Phrase) -> bool {
    let (text, all) = (context.text, context.all);
    let Some(word) = all.get(at) else {
        return false;
    };
    let gap = &text[all[at - 1].end()..word.start];
    let next_is_upper = all.get(at + 1).map(Word::is_upper);
    if !matches!(gap, " " | ", " | ": " | " – " | " — " | "’" | "'")
        || word.is_upper() && next_is_upper == Some(false)
    {
        return false;
    }
    match phrase {
        // A house is of a place: "la clínica de Gamonal".
        Phrase::House => return ARTICLES.has(&word.lower) && !word.is_upper(),
        Phrase::Our if BEFORE_PLACES.has(&word.lower) => return false,
        Phrase::Our if OUR.has(&word.lower) => return true,
        _ => {}
    }
    let small = Cues::SMALL | Cues::LANGUAGES;
    let is_known = |word: &Word<'_>| BETWEEN.has(&word.lower) || GROUPS.has(&word.lower);
    let is_noun = |word: &Word<'_>| word.letters() > 4 && !word.is(small) && is_known(word);
    let is_other = word.is_capital() || word.is(small) || FOR.has(&word.lower);
    let is_describing = !is_other
        && match next_is_upper {
            Some(true) => {
                at > first + 1 && is_noun(&all[at - 1]) || word.is_generic() && word.letters() > 5
            }
            Some(false) => word.letters() > 3 && is_noun(&all[at + 1]),
            None => false,
        };
    is_describing || BETWEEN.has(&word.lower)
}

/// `notre logiciel de paie Payoline`; in English and German, only after a verb for naming: `our
/// paint is called Colorel`.
pub(super) fn thing<'c>(context: &'c Context<'_>, our: usize) -> Option<&'c [Word<'c>]> {
    /// Things with the names of others, and things without names, by their beginnings.
    static OTHERS: List = List::new(include_str!("../../tables/related_other_things.txt"));
    static ROLES: List = List::new(include_str!("../../tables/roles.txt"));
    static NAMED: List = List::new(include_str!("../../tables/related_named.txt"));
    static JOINS: List = List::new(
        "de di da des du d del van von of av af för s se si się is are est es è é är er on jest je",
    );
    const MOST: usize = 6;
    let (text, all) = (context.text, context.all);
    let is_german = context.has_noun_capitals();
    // Nouns with capitals, or adjectives between "our" and a name.
    let has_others = is_german || context.families.intersects(Cues::ENGLISH);
    for at in our + 1..all.len().min(our + MOST) {
        let (last, word) = (&all[at - 1], &all[at]);
        let gap = &text[last.end()..word.start];
        let is_noun = last.letters() > 1
            && !last.is(Cues::LANGUAGES | Cues::SMALL | Cues::VERB)
            && !OUR.has(&last.lower);
        let is_quoted = at > our + 1 && gap.trim_end().ends_with(['„', '«', '“', '"']);
        let is_sure = is_noun && !has_others;
        let is_beside = gap == " " && (NAMED.has(&last.lower) || is_sure);
        if word.is_upper() && (is_quoted || is_beside || gap == ", " && is_sure) {
            let run = &all[at..run_end(text, all, at)];
            let is_apposition = gap != ", " || text[run.last()?.end()..].starts_with(", ");
            let is_person = is_given(&run[0]) && run.get(1).is_none_or(Word::is_upper);
            return (is_apposition && !is_person).then_some(run);
        }
        let is_small = word.is(Cues::LANGUAGES | Cues::SMALL | Cues::VERB);
        let is_other = OTHERS.begins(&word.lower)
            || ROLES.has(&word.lower)
            || is_small && !JOINS.has(&word.lower) && !NAMED.has(&word.lower);
        if !matches!(gap, " " | "'" | "’" | "-") || word.is_upper() && !is_german || is_other {
            break;
        }
    }
    None
}

/// `Orquidea Capital, today our owner`, `our Orquidea platform`
pub(super) fn beside_our<'c>(context: &'c Context<'_>, at: usize) -> Option<&'c [Word<'c>]> {
    let (text, all) = (context.text, context.all);
    if all[at].is_upper() && context.families.intersects(Cues::ENGLISH) {
        return None;
    }
    let our = (at.saturating_sub(3)..at).rfind(|our| OUR.has(&all[*our].lower))?;
    if our + 2 == at && all[our + 1].is_upper() {
        let gap = &text[all[our + 1].end()..all[at].start];
        return matches!(gap, " " | "-").then(|| &all[our + 1..at]);
    }
    let is_beside = |first: &usize| text[..all[*first].start].ends_with(", ");
    let first = [Some(our), our.checked_sub(1)].into_iter().flatten();
    after_phrase(context, first.into_iter().find(is_beside)?, &[])
}

pub(super) fn subject<'c>(context: &'c Context<'_>, phrase: usize) -> Option<&'c [Word<'c>]> {
    /// In words: `Elm Court is a home for 42 residents at the edge of York, run by Tolliver`.
    const MAX_CLAUSE: usize = 16;
    let (text, all) = (context.text, context.all);
    let first = (phrase.saturating_sub(MAX_WORDS + MAX_CLAUSE)..phrase)
        .rev()
        .find(|at| begins_sentence(text, all[*at].start))?;
    let end = run_end(text, all, first).min(phrase);
    let run = all.get(first..end)?;
    let is_said = all[end].is(Cues::VERB) && !OWN.has(&run.first()?.lower);
    (phrase - end <= MAX_CLAUSE && is_said).then_some(run)
}

/// The capitalised words before a phrase.
pub(super) fn after_phrase<'c>(
    context: &'c Context<'_>,
    at: usize,
    others: &[&str],
) -> Option<&'c [Word<'c>]> {
    let (text, all) = (context.text, context.all);
    let rest = all.get(at + 1..at + 1 + others.len())?;
    let mut pairs = rest.iter().zip(others.iter().rev());
    // "Tolliver Care Ltd. Company no. 7"
    if begins_sentence(text, all[at].start) || !pairs.all(|(word, it)| word.lower == *it) {
        return None;
    }
    // "Orquidea Labs, nuestra filial de software"
    let is_apposition =
        word_before(all, at).is_some_and(|last| &text[last.end()..all[at].start] == ", ");
    let mut first = at;
    while let Some(before) = first.checked_sub(1)
        && at - before <= 4
        && text[all[before].end()..all[first].start]
            .trim_matches(if first == at {
                &['-', ' ', ',', '.', '™', '®'][..]
            } else {
                &['-', ' ', '&'][..if others.is_empty() { 2 } else { 3 }]
            })
            .is_empty()
        && all[before].is_upper()
        && (!begins_sentence(text, all[before].start) || is_apposition)
    {
        first = before;
    }
    Some(&all[first..at]).filter(|run| !run.is_empty())
}
