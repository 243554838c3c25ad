//! Finds a company's name in a text: with and without its legal form, as one word or several, as an
//! acronym, or by the distinctive part of the name or website.

use std::{collections::HashSet, ops::Range};

use super::{
    Identity, Scan, acronym, inside,
    key::{Case, Key, splits, with_legal_form},
    vocabulary::{ACRONYMS, AFFIXES, GENERIC, LEGAL, SMALL_WORDS, TWO_LETTER_WORDS},
    words::{Word, unaccented, words},
};
use crate::{Budget, Exceeded, places};

/// The most spellings of one kind that a text may add, since each is searched for everywhere.
const MAX_SPELLINGS: usize = 16;

/// The spellings of one company.
#[derive(Debug)]
pub(crate) struct Names {
    keys: Vec<Key>,
    label: Option<String>,
    /// Names in a script that puts no spaces between words.
    unspaced: Vec<String>,
}

/// What decides whether a part of a name is distinctive.
struct Context<'a> {
    identity: &'a Identity<'a>,
    /// The words of the text outside addresses.
    all: &'a [Word<'a>],
    text: &'a str,
    budget: &'a Budget,
}

impl Context<'_> {
    /// Whether the text also writes the word in lower case.
    fn is_common(&self, word: &str) -> Result<bool, Exceeded> {
        self.budget.spend(self.all.len())?;
        let is_it = |other: &Word<'_>| other.text == word && !inside::is_tag(other, self.text);
        Ok(self.all.iter().any(is_it))
    }

    /// Whether the text uses the capitalised word three times or more, like a name.
    fn is_frequent(&self, name: &Word<'_>) -> Result<bool, Exceeded> {
        self.budget.spend(self.all.len())?;
        let same = |word: &&Word<'_>| word.is_capital() && word.lower == name.lower;
        Ok(self.all.iter().filter(same).count() >= 3)
    }

    fn is_distinctive(&self, word: &str) -> Result<bool, Exceeded> {
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
        Ok(!GENERIC.contains(word)
            && !GENERIC.contains(folded.as_str())
            && !LEGAL.contains(&word)
            && !self.is_common(word)?
            && !city
            && !place())
    }
}

impl Names {
    /// Collects the spellings of the name that this text may use; which acronyms and parts count
    /// depends on the text.
    pub(crate) fn new(
        identity: &Identity<'_>,
        scan: &Scan,
        all: &[Word<'_>],
        budget: &Budget,
    ) -> Result<Self, Exceeded> {
        let context = Context {
            identity,
            all,
            text: &scan.text,
            budget,
        };
        let mut names = Self {
            keys: Vec::new(),
            label: scan.label.clone(),
            unspaced: Vec::new(),
        };
        names.add_name(&context)?;
        names.add_label(&context)?;
        names.add_written_out(&context)?;
        names
            .keys
            .sort_by_key(|key| std::cmp::Reverse(key.joined.len()));
        Ok(names)
    }

    /// Finds where a text names the company.
    pub(crate) fn find(
        &self,
        text: &str,
        words: &[Word<'_>],
        budget: &Budget,
    ) -> Result<Vec<Range<usize>>, Exceeded> {
        let mut out: Vec<Range<usize>> = Vec::new();
        if self.unspaced.is_empty() && self.keys.is_empty() {
            return Ok(out);
        }
        for name in &self.unspaced {
            budget.spend(text.len())?;
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
            budget.spend(self.keys.len())?;
            if let Some((end, next)) = self.name_at(text, words, at, budget)? {
                let (end, next) = with_legal_form(text, words, end, next);
                spaced.push(words[at].start..end);
                at = next.max(at + 1);
            } else {
                spaced.extend(inside::find(&self.keys, &words[at], text, budget)?);
                at += 1;
            }
        }
        budget.spend(out.len() + spaced.len())?;
        Ok(merged(out, spaced))
    }

    /// If a name starts at word `at`, returns its end and the index of the next word.
    fn name_at(
        &self,
        text: &str,
        words: &[Word<'_>],
        at: usize,
        budget: &Budget,
    ) -> Result<Option<(usize, usize)>, Exceeded> {
        for key in &self.keys {
            let found = key.matches(text, words, at, budget)?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    fn add_name(&mut self, context: &Context<'_>) -> Result<(), Exceeded> {
        let Context {
            identity,
            all,
            text,
            budget,
        } = *context;
        let name = identity.name;
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
            self.add_head(core, context)?;
            for acronym in acronym::of_name(core, all, text, MAX_SPELLINGS, budget)? {
                self.push(Key::word(acronym, Case::Upper));
            }
        }
        Ok(())
    }

    /// Adds the name as it is, and without accents.
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
            (1, 2) if upper || generic || TWO_LETTER_WORDS.contains(&&*joined) => Case::Upper,
            (1, 3) if upper => Case::Upper,
            (1, 2 | 3) => Case::Capital,
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
            accents_count: true,
            joined,
        };
        if words
            .iter()
            .any(|word| matches!(&*word.lower, "and" | "et" | "und" | "og" | "och"))
            || name.contains(['&', '+'])
        {
            self.add_and(&key, words);
        }
        // A text may also say "Example Care Service" for "Example Care Services".
        if let (true, Some(one)) = (words.len() >= 3, key.joined.strip_suffix('s'))
            && last.lower.chars().count() >= 5
        {
            let mut splits = splits(words);
            splits.retain(|split| *split <= one.len());
            self.push(Key {
                splits: Some(splits),
                ..Key::word(one.to_owned(), Case::Capital)
            });
        }
        self.push(key);
    }

    /// Adds `A and B` for `A & B`, and the other way round.
    fn add_and(&mut self, key: &Key, words: &[Word<'_>]) {
        let is_and = |word: &Word<'_>| matches!(&*word.lower, "and" | "et" | "und" | "og" | "och");
        if words.iter().any(is_and) {
            let rest: Vec<Word<'_>> = words.iter().filter(|word| !is_and(word)).cloned().collect();
            self.push(Key {
                joined: joined(&rest),
                splits: Some(splits(&rest)),
                ..key.clone()
            });
            self.add_initials(&rest);
        } else if words.len() == 2 && key.joined.chars().count() > 3 {
            for and in ["and", "et", "und", "og", "och"] {
                let first = words[0].lower.len();
                self.push(Key {
                    joined: format!("{}{and}{}", words[0].lower, words[1].lower),
                    splits: Some(vec![first, first + and.len()]),
                    ..key.clone()
                });
            }
            self.add_initials(words);
        }
    }

    /// Adds `F&L` for `Finch & Larkin`, and `FL` if the website has that name.
    fn add_initials(&mut self, words: &[Word<'_>]) {
        let [one, other] = words else { return };
        let initial = |word: &Word<'_>| word.lower.chars().next().map(String::from);
        let (Some(one), Some(other)) = (initial(one), initial(other)) else {
            return;
        };
        let key = Key {
            splits: Some(vec![one.len()]),
            ..Key::word(format!("{one}{other}"), Case::Upper)
        };
        let upper = key.joined.to_uppercase();
        if self.label.as_ref() == Some(&key.joined) && !ACRONYMS.contains(&&*upper) {
            self.push(Key::word(key.joined.clone(), Case::Upper));
        }
        self.push(Key {
            gap: Some("&".to_owned()),
            ..key
        });
    }

    /// Adds the first word of `Example Food Services`, if something shows that it is the proper
    /// name.
    fn add_head(&mut self, core: &[Word<'_>], context: &Context<'_>) -> Result<(), Exceeded> {
        let [head, rest @ ..] = core else {
            return Ok(());
        };
        let label = self.label.as_deref() == Some(&*head.lower);
        let described = rest.iter().all(|word| {
            let word = &*word.lower;
            GENERIC.contains(word) || LEGAL.contains(&word) || SMALL_WORDS.contains(&word)
        });
        let upper = |word: &Word<'_>| !word.text.chars().any(char::is_lowercase);
        let shouted = upper(head) && !rest.iter().all(upper);
        let sign = described || label || shouted || context.is_frequent(head)?;
        let long = head.lower.chars().count() >= 4;
        if !rest.is_empty() && long && sign && context.is_distinctive(&head.lower)? {
            let compounds = head.lower.chars().count() >= 7;
            self.push(Key {
                compounds,
                ..Key::word(head.lower.to_string(), Case::Capital)
            });
        }
        Ok(())
    }

    /// Adds what the text spells out before an acronym of the company, and acronyms that it
    /// introduces after words that begin with the company's name.
    fn add_written_out(&mut self, context: &Context<'_>) -> Result<(), Exceeded> {
        let Context {
            all, text, budget, ..
        } = *context;
        let known = |word: &Word<'_>| {
            let key = |key: &Key| key.case == Case::Upper && key.joined == word.lower;
            word.lower.chars().count() >= 3 && self.keys.iter().any(key)
        };
        let of_acronyms = acronym::written_out(all, text, known, budget)?;
        let mut of_products: Vec<String> = Vec::new();
        for (first, at) in acronym::written_out(all, text, |_| true, budget)? {
            if at - first > 1
                && of_products.len() < MAX_SPELLINGS
                && self.names_one(context, first)?
            {
                of_products.push(all[at].lower.to_string());
            }
        }
        for (first, at) in of_acronyms.into_iter().take(MAX_SPELLINGS) {
            let words = &all[first..at];
            self.push(Key {
                splits: Some(splits(words)),
                ..Key::word(joined(words), Case::Capital)
            });
        }
        for product in of_products {
            self.push(Key::word(product, Case::Upper));
        }
        Ok(())
    }

    /// Whether a name other than an acronym starts at a word.
    fn names_one(&self, context: &Context<'_>, at: usize) -> Result<bool, Exceeded> {
        context.budget.spend(self.keys.len())?;
        for key in self.keys.iter().filter(|key| key.case != Case::Upper) {
            let found = key.matches(context.text, context.all, at, context.budget)?;
            if found.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Adds the label of the website, and the distinctive word that it begins with.
    fn add_label(&mut self, context: &Context<'_>) -> Result<(), Exceeded> {
        let Some(label) = self.label.clone() else {
            return Ok(());
        };
        let parts = words(&label);
        let joined = joined(&parts);
        let letters = joined.chars().count();
        let named = self.keys.iter().any(|key| key.joined == joined);
        let mut generic = true;
        for part in &parts {
            generic = generic && !context.is_distinctive(&part.lower)?;
        }
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
        context.budget.spend(context.all.len())?;
        let capitals = |word: &&Word<'_>| word.text.len() >= 6 && word.is_capital();
        for word in context.all.iter().filter(capitals) {
            if word.lower.is_ascii() && word.lower.chars().next() != first {
                continue;
            }
            context.budget.spend(2 * word.text.len())?;
            let folded = unaccented(&word.lower);
            let stem = folded.strip_suffix('s').unwrap_or(&folded).to_owned();
            for front in [folded, stem] {
                let length = front.chars().count();
                let begins = length >= 6 && letters > length + 2 && joined.starts_with(&front);
                // Checking the text for each word would take quadratic time.
                if begins && seen.insert(front.clone()) && context.is_distinctive(&front)? {
                    self.push(Key {
                        compounds: length >= 7,
                        ..Key::word(front, Case::Capital)
                    });
                }
            }
        }
        Ok(())
    }

    /// Adds a spelling, and variants without some or all of its accents.
    fn push(&mut self, key: Key) {
        let plain = unaccented_key(&key).filter(|key| self.is_new(key));
        self.keys.extend(plain);
        if self.is_new(&key) {
            self.keys.push(key);
        }
    }

    fn is_new(&self, key: &Key) -> bool {
        !self.keys.iter().any(|other| {
            other.joined == key.joined && other.case == key.case && other.splits == key.splits
        })
    }
}

/// Merges two ordered lists of ranges. Drops ranges of the second that overlap one of the first.
fn merged(first: Vec<Range<usize>>, second: Vec<Range<usize>>) -> Vec<Range<usize>> {
    if first.is_empty() {
        return second;
    }
    let mut out: Vec<Range<usize>> = Vec::with_capacity(first.len() + second.len());
    let mut first = first.into_iter().peekable();
    for range in second {
        while let Some(before) = first.next_if(|other| other.start < range.end) {
            out.push(before);
        }
        if out.last().is_none_or(|last| last.end <= range.start) {
            out.push(range);
        }
    }
    out.extend(first);
    out
}

/// A spelling without accents; `None` if it has none.
fn unaccented_key(key: &Key) -> Option<Key> {
    if key.joined.is_ascii() {
        return None;
    }
    // Accents take bytes, so the split positions move.
    let plain = |end: usize| unaccented(&key.joined[..end]);
    let joined = plain(key.joined.len());
    let splits = key.splits.as_ref();
    (joined != key.joined).then(|| Key {
        splits: splits.map(|splits| splits.iter().map(|at| plain(*at).len()).collect()),
        joined,
        accents_count: false,
        ..key.clone()
    })
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
                    || (*count == 1 && AFFIXES.contains(&joined.as_str()))
            });
        let Some(count) = tail else { break };
        core = &core[..core.len() - count];
    }
    while let [first, rest @ ..] = core
        && !rest.is_empty()
        && (AFFIXES.contains(&&*first.lower)
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

/// The parts of a name outside and inside parentheses.
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

/// Whether a script puts no spaces between words.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{ac00}'..='\u{d7af}' | '\u{e00}'..='\u{e7f}')
}
