//! One spelling of a company's name, and how it matches a text.

use std::{borrow::Cow, rc::Rc};

use unicode_normalization::char::decompose_compatible;

use super::{
    cues::{self, Cues},
    inflect::{Stem, is_second_part},
    script::is_cased,
    vocabulary::List,
    words::{Text, Word, begins_sentence, is_gap, unaccented},
};
use crate::{Result, places::plain_letter};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    Any,
    /// Because the name is also a common word.
    Capital,
    Upper,
}

/// Whether a name is made of ordinary words, which a text may use with another meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ordinary {
    No,
    /// It may begin a sentence without being the name.
    Word,
    /// Each but the small ones must have a capital.
    Words,
}

pub(super) type Match = Option<(usize, usize)>;

#[derive(Debug)]
pub(crate) struct Token {
    pub(crate) text: String,
    pub(crate) stems: Vec<Stem>,
    pub(crate) is_upper: bool,
}

impl Token {
    pub(crate) fn word(text: String) -> Self {
        Self {
            is_upper: false,
            text,
            stems: Vec::new(),
        }
    }

    pub(crate) fn is(&self, lower: &str) -> bool {
        self.text == lower || self.stems.iter().any(|stem| stem.begins(lower))
    }

    pub(crate) fn unaccented(&self) -> Self {
        Self {
            text: unaccented(&self.text),
            stems: self.stems.iter().map(Stem::unaccented).collect(),
            is_upper: self.is_upper,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Key {
    /// In lower case.
    pub(crate) joined: String,
    /// The bytes after which a new word may begin; `None` for any.
    pub(crate) splits: Option<Vec<usize>>,
    pub(crate) case: Case,
    /// Required between the words, apart from spaces, if the words alone are too short.
    pub(crate) gap: Option<String>,
    /// Whether it may begin a compound (`Exampleish`).
    pub(crate) compounds: bool,
    /// False if the name has accents itself, some of which people leave out.
    pub(crate) accents_count: bool,
    pub(crate) tokens: Vec<Rc<Token>>,
    /// Whether people of the company may be in lower case: `telianere`.
    pub(crate) lower_forms: bool,
    pub(crate) ordinary: Ordinary,
}

impl Key {
    pub(crate) fn word(joined: String, case: Case) -> Self {
        Self {
            joined,
            splits: Some(Vec::new()),
            case,
            gap: None,
            compounds: false,
            accents_count: true,
            tokens: Vec::new(),
            lower_forms: false,
            ordinary: Ordinary::No,
        }
    }

    pub(crate) fn unaccented(&self) -> Option<Self> {
        if self.joined.is_ascii() {
            return None;
        }
        let plain = self.rewritten(unaccented);
        let tokens = self.tokens.iter();
        (plain.joined != self.joined).then(|| Self {
            accents_count: false,
            tokens: tokens.map(|token| Rc::new(token.unaccented())).collect(),
            ..plain
        })
    }

    /// Without umlauts and rings: `Voehringer` for `Vöhringer`; `None` if it has none.
    pub(crate) fn spelled_out(&self) -> Option<Self> {
        let plain = |text: &str| {
            let text = text.replace('ä', "ae").replace(['ö', 'ø'], "oe");
            text.replace('ü', "ue").replace('å', "aa")
        };
        let has_some = self.joined.contains(['ä', 'ö', 'ü', 'ø', 'å']);
        has_some.then(|| self.rewritten(plain))
    }

    /// A spelling in other letters, without inflected forms. Splits move, as letters differ.
    fn rewritten(&self, write: impl Fn(&str) -> String) -> Self {
        let moved = |at: &usize| write(&self.joined[..*at]).len();
        let splits = self.splits.as_ref();
        Self {
            splits: splits.map(|splits| splits.iter().map(moved).collect()),
            joined: write(&self.joined),
            tokens: Vec::new(),
            ..self.clone()
        }
    }

    fn lower<'a>(&self, word: &'a Word<'_>) -> Cow<'a, str> {
        if self.accents_count || word.lower.is_ascii() {
            Cow::Borrowed(&word.lower)
        } else {
            Cow::Owned(unaccented(&word.lower))
        }
    }

    /// Returns the end of the name and the next word. The caller pays for the first one.
    pub(crate) fn matches(&self, on: Text<'_>, at: usize, first: &Word<'_>) -> Result<Match> {
        let (text, words, _) = on.parts();
        let inflected = self.matches_inflected(on, at, first)?;
        let found = match inflected {
            // In lower case it is another word.
            None if self.case == Case::Capital
                && !first.is_capital()
                && !self.begins_with_particle(first) =>
            {
                None
            }
            None => self.matches_joined(on, at, first)?,
            found => found,
        };
        Ok(found.filter(|(_, next)| match self.ordinary {
            Ordinary::No => true,
            Ordinary::Word => is_named(text, words, at, *next),
            Ordinary::Words => {
                let is_written = |word: &Word<'_>| word.is_capital() || word.is_small();
                // Many languages write only the first word with a capital: "u Rudé lišky".
                let is_within = words[at].is_upper() && !begins_sentence(text, words[at].start);
                is_within || words[at..*next].iter().all(is_written)
            }
        }))
    }

    /// `van der Zalm`
    fn begins_with_particle(&self, first: &Word<'_>) -> bool {
        self.ordinary == Ordinary::Words && first.is_small() && self.tokens.len() > 1
    }

    fn matches_joined(&self, on: Text<'_>, at: usize, first: &Word<'_>) -> Result<Match> {
        let budget = on.budget;
        let mut rest = self.joined.as_str();
        let mut gaps = String::new();
        let mut index = at;
        let mut word = first;
        loop {
            budget.spend(1 + word.text.len())?;
            if self.case == Case::Upper && word.text.chars().any(char::is_lowercase) {
                let ends = rest.len() < word.lower.len() && self.is_capitals_and_ending(rest, word);
                return Ok(ends.then_some((word.end(), index + 1)));
            }
            let lower = self.lower(word);
            if rest == lower {
                let fits = self.gap.as_ref().is_none_or(|gap| *gap == gaps);
                let fits = fits && !self.is_in_reference(&on.content[word.end()..]);
                return Ok(fits.then_some((word.end(), index + 1)));
            }
            if let Some(after) = rest.strip_prefix(&*lower) {
                let split = self.joined.len() - after.len();
                rest = after;
                index += 1;
                let Some((next, gap)) = next_of_name(on, index, word) else {
                    return Ok(None);
                };
                // A word that goes on in the next line.
                let is_wrapped = matches!(gap, "-\n" | "-\\\n" | "- \n" | "\u{2010}\n");
                let splits = self.splits.as_ref();
                if !is_wrapped && !splits.is_none_or(|splits| splits.contains(&split)) {
                    return Ok(None);
                }
                gaps.push_str(gap.trim());
                word = next;
                continue;
            }
            let end = self.within(rest, word, first);
            return Ok(end.map(|end| (word.start + end, index + 1)));
        }
    }

    /// Initials in the reference of an ad: `SR-26-1107`.
    fn is_in_reference(&self, after: &str) -> bool {
        const LONGEST: usize = 4;
        let number = after.strip_prefix(['-', '/', '_']).unwrap_or_default();
        let digits = number.bytes().take_while(u8::is_ascii_digit);
        let are_initials = self.case == Case::Upper && self.joined.chars().count() <= LONGEST;
        are_initials && digits.count() >= 2
    }

    /// `NAVs`, `ZECu`
    fn is_capitals_and_ending(&self, rest: &str, word: &Word<'_>) -> bool {
        static ENDINGS: List =
            List::new("s es en et n u a em ie ia ów om na nek re ra hoz nál ban ben s' er");
        let Some(more) = self.lower(word).strip_prefix(rest).map(str::to_owned) else {
            return false;
        };
        let capitals = word.text.chars().take_while(|c| !c.is_lowercase()).count();
        capitals == rest.chars().count() && (capitals > 2 || more == "s") && ENDINGS.has(&more)
    }

    fn matches_inflected(&self, on: Text<'_>, at: usize, first: &Word<'_>) -> Result<Match> {
        let budget = on.budget;
        if self.tokens.is_empty() {
            return Ok(None);
        }
        if is_cased(first.text) && !first.is_upper() && !self.begins_with_particle(first) {
            // People of a company are written so in many languages: `telianere`.
            let letter = self.joined.chars().next().map_or(1, char::len_utf8);
            let ends = self.lower(first).len() >= self.joined.len() + 2 * letter;
            if self.tokens.len() > 1 || !self.lower_forms || !ends {
                return Ok(None);
            }
        }
        let mut word = first;
        for (number, token) in self.tokens.iter().enumerate() {
            if number > 0 {
                let Some((next, _)) = next_of_name(on, at + number, word) else {
                    return Ok(None);
                };
                word = next;
            }
            budget.spend(1 + token.stems.len())?;
            if !token.is(&self.lower(word)) {
                return Ok(None);
            }
        }
        Ok(Some((word.end(), at + self.tokens.len())))
    }

    /// The part of a longer last word in the name: all of `Examples`, the start of `ExampleEats`
    /// and `Example4All`, nothing of `exampleish`.
    fn within(&self, rest: &str, word: &Word<'_>, first: &Word<'_>) -> Option<usize> {
        let lower = self.lower(word);
        let more = lower.strip_prefix(rest)?;
        let length = self.joined.chars().count();
        if length < 4 || word.letters() != lower.chars().count() {
            let short = length == 3 && more == "s" && self.case == Case::Capital;
            return (short && first.is_upper()).then_some(word.text.len());
        }
        if more == "s" && first.is_capital() {
            return Some(word.text.len());
        }
        let (end, next) = word.text.char_indices().nth(rest.chars().count())?;
        let before = word.text[..end].chars().next_back()?;
        let inner_capital = (next.is_uppercase() && before.is_lowercase()) || next.is_ascii_digit();
        let long = length >= 7 && more.chars().count() >= 4 && first.is_capital();
        let known = length >= 5 && is_second_part(more);
        (inner_capital || (self.compounds && (long || known))).then_some(end)
    }
}

/// The word at `at` and the gap before it, if it may continue a name.
fn next_of_name<'a>(on: Text<'a>, at: usize, before: &Word<'_>) -> Option<(&'a Word<'a>, &'a str)> {
    let next = on.words.get(at)?;
    let gap = &on.content[before.end()..next.start];
    is_gap(gap, before.text).then_some((next, gap))
}

/// Not at the start of a sentence, or before a verb or a sign.
fn is_named(text: &str, words: &[Word<'_>], at: usize, next: usize) -> bool {
    let word = &words[at];
    let shouted = word.text.chars().nth(1).is_some_and(char::is_uppercase);
    if shouted || !begins_sentence(text, word.start) {
        return true;
    }
    let Some(following) = words.get(next) else {
        return true;
    };
    let gap = &text[words[next - 1].end()..following.start];
    match gap.trim_start().chars().next() {
        None => following.is(Cues::VERB | Cues::LEGAL),
        Some(sign) => sign != ',',
    }
}

/// `Example, Inc.`, `Example Sp. z o.o.`
pub(crate) fn with_legal_form(on: Text<'_>, end: usize, next: usize) -> (usize, usize) {
    let (text, words, _) = on.parts();
    let (mut end, mut next) = (end, next);
    while let Some(word) = words.get(next).filter(|word| word.start >= end) {
        let gap = &text[end..word.start];
        if !matches!(gap, " " | ", " | "\u{a0}" | " & " | " (" | "-") {
            break;
        }
        // "Ромашка, ООО «Лютик»" is two companies, or the same twice.
        if gap == ", " && !word.text.is_ascii() {
            break;
        }
        let Some(count) = legal_form(text, &words[next..]) else {
            break;
        };
        next += count;
        end = words[next - 1].end();
        let is_short = count > 1 || word.letters() <= 4;
        if is_short && text[end..].starts_with('.') && words[next - 1].text.len() < text.len() {
            let goes_on = text[end + 1..].starts_with([' ', ',', ')', '-']);
            let is_abbreviation =
                count > 1 || matches!(&*word.lower, "inc" | "ltd" | "corp" | "şti");
            end += usize::from(is_abbreviation && goes_on);
        }
    }
    (end, next)
}

fn legal_form(text: &str, words: &[Word<'_>]) -> Option<usize> {
    const LONGEST: usize = 4;
    let is_dotted = |pair: &[Word<'_>], count| {
        let gap = &text[pair[0].end()..pair[1].start];
        let is_letter = |word: &Word<'_>| word.letters() == 1;
        // "S A" and "Sp. z o.o." are legal forms, "i s-a" is not.
        let is_apart = gap == " " && is_letter(&pair[1]);
        matches!(gap, "." | ". " | "/" | ".\u{a0}")
            || (is_apart && (!is_letter(&pair[0]) || pair[1].is_upper() || count == LONGEST))
    };
    for count in (2..=LONGEST).rev() {
        if let Some(several) = words.get(..count)
            && several.windows(2).all(|pair| is_dotted(pair, count))
        {
            let joined: String = several.iter().map(|word| &*word.lower).collect();
            // "c/o" is none.
            if cues::are_of(&joined, Cues::LEGAL) && several[0].text != "c" {
                return Some(count);
            }
        }
    }
    let word = words.first()?;
    let written = word.is_upper();
    let sure = word.letters() > 2 || word.is_capitals();
    let legal =
        word.is(Cues::LEGAL) && !matches!(&*word.lower, "is" | "company" | "co" | "limited");
    ((written && sure && legal) || word.lower == "gmbh").then_some(1)
}

pub(crate) fn initial(lower: &str) -> char {
    let letter = lower.chars().next().unwrap_or_default();
    if letter.is_ascii() {
        return letter;
    }
    let mut first = None;
    decompose_compatible(letter, |c| {
        first.get_or_insert(c);
    });
    let first = first.unwrap_or(letter);
    let plain = plain_letter(first).and_then(|plain| plain.chars().next());
    plain.unwrap_or(first)
}

/// Ends of the words of a joined name, and inner capitals: `JobBoard`.
pub(crate) fn splits(words: &[Word<'_>]) -> Vec<usize> {
    let mut out = Vec::new();
    let mut length = 0;
    for word in words {
        if word.text.len() == word.lower.len() {
            let mut before_lower = false;
            for (at, c) in word.text.char_indices() {
                if before_lower && (c.is_uppercase() || c.is_ascii_digit()) {
                    out.push(length + at);
                }
                before_lower = c.is_lowercase();
            }
        }
        length += word.lower.len();
        out.push(length);
    }
    out
}
