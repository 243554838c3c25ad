//! The form of a name: the words around its proper ones.

use super::{AND, Cues, List, Script, Word, cues, is_cased, joined, quotes};

pub(super) fn quoted(name: &str) -> Option<String> {
    quotes().find_map(|(open, close)| {
        let (_, rest) = name.split_once(open)?;
        let (inside, _) = rest.split_once(close)?;
        // The sign for an abbreviation in Hebrew is the same.
        (inside.chars().count() >= 3).then(|| inside.to_owned())
    })
}

/// Without legal forms and words such as "Group" around it.
pub(super) fn core<'a, 'b>(all: &'a [Word<'b>]) -> &'a [Word<'b>] {
    let mut core = all;
    loop {
        // "S.A.S." is three words, "sp. z o.o." four.
        let tail = (1..=4usize.min(core.len().saturating_sub(1)))
            .rev()
            .find(|count| {
                let tail = &core[core.len() - count..];
                let joined = joined(tail);
                cues::are_of(&joined, Cues::LEGAL)
                    || (*count == 1 && cues::are_of(&joined, Cues::AFFIX))
            });
        let Some(count) = tail else { break };
        core = &core[..core.len() - count];
    }
    core = without_partners(core);
    while let [first, rest @ ..] = core
        && !rest.is_empty()
        && (first.is(Cues::AFFIX) || is_legal_prefix(first))
        && rest.iter().any(|word| !word.is_generic())
    {
        core = rest;
    }
    core
}

/// Without "and partners", if something proper is left.
fn without_partners<'a, 'b>(all: &'a [Word<'b>]) -> &'a [Word<'b>] {
    let [front @ .., last] = all else { return all };
    let front = match front {
        [rest @ .., and] if AND.contains(&&*and.lower) => rest,
        front => front,
    };
    let ordinary = Cues::GENERIC | Cues::SMALL | Cues::AFFIX | Cues::LEGAL;
    let has_name = front.iter().any(|word| !word.is(ordinary));
    if last.is(Cues::PARTNERS) && has_name {
        front
    } else {
        all
    }
}

/// In capitals, or in a script without them.
fn is_legal_prefix(word: &Word<'_>) -> bool {
    static LATIN: List =
        List::new("sarl sas sasu eurl sa ab as sci pt uab sia všį mb ij cv ooo tov");
    let written = !is_cased(word.text) || word.is_capitals();
    match Script::of_text(&word.lower) {
        Script::Latin => written && LATIN.has(&word.lower),
        _ => written && word.is(Cues::LEGAL),
    }
}

pub(super) fn parentheses(name: &str) -> (String, Option<String>) {
    for (open, close) in [('(', ')'), ('（', '）')] {
        let parts = name.split_once(open).and_then(|(before, rest)| {
            rest.split_once(close)
                .map(|(inside, after)| (before, inside, after))
        });
        if let Some((before, inside, after)) = parts
            && !before.trim().is_empty()
        {
            let outside = format!("{} {}", before.trim(), after.trim());
            return (outside, Some(inside.to_owned()));
        }
    }
    (name.to_owned(), None)
}
