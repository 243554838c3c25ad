//! Persons beside a telephone number, an address or a handle: known by their names, or by standing
//! where only a person can.

use std::ops::Range;

use super::{
    Cues, Evidence, Word, eastern, evidence, first_name, is_name, line_end, line_start, run,
};
use crate::redact::words::{begins_sentence, unaccented};

/// How many words before and after a number or an address are looked at.
const BEFORE: usize = 12;
const AFTER: usize = 6;
/// Adds the persons beside a telephone number or an address, on the same line.
pub(super) fn beside(
    text: &str,
    words: &[Word<'_>],
    contact: &Range<usize>,
    out: &mut Vec<Range<usize>>,
) {
    let after = words.partition_point(|word| word.start < contact.end);
    let before = words.partition_point(|word| word.end() <= contact.start);
    let from = before.saturating_sub(BEFORE);
    let start = line_start(text, contact.start);
    let end = line_end(text, contact.end);
    let mailbox = mailbox(&text[contact.clone()]);
    let mut at = words[from..before].partition_point(|word| word.start < start) + from;
    let last = words.len().min(after + AFTER);
    while at < last {
        let word = &words[at];
        if word.start >= end {
            break;
        }
        if !is_name(word) {
            if !word.text.is_ascii() {
                out.extend(without_capitals(text, words, at, contact));
            }
            at += 1;
            continue;
        }
        let next = run(text, words, at).max(at + 1);
        let names = &words[at..next];
        let names = &names[first_name(names).min(names.len() - 1)..];
        let range = names[0].start..names[names.len() - 1].end();
        let is_mailbox = |word: &Word<'_>| {
            let plain = unaccented(&word.lower);
            plain.len() >= 3
                && mailbox
                    .split(|c: char| !c.is_alphanumeric())
                    .any(|part| part == plain)
        };
        let found = evidence(names);
        if (found == Evidence::For && names.len() >= 2)
            || (found != Evidence::Against && names.iter().any(is_mailbox))
        {
            out.push(range);
        } else if let Some(unknown) = unknown(text, words, at..next, contact)
            && !is_role(text, unknown.start, out)
        {
            out.push(unknown);
        } else if found == Evidence::For || names.len() > 2 {
            // A capitalised word may stand before the name: "Personalleiterin Anna Berg".
            let inner = (1..names.len()).find(|from| {
                names.len() - from >= 2
                    && evidence(&names[*from..]) == Evidence::For
                    && names[*from].cues.has(Cues::GIVEN)
            });
            out.extend(inner.map(|from| names[from].start..range.end));
        }
        at = next;
    }
}

/// The person beside a contact that begins at a word of a script without capitals.
fn without_capitals(
    text: &str,
    words: &[Word<'_>],
    at: usize,
    contact: &Range<usize>,
) -> Option<Range<usize>> {
    let word = &words[at];
    let is_told = text[..word.start].trim_end().ends_with(':')
        && leads_to(text, words, at, word.end(), contact);
    eastern::titled(word)
        .or_else(|| eastern::korean_titled(text, words, at))
        .or_else(|| evidence::uncased(text, words, at, is_told))
}

/// The person whose name no table knows, in a run of capitalised words before a contact: two to four
/// that were announced, or one directly between the two ("ring Oddvar på +47 …").
fn unknown(
    text: &str,
    words: &[Word<'_>],
    run: Range<usize>,
    contact: &Range<usize>,
) -> Option<Range<usize>> {
    const ANNOUNCES: Cues = Cues::PERSON.or(Cues::PHONE).or(Cues::TITLE);
    let is_short = |word: &Word<'_>| word.text.chars().count() <= 3;
    // "Chiama Donato Greco", "Me Solène Kervadec"
    let own = words[run.clone()]
        .iter()
        .take_while(|word| {
            !word.cues.has(Cues::GIVEN)
                && (word.cues.has(ANNOUNCES) || (is_short(word) && word.cues.has(Cues::GENERIC)))
        })
        .count();
    // A verb that no table knows: "Zovite Ante Škarica: 023 550 118".
    let has_verb = own == 0
        && run.len() >= 3
        && begins_sentence(text, words[run.start].start)
        && !words[run.start].cues.has(Cues::GIVEN)
        && contact.start.saturating_sub(words[run.end - 1].end()) <= 8;
    let own = own + usize::from(has_verb);
    let first = run.start + own;
    let names = words
        .get(first..run.end)
        .filter(|names| !names.is_empty())?;
    let range = names[0].start..names[names.len() - 1].end();
    if names.len() > 4
        || evidence(names) == Evidence::Against
        || !leads_to(text, words, run.end - 1, range.end, contact)
    {
        return None;
    }
    let previous = first.checked_sub(1).map(|previous| &words[previous]);
    if names.len() == 1 {
        let is_called = previous.is_some_and(|word| {
            word.cues.has(Cues::PERSON) && matches!(&text[word.end()..range.start], " " | "\u{a0}")
        });
        let is_near = contact.start - range.end <= 10;
        return (is_called && is_near && !is_short(&names[0])).then_some(range);
    }
    let start = line_start(text, range.start);
    let is_announced = own > 0
        || text[..range.start].trim_end().ends_with([':', '：', '('])
        || words[first.saturating_sub(6)..first].iter().any(|word| {
            let gap = &text[word.end()..range.start];
            word.start >= start
                && word.cues.has(ANNOUNCES)
                && !ends_sentence(gap)
                && !gap.contains(|c: char| c.is_ascii_digit())
                && (!is_short(word) || word.is_upper() || word.cues.has(Cues::PERSON))
        });
    is_announced.then_some(range)
}

/// Whether a run comes after a person and a comma: `Anna Berg, Principal Engineer`.
fn is_role(text: &str, start: usize, persons: &[Range<usize>]) -> bool {
    let before = text[..start].trim_end();
    before.strip_suffix(',').is_some_and(|before| {
        persons
            .iter()
            .rev()
            .take(4)
            .any(|person| person.end == before.len())
    })
}

/// Whether a gap has the end of a sentence; "tel." is none.
fn ends_sentence(gap: &str) -> bool {
    let ends = gap.match_indices(". ").any(|(at, _)| {
        let word = gap[..at].rsplit(|c: char| !c.is_alphanumeric()).next();
        word.is_none_or(|word| word.is_empty() || word.chars().nth(5).is_some())
    });
    ends || gap.contains(['\n', '!', ';'])
}

/// Whether a name that ends at word `last` leads to a contact: only words in lower case and those
/// for a telephone, a role or a messenger are between, and no sentence ends.
fn leads_to(
    text: &str,
    words: &[Word<'_>],
    last: usize,
    end: usize,
    contact: &Range<usize>,
) -> bool {
    /// The longest gap, in bytes.
    const MAX_GAP: usize = 60;
    let Some(gap) = text
        .get(end..contact.start)
        .filter(|gap| gap.len() <= MAX_GAP)
    else {
        return false;
    };
    let between = words[last + 1..]
        .iter()
        .take_while(|word| word.start < contact.start);
    let plain = Cues::PHONE
        .or(Cues::HANDLE)
        .or(Cues::PERSON)
        .or(Cues::GENERIC);
    !ends_sentence(gap)
        && between
            .take(6)
            .all(|word| !word.is_upper() || word.cues.has(plain))
}

/// The local part of an e-mail address in lower case, or nothing.
fn mailbox(contact: &str) -> String {
    let local = contact.split_once('@').map(|(local, _)| local);
    unaccented(&local.unwrap_or_default().to_lowercase())
}
