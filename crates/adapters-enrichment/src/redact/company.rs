//! Finds a company in a text: its name with and without legal form, as one word or several, its
//! acronym, and the distinctive part of its name or website.

use std::{collections::HashSet, ops::Range};

use super::{
    Identity, Scan,
    key::{Case, Key, splits, with_legal_form},
    vocabulary::{ACRONYMS, AROUND, GENERIC, LEGAL, SMALL},
    words::{Word, unaccented, words},
};
use crate::places;

/// The spellings of one company.
#[derive(Debug)]
pub(crate) struct Names {
    keys: Vec<Key>,
    label: Option<String>,
    /// Names in a script without spaces between words.
    unspaced: Vec<String>,
}

/// What decides whether a part of a name is distinctive in a text.
struct Context<'a> {
    identity: &'a Identity<'a>,
    /// The words of the text that are not part of an address.
    all: &'a [Word<'a>],
}

impl Context<'_> {
    /// Whether the text writes the word in lower case.
    fn is_common(&self, word: &str) -> bool {
        self.all.iter().any(|other| other.text == word)
    }

    /// Whether the text comes back to the word as one does to a name.
    fn is_frequent(&self, name: &Word<'_>) -> bool {
        let same = |word: &&Word<'_>| word.is_capital() && word.lower == name.lower;
        self.all.iter().filter(same).count() >= 3
    }

    fn is_distinctive(&self, word: &str) -> bool {
        let folded = unaccented(word);
        let city = self.identity.city.is_some_and(|city| {
            words(city)
                .iter()
                .any(|part| unaccented(&part.lower) == folded)
        });
        let place = || {
            self.identity
                .country
                .is_some_and(|country| places::find(country, word).is_some())
        };
        !GENERIC.contains(word)
            && !GENERIC.contains(folded.as_str())
            && !LEGAL.contains(&word)
            && !self.is_common(word)
            && !city
            && !place()
    }
}

impl Names {
    /// The spellings that a text may use; the text tells which acronyms and parts are meant.
    pub(crate) fn new(identity: &Identity<'_>, scan: &Scan, all: &[Word<'_>]) -> Self {
        let context = Context { identity, all };
        let mut names = Self {
            keys: Vec::new(),
            label: scan.label.clone(),
            unspaced: Vec::new(),
        };
        names.add_name(identity.name, &context, all, &scan.text);
        names.add_label(&context, all);
        names
            .keys
            .sort_by_key(|key| std::cmp::Reverse(key.joined.len()));
        names
    }

    /// Where a text names the company.
    pub(crate) fn find(&self, text: &str, words: &[Word<'_>]) -> Vec<Range<usize>> {
        let mut out: Vec<Range<usize>> = Vec::new();
        if self.unspaced.is_empty() && self.keys.is_empty() {
            return out;
        }
        for name in &self.unspaced {
            out.extend(
                text.match_indices(name.as_str())
                    .map(|(at, name)| at..at + name.len()),
            );
        }
        out.sort_by_key(|range| range.start);
        out.dedup_by(|next, last| next.start < last.end);
        let mut spaced = Vec::new();
        let mut at = 0;
        while at < words.len() {
            let found = self
                .keys
                .iter()
                .find_map(|key| key.matches(text, words, at));
            match found {
                Some((end, next)) => {
                    let (end, next) = with_legal_form(text, words, end, next);
                    spaced.push(words[at].start..end);
                    at = next.max(at + 1);
                }
                None => at += 1,
            }
        }
        for range in spaced {
            let at = out.partition_point(|other| other.end <= range.start);
            if out.get(at).is_none_or(|other| other.start >= range.end) {
                out.insert(at, range);
            }
        }
        out
    }

    fn add_name(&mut self, name: &str, context: &Context<'_>, all: &[Word<'_>], text: &str) {
        // "Example (EX)", "Ministry - Department of Examples"
        let (outside, inside) = parentheses(name);
        let segment = [" - ", " – ", " — ", " | ", ", "]
            .iter()
            .filter_map(|separator| outside.split_once(separator))
            .map(|(segment, _)| segment.to_owned())
            .min_by_key(String::len);
        let mut spellings = vec![outside.clone()];
        if let Some(segment) = segment
            && !LEGAL.contains(&joined(&words(&outside[segment.len()..])).as_str())
        {
            let parts = words(&segment);
            if parts.len() > 1 || parts.iter().all(|word| !GENERIC.contains(&*word.lower)) {
                spellings.push(segment);
            }
        }
        if let Some(inside) = inside.filter(|inside| words(inside).len() == 1) {
            let acronym = words(&inside)[0].lower.to_string();
            if acronym.chars().count() >= 2 && !LEGAL.contains(&acronym.as_str()) {
                self.push(Key::word(acronym, Case::Upper));
            }
        }
        for spelling in spellings {
            let whole = words(&spelling);
            let core = core(&whole);
            self.add_words(&spelling, &whole);
            self.add_words(&spelling, core);
            self.add_head(core, context);
            self.add_acronyms(core, all, text);
        }
    }

    /// The name as it is, and without accents.
    fn add_words(&mut self, name: &str, words: &[Word<'_>]) {
        let Some((first, last)) = words.first().zip(words.last()) else {
            return;
        };
        let written = &name[first.start..last.end()];
        let joined = joined(words);
        let letters = joined.chars().count();
        if joined.chars().any(is_unspaced) {
            if letters >= 2 {
                self.unspaced.push(written.to_owned());
            }
            return;
        }
        let generic = words.iter().all(|word| GENERIC.contains(&*word.lower));
        let upper = written.chars().all(|c| !c.is_lowercase());
        let case = match (words.len(), letters) {
            (_, 0 | 1) => return,
            (1, 2) => Case::Upper,
            (1, 3) if upper => Case::Upper,
            (1, 3) => Case::Capital,
            (1 | 2, _) if generic => Case::Capital,
            _ => Case::Any,
        };
        let gap = (words.len() > 1 && letters <= 3).then(|| {
            let gaps: String = words
                .windows(2)
                .map(|pair| &name[pair[0].end()..pair[1].start])
                .collect();
            gaps.replace(char::is_whitespace, "")
        });
        let key = Key {
            splits: Some(splits(words)),
            case,
            gap,
            compounds: words.len() == 1 && letters >= 7 && !generic,
            joined,
        };
        if words
            .iter()
            .any(|word| matches!(&*word.lower, "and" | "et" | "und" | "og" | "och"))
            || name.contains(['&', '+'])
        {
            self.add_and(&key, words);
        }
        self.push(key);
    }

    /// `A & B` is also written `A and B`, and the other way round.
    fn add_and(&mut self, key: &Key, words: &[Word<'_>]) {
        let is_and = |word: &Word<'_>| matches!(&*word.lower, "and" | "et" | "und" | "og" | "och");
        if words.iter().any(is_and) {
            let rest: Vec<Word<'_>> = words.iter().filter(|word| !is_and(word)).cloned().collect();
            self.push(Key {
                joined: joined(&rest),
                splits: Some(splits(&rest)),
                ..key.clone()
            });
        } else if words.len() == 2 && key.joined.chars().count() > 3 {
            for and in ["and", "et", "und", "og", "och"] {
                let first = words[0].lower.len();
                self.push(Key {
                    joined: format!("{}{and}{}", words[0].lower, words[1].lower),
                    splits: Some(vec![first, first + and.len()]),
                    ..key.clone()
                });
            }
        }
    }

    /// The first word of `Example Food Services`, if there is a sign that it is the name proper.
    fn add_head(&mut self, core: &[Word<'_>], context: &Context<'_>) {
        let [head, rest @ ..] = core else { return };
        let label = self.label.as_deref() == Some(&*head.lower);
        let described = rest.iter().all(|word| {
            let word = &*word.lower;
            GENERIC.contains(word) || LEGAL.contains(&word) || SMALL.contains(&word)
        });
        let upper = |word: &Word<'_>| !word.text.chars().any(char::is_lowercase);
        let shouted = upper(head) && !rest.iter().all(upper);
        let sign = described || label || shouted || context.is_frequent(head);
        let long = head.lower.chars().count() >= 4;
        if !rest.is_empty() && long && sign && context.is_distinctive(&head.lower) {
            let compounds = head.lower.chars().count() >= 7;
            self.push(Key {
                compounds,
                ..Key::word(head.lower.to_string(), Case::Capital)
            });
        }
    }

    /// Acronyms that the text introduces, or uses in capitals for a name of three words and more.
    fn add_acronyms(&mut self, core: &[Word<'_>], all: &[Word<'_>], text: &str) {
        if core.len() < 2 {
            return;
        }
        let initial = |word: &Word<'_>| word.lower.chars().next();
        let every: String = core.iter().filter_map(initial).collect();
        let main: String = core
            .iter()
            .filter(|word| !SMALL.contains(&&*word.lower))
            .filter_map(initial)
            .collect();
        for word in all {
            let letters = word.lower.chars().count();
            if word.text.chars().any(char::is_lowercase) || !(2..=10).contains(&letters) {
                continue;
            }
            let exact = word.lower == every || word.lower == main;
            let front = letters >= 3 && main.starts_with(&*word.lower);
            let named = letters >= 3 && (exact || front) && !ACRONYMS.contains(&word.text);
            let before = text[..word.start].chars().next_back();
            let after = text[word.end()..].chars().next();
            let introduced = before == Some('(')
                && after == Some(')')
                && initials_of(&word.lower, &every)
                && follows(text, word.start, core);
            if named || introduced {
                self.push(Key::word(word.lower.to_string(), Case::Upper));
            }
        }
    }

    /// The website's own label, and the distinctive word that it starts with.
    fn add_label(&mut self, context: &Context<'_>, all: &[Word<'_>]) {
        let Some(label) = self.label.clone() else {
            return;
        };
        let parts = words(&label);
        let joined = joined(&parts);
        let letters = joined.chars().count();
        let named = self.keys.iter().any(|key| key.joined == joined);
        let generic = parts
            .iter()
            .all(|part| !context.is_distinctive(&part.lower));
        if letters >= 3 && !named && !generic && joined.chars().any(char::is_alphabetic) {
            let case = match letters {
                3 => Case::Upper,
                4 | 5 => Case::Capital,
                _ => Case::Any,
            };
            let splits = if letters >= 8 {
                None
            } else {
                Some(splits(&parts))
            };
            self.push(Key {
                splits,
                compounds: false,
                ..Key::word(joined.clone(), case)
            });
        }
        let mut seen = HashSet::new();
        let first = joined.chars().next();
        for word in all
            .iter()
            .filter(|word| word.text.len() >= 6 && word.is_capital())
        {
            if word.lower.is_ascii() && word.lower.chars().next() != first {
                continue;
            }
            let folded = unaccented(&word.lower);
            let stem = folded.strip_suffix('s').unwrap_or(&folded).to_owned();
            for front in [folded, stem] {
                let length = front.chars().count();
                let begins = length >= 6 && letters > length + 2 && joined.starts_with(&front);
                if begins && context.is_distinctive(&front) && seen.insert(front.clone()) {
                    self.push(Key {
                        compounds: length >= 7,
                        ..Key::word(front, Case::Capital)
                    });
                }
            }
        }
    }

    /// Adds a spelling, and the same without accents.
    fn push(&mut self, key: Key) {
        let plain = unaccented(&key.joined);
        let same = |other: &Key, joined: &str| {
            other.joined == joined && other.case == key.case && other.splits == key.splits
        };
        if plain != key.joined && plain.len() == key.joined.chars().count() {
            // The accents took bytes: the places where it may be split move.
            let moved = key.splits.as_ref().map(|splits| {
                splits
                    .iter()
                    .map(|at| key.joined[..*at].chars().count())
                    .collect()
            });
            let key = Key {
                joined: plain,
                splits: moved,
                ..key.clone()
            };
            if !self.keys.iter().any(|other| same(other, &key.joined)) {
                self.keys.push(key);
            }
        }
        if !self.keys.iter().any(|other| same(other, &key.joined)) {
            self.keys.push(key);
        }
    }
}

/// The name without legal forms and words such as "Group" around it.
fn core<'a, 'b>(all: &'a [Word<'b>]) -> &'a [Word<'b>] {
    let mut core = all;
    loop {
        // "S.A.S." is three words, "sp. z o.o." four.
        let tail = (1..=4usize.min(core.len().saturating_sub(1)))
            .rev()
            .find(|count| {
                let tail = &core[core.len() - count..];
                let joined = joined(tail);
                LEGAL.contains(&joined.as_str())
                    || (*count == 1 && AROUND.contains(&joined.as_str()))
            });
        let Some(count) = tail else { break };
        core = &core[..core.len() - count];
    }
    while let [first, rest @ ..] = core
        && !rest.is_empty()
        && (AROUND.contains(&&*first.lower)
            || (first.text.chars().all(char::is_uppercase)
                && matches!(
                    &*first.lower,
                    "sarl" | "sas" | "sasu" | "eurl" | "sa" | "ab" | "as" | "sci" | "pt"
                )))
        && rest.iter().any(|word| !GENERIC.contains(&*word.lower))
    {
        core = rest;
    }
    core
}

fn joined(words: &[Word<'_>]) -> String {
    words.iter().map(|word| &*word.lower).collect()
}

/// What a name says outside and inside of parentheses.
fn parentheses(name: &str) -> (String, Option<String>) {
    let parts = name.split_once('(').and_then(|(before, rest)| {
        rest.split_once(')')
            .map(|(inside, after)| (before, inside, after))
    });
    match parts {
        Some((before, inside, after)) if !before.trim().is_empty() => (
            format!("{} {}", before.trim(), after.trim()),
            Some(inside.to_owned()),
        ),
        _ => (name.to_owned(), None),
    }
}

/// Whether an acronym is made of a name's initials, in order.
fn initials_of(acronym: &str, initials: &str) -> bool {
    let mut initials = initials.chars();
    acronym
        .chars()
        .all(|letter| initials.any(|initial| initial == letter))
}

/// Whether the text before a parenthesis ends with the name.
fn follows(text: &str, parenthesis: usize, core: &[Word<'_>]) -> bool {
    let bytes: usize = core.iter().map(|word| word.text.len() + 4).sum();
    let mut from = parenthesis.saturating_sub(bytes + 12);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let before = words(&text[from..parenthesis]);
    before.len() >= core.len()
        && before[before.len() - core.len()..]
            .iter()
            .zip(core)
            .all(|(one, other)| unaccented(&one.lower) == unaccented(&other.lower))
}

/// Scripts that put no spaces between words.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{ac00}'..='\u{d7af}' | '\u{e00}'..='\u{e7f}')
}
