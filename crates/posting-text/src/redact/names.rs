mod context;
mod form;
mod fragments;
mod parts;
mod script_pairs;
mod spell;
mod website;

use std::{collections::BTreeMap, rc::Rc};

use self::context::{Context, families, is_ordinary, script};
use super::{
    acronym,
    city::City,
    cjk,
    cues::{self, Cues},
    found::{apart, merged},
    inflect, inside,
    key::{Case, Key, Ordinary, Token, initial, with_legal_form},
    script::{Script, is_cased, is_unspaced},
    vocabulary::{AND, List, listed},
    words::{Text, Word, unaccented, word_before, words},
};
use crate::{Posting, Range, Result};

const MAX_SPELLINGS: usize = 16;

const QUOTES: [&str; 7] = ["«»", "„“", "„”", "“”", "\"\"", "「」", "『』"];

fn quotes() -> impl Iterator<Item = (char, char)> {
    QUOTES
        .into_iter()
        .filter_map(|pair| pair.chars().next().zip(pair.chars().nth(1)))
}

const MAX_NAMES: usize = 8;

#[derive(Debug, Default)]
pub(crate) struct Names {
    /// By their initials, the longest first.
    keys: BTreeMap<char, Vec<Key>>,
    label: Option<String>,
    unspaced: Vec<String>,
    tokens: Vec<Rc<Token>>,
    /// The words of all names, and whether each is ordinary.
    parts: Vec<(Rc<Token>, bool)>,
    /// `Finch, Larkin and Partners`
    has_comma: bool,
    small: Vec<String>,
    ands: Vec<&'static str>,
    /// The families of the text's languages.
    pub(super) families: Cues,
}

fn ands(all: &[Word<'_>]) -> Vec<&'static str> {
    let mut found = Vec::new();
    for word in all.iter().filter(|word| word.is_small()) {
        let and = AND.into_iter().find(|and| *and == word.lower);
        found.extend(and.filter(|and| !found.contains(and)));
    }
    found
}

impl Names {
    /// Collects the spellings that this text may use.
    pub(crate) fn new(
        posting: &Posting<'_>,
        label: Option<String>,
        on: Text<'_>,
        is_title: bool,
    ) -> Result<Self> {
        let (text, all, budget) = on.parts();
        budget.spend(all.len())?;
        let families = families(all, posting.country);
        let context = Context {
            posting,
            city: City::new(posting.city, families),
            is_title,
            all,
            acronyms: acronym::places(all),
            text,
            families,
            script: script(all),
            budget,
        };
        let mut ands = ands(all);
        // "in" in the Nordic languages, "and" in Slavic ones.
        ands.retain(|and| *and != "i" || !context.families.intersects(Cues::NORDIC));
        let mut names = Self {
            label,
            ands,
            families: context.families,
            ..Self::default()
        };
        names.add_name(posting.company_name, &context)?;
        for name in posting.other_names.iter().take(MAX_NAMES - 1) {
            // A title is too short for most companies of its description.
            if !is_title || context.may_have(name)? {
                names.add_name(name, &context)?;
            }
        }
        if let Some(label) = names.label.clone() {
            names.add_label(&label, &context)?;
        }
        names.add_other_scripts(&context)?;
        Ok(names)
    }

    pub(crate) fn find(&self, on: Text<'_>) -> Result<Vec<Range>> {
        let (text, words, budget) = on.parts();
        let mut out: Vec<Range> = Vec::new();
        for name in &self.unspaced {
            budget.spend(text.len())?;
            out.extend(
                text.match_indices(name.as_str())
                    .map(|(at, name)| at..at + name.len())
                    .filter(|range| cjk::is_whole_word(text, range.start, range.end))
                    .map(|range| cjk::with_legal_forms(text, range)),
            );
        }
        let out = apart(out);
        let mut spaced = Vec::new();
        let mut at = 0;
        let mut free = 0;
        while at < words.len() {
            budget.spend(1)?;
            let found = self.name_at(on, at)?;
            if let Some((start, end, next)) = found.filter(|found| !Self::is_place(on, at, found.2))
            {
                let (first, start) = self.before(on, at, start, free)?;
                let (end, next) = self.after(on, end, next)?;
                let (end, next) = with_legal_form(on, end, next);
                let start = after_legal_form(on, first..next, start);
                spaced.push(start..end);
                debug_assert!(first >= free);
                at = next.max(at + 1);
                free = at;
            } else {
                let word = &words[at];
                if word.is_letter()
                    && let Some((end, next)) = inside::spaced_out(self.candidates(word), on, at)?
                {
                    spaced.push(word.start..end);
                    at = next;
                    free = at;
                    continue;
                }
                if inside::may_have(word, text) {
                    spaced.extend(inside::find(self.keys(), word, text, budget)?);
                }
                at += 1;
            }
        }
        budget.spend(out.len() + spaced.len())?;
        Ok(merged([out, spaced].concat()))
    }

    fn keys(&self) -> impl Iterator<Item = &Key> {
        self.keys.values().flatten()
    }

    fn candidates(&self, word: &Word<'_>) -> &[Key] {
        self.keys
            .get(&initial(&word.lower))
            .map_or(&[], Vec::as_slice)
    }

    /// At word `at`, or after a prefix of it. Returns its range and the next word.
    fn name_at(&self, on: Text<'_>, at: usize) -> Result<Option<(usize, usize, usize)>> {
        let word = &on.words[at];
        for key in self.candidates(word) {
            if let Some((end, next)) = key.matches(on, at, word)? {
                return Ok(Some((word.start, end, next)));
            }
        }
        if word.lower.is_ascii() {
            return Ok(None);
        }
        for rest in inflect::without_prefix(&word.lower) {
            let Some(written) = word.text.len().checked_sub(rest.len()) else {
                continue;
            };
            let Some(rest) = word.text.get(written..) else {
                continue;
            };
            let shorter = Word {
                start: word.start + written,
                text: rest,
                lower: rest.to_lowercase().into(),
                cues: word.cues,
            };
            let article = format!("ال{rest}");
            let with_article = Word {
                lower: article.as_str().into(),
                ..shorter.clone()
            };
            let forms = [&shorter, &with_article];
            let forms = if Script::of_text(rest) == Script::Arabic {
                &forms[..]
            } else {
                &forms[..1]
            };
            for form in forms {
                for key in self.candidates(form) {
                    on.budget.spend(1)?;
                    if let Some((end, next)) = key.matches(on, at, form)? {
                        return Ok(Some((shorter.start, end, next)));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Adds variants without some or all of its accents.
    fn push(&mut self, key: Key) {
        for key in [key.unaccented(), key.spelled_out(), Some(key)]
            .into_iter()
            .flatten()
        {
            let keys = self.keys.entry(initial(&key.joined)).or_default();
            let is_it = |other: &Key| {
                other.joined == key.joined
                    && other.case == key.case
                    && other.splits == key.splits
                    && other.gap == key.gap
            };
            if !keys.iter().any(is_it) {
                let longer = keys.partition_point(|it| it.joined.len() >= key.joined.len());
                keys.insert(longer, key);
            }
        }
    }

    fn push_unspaced(&mut self, name: String) {
        if !self.unspaced.contains(&name) {
            self.unspaced.push(name);
        }
    }
}

/// Moves the start after a legal form before quotation marks: `ООО «[company]»`.
fn after_legal_form(on: Text<'_>, found: Range, start: usize) -> usize {
    let words = &on.words[found];
    let forms = words.iter().take_while(|word| word.is(Cues::LEGAL)).count();
    let name = words.get(forms).filter(|_| forms > 0);
    let name = name.filter(|name| on.content[..name.start].ends_with(['«', '„', '“', '"']));
    name.map_or(start, |name| name.start)
}

fn joined(words: &[Word<'_>]) -> String {
    words.iter().map(|word| &*word.lower).collect()
}

fn all_of(words: &[Word<'_>], cues: Cues) -> bool {
    words.iter().all(|word| word.is(cues))
}

fn has_unspaced(name: &str) -> bool {
    !name.is_ascii() && name.contains(is_unspaced)
}

const fn single(letters: usize) -> Case {
    if letters < 4 {
        Case::Capital
    } else {
        Case::Any
    }
}
