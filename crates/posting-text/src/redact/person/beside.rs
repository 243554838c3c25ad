//! Persons beside a contact: known by their names, or by standing where only a person can.

use super::{
    Cues, Word, eastern,
    evidence::{self, Evidence, evidence, is_given, is_particle},
    is_among,
    roles::names_role,
    run::{PREPOSITIONS, first_name, is_name, line_end, line_start, run},
    word_before,
};
use crate::{
    Range,
    redact::{
        cues,
        vocabulary::begins_with_one,
        words::{begins_sentence, last_word, unaccented},
    },
};

/// In words, around a number or an address.
const BEFORE: usize = 12;
const AFTER: usize = 6;
/// The beginnings of mailboxes that are no persons.
const OFFICES: &str = include_str!("../tables/mailboxes.txt");
/// Verbs of people who answer, with small words.
const ANSWERS: &str = include_str!("../tables/answers.txt");

pub(super) fn beside(text: &str, words: &[Word<'_>], contact: &Range, out: &mut Vec<Range>) {
    let after = words.partition_point(|word| word.start < contact.end);
    let before = words.partition_point(|word| word.end() <= contact.start);
    let from = before.saturating_sub(BEFORE);
    let start = line_start(text, contact.start);
    let end = line_end(text, contact.end);
    let mailbox = text[contact.clone()]
        .split_once('@')
        .map(|(local, _)| local);
    let mailbox = unaccented(&mailbox.unwrap_or_default().to_lowercase());
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
        let names = &names[first_name(text, names).min(names.len() - 1)..];
        let range = names[0].start..names[names.len() - 1].end();
        let is_mailbox = |word: &Word<'_>| {
            let plain = unaccented(&word.lower);
            plain.len() >= 3
                && mailbox
                    .split(|c: char| !c.is_alphanumeric())
                    .any(|part| part == plain)
        };
        let found = evidence(names);
        let is_other = |word: &Word<'_>| {
            names_role(word) || (word.is(Cues::LANGUAGES) && !is_particle(word) && !is_given(word))
        };
        if found != Evidence::For && names.iter().any(is_other) {
            at = next;
            continue;
        }
        // A letter alone may be a word for something else.
        let is_initial = has_initial(text, names)
            && evidence(&names[1..]) != Evidence::Against
            && (leads_to(text, words, next - 1, range.end, contact)
                || text
                    .get(contact.end..range.start)
                    .is_some_and(|gap| gap.len() <= 4));
        if is_initial
            || is_directly_before(text, words, at, &range, contact, names)
            || is_asked_for(text, words, at, &range, contact)
            || is_reached(text, words, at, names, contact)
            || (found == Evidence::For
                && names.len() >= 2
                && is_of_sentence(text, words, at, &range, contact))
            || answers(text, words, next, &range, contact)
            || (found != Evidence::Against
                && names.iter().any(is_mailbox)
                && !names
                    .iter()
                    .any(|word| begins_with_one(OFFICES, &word.lower)))
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
                    && names[*from].is(Cues::GIVEN)
            });
            out.extend(inner.map(|from| names[from].start..range.end));
        }
        at = next;
    }
}

/// Whether no other sentence is between name and contact, and the name is neither counted (`30 Tage
/// Urlaub`) nor a part of a firm's name (`Holm & Sons`).
fn is_of_sentence(
    text: &str,
    words: &[Word<'_>],
    at: usize,
    name: &Range,
    contact: &Range,
) -> bool {
    let gap = text.get(name.end..contact.start).unwrap_or_default();
    let is_counted = at
        .checked_sub(1)
        .is_some_and(|before| words[before].is_number() && words[before].end() + 1 == name.start);
    let gap = gap.trim_start_matches(['.', ' ']);
    // "tel. 0431" is no end, ". Ring" is one.
    let ends = full_stops(gap, |word, rest| {
        let is_title = || cues::are_of(&word.to_lowercase(), Cues::PHONE | Cues::TITLE);
        word.chars().nth(2).is_some() && !is_title() && rest.starts_with(char::is_uppercase)
    });
    !is_counted && !gap.starts_with("& ") && !ends && !ends_sentence(gap)
}

/// `… 550 117. Kezia Marsh replies`, `Kezia Marsh replies: 01632 …`
fn answers(text: &str, words: &[Word<'_>], next: usize, name: &Range, contact: &Range) -> bool {
    /// From the name to the contact, in bytes.
    const NEAR: usize = 40;
    let names = &words[words.partition_point(|word| word.start < name.start)..next];
    let is_before = text
        .get(name.end..contact.start)
        .is_some_and(|gap| gap.len() <= NEAR && !ends_sentence(gap));
    let verb = words.get(next).filter(|verb| verb.start == name.end + 1);
    begins_sentence(text, name.start)
        && (is_before || text.get(contact.end..name.start) == Some(". "))
        && (2..=4).contains(&names.len())
        && evidence(names) != Evidence::Against
        && verb.is_some_and(|verb| is_among(ANSWERS, &verb.lower))
}

/// `J. Haddlesey`
fn has_initial(text: &str, names: &[Word<'_>]) -> bool {
    let [initial, .., family] = names else {
        return false;
    };
    initial.is_letter()
        && text[initial.end()..].starts_with('.')
        && family.text.chars().nth(2).is_some()
}

/// Two to four capitalised words directly before a contact, within a sentence, or before a number
/// also at its start: `and Kezia Marsh (01632 960 406)`, `bei Hinnerk Tamsen unter jobs@…`.
fn is_directly_before(
    text: &str,
    words: &[Word<'_>],
    at: usize,
    name: &Range,
    contact: &Range,
    names: &[Word<'_>],
) -> bool {
    let Some(gap) = text.get(name.end..contact.start) else {
        return false;
    };
    let is_beside = matches!(gap, " (" | ", " | ": " | " – " | " - " | " ") || {
        let after = words.partition_point(|word| word.start < name.end);
        let between = words.get(after).filter(|word| {
            let is_small = word.letters() <= 5 && !word.is_upper();
            word.end() <= contact.start
                && (word.is(Cues::PHONE) || (is_small && gap.starts_with(' ')))
        });
        let next = words.get(after + 1);
        gap.len() <= 16
            && !gap.contains('\n')
            && between.is_some()
            && next.is_none_or(|next| next.start >= contact.start)
    };
    // "+47 915 50 137) og Torgrim Aasgjerd"
    let is_within = word_before(words, at).is_some_and(|before| {
        let between = &text[before.end()..name.start];
        matches!(between, " " | "\u{a0}") && !before.is_upper() && !before.is_number()
    }) || ["), ", "; "]
        .iter()
        .any(|end| text[..name.start].ends_with(end));
    let is_number = text[contact.clone()].ends_with(|c: char| c.is_ascii_digit())
        && !text[contact.clone()].contains('@');
    let opens = is_number
        && gap == ", "
        && names.len() <= 3
        && (name.start == 0
            || text[..name.start].ends_with(['\n', '?', '!'])
            || text[..name.start].ends_with(". "))
        && !names.iter().any(|word| word.is(Cues::LANGUAGES));
    is_beside
        && (is_within || opens)
        && (2..=4).contains(&names.len())
        && evidence(names) == Evidence::None
}

/// `01632 960 406 and ask for Siobhra.`
fn is_asked_for(text: &str, words: &[Word<'_>], at: usize, name: &Range, contact: &Range) -> bool {
    /// In bytes.
    const MAX_GAP: usize = 40;
    let is_near = text
        .get(contact.end..name.start)
        .is_some_and(|gap| gap.len() <= MAX_GAP && !ends_sentence(gap));
    let calls = |word: &Word<'_>| word.is(Cues::PERSON) && word.start >= contact.end;
    let is_called = match words.get(at.saturating_sub(2)..at) {
        Some([call, small]) => {
            calls(small) || (calls(call) && is_among(PREPOSITIONS, &small.lower))
        }
        _ => false,
    };
    let names = &words[at..words.partition_point(|word| word.start < name.end)];
    is_near
        && is_called
        && (names.len() > 1 || is_end(text, name.end))
        && evidence(names) != Evidence::Against
}

/// `Hör av dig till Linnea på 040-628 04 15`
fn is_reached(
    text: &str,
    words: &[Word<'_>],
    at: usize,
    names: &[Word<'_>],
    contact: &Range,
) -> bool {
    const TO: &str = "\
        to with ring call text or bel naar met of till til med eller efter à avec ou con o a para com \
        ou do z s lub ke u na se k nebo alebo ili pri la cu sau или або чи до";
    const OTHERS: Cues = Cues::GENERIC
        .union(Cues::PLACE)
        .union(Cues::REGION)
        .union(Cues::LEGAL)
        .union(Cues::TITLE)
        .union(Cues::LANGUAGES);
    const NETWORKS: &str = "instagram telegram linkedin facebook whatsapp twitter youtube tiktok";
    let [name] = names else { return false };
    if name.is_capitals() || begins_with_one(NETWORKS, &name.lower) {
        return false;
    }
    let Some(gap) = text
        .get(name.end()..contact.start)
        .filter(|gap| gap.len() <= 18)
    else {
        return false;
    };
    let is_told = word_before(words, at).is_some_and(|before| {
        let between = &text[before.end()..name.start];
        (between == " " && (is_among(TO, &before.lower) || before.is(Cues::PERSON)))
            || (matches!(between, ": " | " : ") && before.is(Cues::PERSON))
    });
    let next = words.get(at + 1).filter(|next| next.start < contact.start);
    let second = words.get(at + 2).filter(|next| next.start < contact.start);
    let is_way = |word: &Word<'_>| {
        word.is(Cues::PHONE | Cues::HANDLE) || (word.letters() <= 5 && !word.is_upper())
    };
    is_told
        && (matches!(gap, ", " | " (" | ": " | " ") || next.is_some_and(is_way))
        && second.is_none_or(is_way)
        && !ends_sentence(gap)
        && name.letters() >= 3
        && !name.is(OTHERS)
        && evidence(names) != Evidence::Against
}

fn without_capitals(text: &str, words: &[Word<'_>], at: usize, contact: &Range) -> Option<Range> {
    let word = &words[at];
    let is_told = text[..word.start].trim_end().ends_with(':')
        && leads_to(text, words, at, word.end(), contact);
    let after = text.get(contact.end..word.start);
    let before = text.get(word.end()..contact.start);
    // "052-5550182, דני."
    let is_alone = (after.is_some_and(|gap| matches!(gap, ", " | "، " | " (" | " - "))
        && is_end(text, word.end()))
        || (is_told && before.is_some_and(|gap| matches!(gap, ", " | "، " | " " | " - ")));
    if is_alone && word.is(Cues::GIVEN) {
        return Some(word.start..word.end());
    }
    eastern::in_list(text, word, contact)
        .or_else(|| eastern::alone(text, words, at, contact))
        .or_else(|| evidence::called(text, words, at, contact))
        .or_else(|| eastern::titled(word))
        .or_else(|| eastern::korean_titled(text, words, at))
        .or_else(|| evidence::uncased(text, words, at, is_told))
}

/// Two to four capitalised words that were announced, or one in between ("ring Oddvar på +47 …").
fn unknown(text: &str, words: &[Word<'_>], run: Range, contact: &Range) -> Option<Range> {
    const ANNOUNCES: Cues = Cues::PERSON.union(Cues::PHONE).union(Cues::TITLE);
    let is_short = |word: &Word<'_>| word.letters() <= 3;
    // "Chiama Donato Greco", "Me Solène Kervadec"
    let own = words[run.clone()]
        .iter()
        .take_while(|word| {
            !word.is(Cues::GIVEN) && (word.is(ANNOUNCES) || (is_short(word) && word.is_generic()))
        })
        .count();
    // A verb that no table knows: "Zovite Ante Škarica: 023 550 118".
    let has_verb = own == 0
        && run.len() >= 3
        && begins_sentence(text, words[run.start].start)
        && !words[run.start].is(Cues::GIVEN)
        && !is_particle(&words[run.start + 1])
        && contact.start.saturating_sub(words[run.end - 1].end()) <= 8;
    let own = own + usize::from(has_verb);
    // "Sunați la Domnica Hrițcu"
    let is_link = |word: &Word<'_>| !word.is_upper() && is_among(PREPOSITIONS, &word.lower);
    let link = words.get(run.start + own).filter(|_| own > 0);
    let own = own + usize::from(link.is_some_and(|word| is_link(word) && own + 1 < run.len()));
    let first = run.start + own;
    let names = words
        .get(first..run.end)
        .filter(|names| !names.is_empty())?;
    let range = names[0].start..names[names.len() - 1].end();
    // "(47) 95555-0127 com Jucélia."
    let is_with = word_before(words, first).is_some_and(|small| {
        is_among(WITH, &small.lower)
            && text
                .get(contact.end..small.start)
                .is_some_and(|gap| gap == " ")
            && &text[small.end()..range.start] == " "
    });
    if is_with
        && names.len() <= 3
        && evidence(names) != Evidence::Against
        && (names.len() == 2 || is_end(text, range.end))
    {
        return Some(range);
    }
    if contact.end <= range.start && is_after(text, names, contact, &range) {
        return Some(range);
    }
    if names.len() > 4
        || evidence(names) == Evidence::Against
        || !leads_to(text, words, run.end - 1, range.end, contact)
    {
        return None;
    }
    let previous = word_before(words, first);
    if names.len() == 1 {
        let is_called = previous.is_some_and(|word| {
            word.is(Cues::PERSON | Cues::PHONE)
                && matches!(&text[word.end()..range.start], " " | "\u{a0}")
        }) || is_called_through(text, words, first, &range);
        let is_near = contact.start - range.end <= 10;
        return (is_called && is_near && !is_short(&names[0])).then_some(range);
    }
    let start = line_start(text, range.start);
    let is_announced = own > 0
        || text[..range.start].trim_end().ends_with([':', '：', '('])
        || words[first.saturating_sub(6)..first].iter().any(|word| {
            let gap = &text[word.end()..range.start];
            word.start >= start
                && word.is(ANNOUNCES)
                && !ends_sentence(gap)
                && !gap.contains(|c: char| c.is_ascii_digit())
                && (!is_short(word) || word.is_upper() || word.is(Cues::PERSON))
        });
    is_announced.then_some(range)
}

/// Words for "with" and "for" between a number and a person.
const WITH: &str = "com con with avec mit med met z s se c с із з със cu ja";

/// `08 55 50 18, Bernadette.`
fn is_after(text: &str, names: &[Word<'_>], contact: &Range, range: &Range) -> bool {
    let is_beside = matches!(&text[contact.end..range.start], ", " | " (" | " – " | " - ");
    let is_known = match names {
        [one] => is_given(one),
        [_, _] => text[contact.clone()].ends_with(|c: char| c.is_ascii_digit()),
        _ => false,
    };
    is_beside && is_known && is_end(text, range.end) && evidence(names) != Evidence::Against
}

fn is_end(text: &str, at: usize) -> bool {
    let rest = text[at..].trim_start_matches(' ');
    rest.is_empty() || rest.starts_with(['.', ',', ';', '\n', '(', ')', '!'])
}

/// `Skriv til Malthe`
fn is_called_through(text: &str, words: &[Word<'_>], first: usize, name: &Range) -> bool {
    let Some([call, small]) = first.checked_sub(2).map(|from| &words[from..first]) else {
        return false;
    };
    call.is(Cues::PERSON)
        && is_among(PREPOSITIONS, &small.lower)
        && &text[small.end()..name.start] == " "
        && &text[call.end()..small.start] == " "
}

/// `Anna Berg, Principal Engineer`
fn is_role(text: &str, start: usize, persons: &[Range]) -> bool {
    let before = text[..start].trim_end();
    before.strip_suffix(',').is_some_and(|before| {
        persons
            .iter()
            .rev()
            .take(4)
            .any(|person| person.end == before.len())
    })
}

/// "tel." is none.
fn ends_sentence(gap: &str) -> bool {
    let ends = |word: &str, _: &str| word.is_empty() || word.chars().nth(5).is_some();
    full_stops(gap, ends) || gap.contains(['\n', '!', ';'])
}

fn full_stops(gap: &str, is_such: impl Fn(&str, &str) -> bool) -> bool {
    let mut stops = gap.match_indices(". ");
    stops.any(|(at, stop)| is_such(last_word(&gap[..at]), &gap[at + stop.len()..]))
}

/// Whether only lower-case words and those for a telephone, a role or a messenger are between the
/// name and a contact, in one sentence.
fn leads_to(text: &str, words: &[Word<'_>], last: usize, end: usize, contact: &Range) -> bool {
    /// In bytes.
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
    let plain = Cues::PHONE | Cues::HANDLE | Cues::PERSON | Cues::GENERIC;
    !ends_sentence(gap)
        && between
            .take(6)
            .all(|word| !word.is_upper() || word.is(plain))
}
