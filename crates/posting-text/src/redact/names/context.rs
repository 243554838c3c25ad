//! What a text says about the words of a name: ordinary, places, or only names.

use super::{
    super::{
        inside,
        script::is_latin,
        vocabulary::{AT_COMPANY, lines},
    },
    City, Cues, List, Script, Text, Word, cues, inflect, initial, listed, unaccented, word_before,
    words,
};
use crate::{
    Budget, Posting, Result, places,
    redact::words::{begins_sentence, without_umlauts},
};

pub(super) struct Context<'a> {
    pub(super) posting: &'a Posting<'a>,
    pub(super) city: City,
    pub(super) is_title: bool,
    pub(super) all: &'a [Word<'a>],
    /// The places of acronyms.
    pub(super) acronyms: Vec<usize>,
    pub(super) text: &'a str,
    pub(super) families: Cues,
    pub(super) script: Script,
    pub(super) budget: &'a Budget,
}

impl Context<'_> {
    pub(super) fn on(&self) -> Text<'_> {
        Text::new(self.text, self.all, self.budget)
    }

    /// Whether the text may have a name: it has an acronym, another script, or the first letters of
    /// a word of the name.
    pub(super) fn may_have(&self, name: &str) -> Result<bool> {
        let name_words = words(name);
        self.budget
            .spend(name.len() + self.text.len() * (1 + name_words.len()))?;
        let text = unaccented(&self.text.to_lowercase());
        // "Übler" is also "Uebler".
        let begins = |word: &Word<'_>| {
            let first: String = word.lower.chars().take(2).collect();
            !first.is_ascii() || text.contains(&first)
        };
        Ok(Script::of_text(name) != self.script
            || self.all.iter().any(Word::is_capitals)
            || name_words.iter().any(begins))
    }

    pub(super) fn is_common(&self, word: &str) -> Result<bool> {
        self.budget.spend(self.all.len())?;
        let is_it = |other: &Word<'_>| other.text == word && !inside::is_tag(other, self.text);
        let is_cased = word.chars().any(char::is_lowercase);
        Ok(is_cased && self.all.iter().any(is_it))
    }

    /// Whether the description has the word in lower case.
    pub(super) fn is_in_description(&self, word: &str) -> Result<bool> {
        let text = self.posting.description;
        self.budget.spend(text.len())?;
        let is_whole = |at: usize| {
            let after = text[at + word.len()..].chars().next();
            text[..at].ends_with([' ', '>', '\n']) && !after.is_some_and(char::is_alphanumeric)
        };
        Ok(text.match_indices(word).any(|(at, _)| is_whole(at)))
    }

    pub(super) fn has_capital(&self, word: &Word<'_>) -> Result<bool> {
        let stems = inflect::stems(&word.lower, self.families);
        self.budget.spend(self.all.len() + stems.len())?;
        let first = initial(&word.lower);
        let is_it = |other: &Word<'_>| {
            other.is_upper()
                && initial(&other.lower) == first
                && (other.lower == word.lower || inflect::is_form(&stems, &other.lower))
        };
        Ok(self.all.iter().any(is_it))
    }

    /// The only language with Hiragana.
    pub(super) fn is_japanese(&self) -> bool {
        !is_latin(self.text) && self.text.contains(|c: char| matches!(c, 'ぁ'..='ん'))
    }

    /// A word in Latin letters in a text of others is no ordinary word.
    pub(super) fn is_foreign(&self, word: &Word<'_>) -> bool {
        let script = Script::of_text(word.text);
        let own = self.script;
        script == Script::Latin && !matches!(own, Script::Latin | Script::Other)
    }

    /// Whether the text also writes a proper word of the name in lower case: where a name can be,
    /// and not after an article.
    pub(super) fn is_brand(&self, word: &Word<'_>, label: Option<&str>) -> Result<bool> {
        /// Before an ordinary word, and before no name.
        static ARTICLES: List = List::new(include_str!("../tables/articles.txt"));
        /// Before the label of the website, and before no ordinary word without an article.
        static BEFORE: List = List::new(include_str!("../tables/before_label.txt"));
        let lower = &*word.lower;
        let is_other = word.letters() < 4
            || is_ordinary(lower)
            || !cues::of(lower).is_empty()
            || self.is_place(lower);
        if is_other {
            return Ok(false);
        }
        self.budget.spend(self.all.len())?;
        // "rhoenblitz" for `rhönblitz`
        let bare = without_umlauts(&unaccented(lower));
        let label = label.map(without_umlauts);
        let rest = label.as_ref().and_then(|label| label.strip_prefix(&*bare));
        let rest = rest.map(|rest| rest.trim_start_matches('-'));
        let is_label = rest.is_some_and(|rest| rest.is_empty() || is_ordinary(rest));
        let is_line = !self.text.contains('\n');
        let has_articles = self.families.intersects(Cues::ENGLISH);
        let (mut names, mut others) = (0, 0);
        for (at, found) in self.all.iter().enumerate() {
            if found.text != lower || inside::is_tag(found, self.text) {
                continue;
            }
            let before = word_before(self.all, at);
            let before = before.filter(|it| &self.text[it.end()..found.start] == " ");
            let next = self.all.get(at + 1);
            let next = next.filter(|next| &self.text[found.end()..next.start] == " ");
            let after = &self.text[found.end()..];
            let is_subject = next.is_some_and(|it| it.is(Cues::VERB) && !it.is(Cues::SMALL));
            let is_of_name = before.is_some_and(|it| AT_COMPANY.has(&it.lower))
                || (begins_sentence(self.text, found.start)
                    && (is_subject || rest.is_some() && !self.text[..found.start].ends_with("; ")))
                || (rest.is_some_and(str::is_empty)
                    && (before.is_some_and(|it| BEFORE.has(&it.lower))
                        || (is_line && (at == 0 || at + 1 == self.all.len()))))
                || GENITIVE.iter().any(|ending| after.starts_with(ending));
            let is_after_small = before.is_some_and(|it| {
                ARTICLES.has(&it.lower)
                    || it.is(Cues::ADJECTIVE)
                    || (has_articles && matches!(&*it.lower, "a" | "the"))
            });
            others += usize::from(!is_of_name && (!is_label || is_after_small));
            names += usize::from(is_of_name);
        }
        Ok(names > others)
    }

    pub(super) fn is_distinctive(&self, word: &str) -> Result<bool> {
        Ok(!is_ordinary(word) && !self.is_common(word)? && !self.is_place(word))
    }

    /// As in German.
    pub(super) fn has_noun_capitals(&self) -> bool {
        self.families.intersects(Cues::GERMANIC)
            && !matches!(self.posting.country, Some("NL" | "BE"))
    }

    /// The city of the posting, a part of its name, or another place in its country.
    pub(super) fn is_place(&self, word: &str) -> bool {
        let place = || {
            self.posting
                .country
                .is_some_and(|country| places::is_city(country, word))
        };
        self.city.has_form(word) || cues::are_of(word, Cues::REGION) || place()
    }
}

/// No thing has the English genitive.
const GENITIVE: [&str; 2] = ["'s ", "’s "];
static IN_PLACE: List = List::new(
    "\
    in im i w we v ve u à en em a til nach aus near around from fra från till naar te ze din la",
);
/// In Germanic languages before places, and before no company.
static LOCATIVES: List = List::new("i in im near around nach te från fra");
/// Ends of names of places that have the same meaning.
const PLACE_ENDINGS: [&str; 9] = [
    "ssa", "ssä", "sta", "stä", "ban", "ben", "uje", "oje", "yje",
];

impl Context<'_> {
    /// Whether the text uses a part of a name where only a name can be: with a capital within a
    /// sentence, in quotation marks, or at the start of two sentences. In German and English, where
    /// nouns or headings have capitals, only after a word such as "at".
    pub(super) fn is_used_as_name(&self, part: &Word<'_>, name: &[Word<'_>]) -> Result<bool> {
        // Vietnamese has no family, and a text of no known language has all of them.
        let is_vietnamese = self.families == Cues::LANGUAGES && self.text.contains(is_vietnamese);
        let has_capitals = Script::of_text(part.text) == Script::Latin
            && !is_vietnamese
            && (self.families.intersects(Cues::ENGLISH) || self.has_noun_capitals());
        let mut starts = 0;
        self.any_use(part, name, |before, word| {
            // "Grupo Tlaxco" of "Grupo Ferretero Tlaxco"
            let skips = |before: &Word<'_>| {
                before.is(Cues::AFFIX | Cues::GENERIC)
                    && before.is_upper()
                    && name.iter().any(|own| own.lower == before.lower)
            };
            let between = &self.text[before.map_or(0, Word::end)..word.start];
            let quoted = between.ends_with(['«', '„', '“', '"']);
            let begins = begins_sentence(self.text, word.start);
            starts += usize::from(begins && !quoted);
            let is_within_sentence = before.is_some_and(|before| {
                let small = begins_sentence(self.text, before.start)
                    && (before.letters() <= 4 || before.is_small());
                !begins && (!before.is_capital() || small)
            });
            let after = &self.text[word.end()..];
            before.is_some_and(skips)
                || before.is_some_and(|before| !begins && AT_COMPANY.has(&before.lower))
                || (!has_capitals && begins && self.is_subject(word))
                || (has_capitals && GENITIVE.iter().any(|ending| after.starts_with(ending)))
                || (!has_capitals && (is_within_sentence || quoted || starts >= 2))
        })
    }

    /// `Åmosen søger …`
    fn is_subject(&self, word: &Word<'_>) -> bool {
        let after = self.all.partition_point(|other| other.start < word.end());
        let is_beside = |next: &&Word<'_>| &self.text[word.end()..next.start] == " ";
        let next = self.all.get(after).filter(is_beside);
        next.is_some_and(|next| next.is(Cues::VERB) && !next.is_upper())
    }

    /// Whether a part of a name that is also a place is the company: nothing is in it, and unless
    /// that is sure, people are at it.
    pub(super) fn names_company(
        &self,
        part: &Word<'_>,
        name: &[Word<'_>],
        is_sure: bool,
    ) -> Result<bool> {
        let is_of_city = self.city.has_form(&part.lower);
        let is_within = name.iter().any(|word| IN_PLACE.has(&word.lower));
        if is_of_city || is_within {
            return Ok(false);
        }
        // The one proper word of a name is the company, unless the text adds a word that only
        // places have. In many languages that word is the same for both.
        let has_city = self.posting.city.is_some_and(|city| !city.is_empty());
        let is_other = |word: &Word<'_>| is_ordinary(&word.lower) || word.is(Cues::AFFIX);
        let mut others = name.iter().filter(|word| word.lower != part.lower);
        let only = is_sure && has_city && others.all(is_other);
        let is_same_for_both = !self.families.intersects(Cues::FINNIC | Cues::HUNGARIAN);
        let germanic = Cues::NORDIC | Cues::ENGLISH | Cues::GERMANIC;
        let is_germanic = self.families.intersects(germanic) && self.families != Cues::LANGUAGES;
        let list = match only {
            false => Some(&IN_PLACE),
            true if is_germanic => Some(&LOCATIVES),
            true => None,
        };
        let in_place = self.any_use(part, name, |before, word| {
            let ends = |ending: &&str| word.lower.ends_with(*ending);
            // "Pohjois-Savo"
            let is_compound = |before: &Word<'_>| &self.text[before.end()..word.start] == "-";
            before.is_some_and(|before| {
                is_compound(before) || list.is_some_and(|list| list.has(&before.lower))
            }) || (!(only && is_same_for_both) && PLACE_ENDINGS.iter().any(ends))
        })?;
        Ok(!in_place
            && (is_sure
                || self.any_use(part, name, |before, _| {
                    before.is_some_and(|before| AT_COMPANY.has(&before.lower))
                })?))
    }

    /// Whether the text uses a part of a name: alone, or after another word on the line.
    fn any_use(
        &self,
        part: &Word<'_>,
        name: &[Word<'_>],
        mut is_such: impl FnMut(Option<&Word<'_>>, &Word<'_>) -> bool,
    ) -> Result<bool> {
        self.budget.spend(self.all.len() * 2)?;
        let stems = inflect::stems(&part.lower, self.families);
        let first = initial(&part.lower);
        for (at, word) in self.all.iter().enumerate() {
            if !word.is_upper() || initial(&word.lower) != first {
                continue;
            }
            self.budget.spend(1 + stems.len() + name.len())?;
            if word.lower != part.lower && !inflect::is_form(&stems, &word.lower) {
                continue;
            }
            let before = word_before(self.all, at);
            let before = before.filter(|before| {
                let gap = &self.text[before.end()..word.start];
                gap.len() <= 4 && !gap.contains('\n')
            });
            let is_own = before.is_some_and(|before| {
                let is_it = |pair: &[Word<'_>]| {
                    pair[0].lower == before.lower && pair[1].lower == part.lower
                };
                name.windows(2).any(is_it) && self.text[before.end()..word.start].trim().is_empty()
            });
            if !is_own && is_such(before, word) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

pub(super) fn is_ordinary(word: &str) -> bool {
    let ordinary = |word: &str| cues::are_of(word, Cues::GENERIC | Cues::LEGAL | Cues::SMALL);
    ordinary(word) || ordinary(&unaccented(word))
}

pub(super) const fn is_vietnamese(c: char) -> bool {
    matches!(c, '\u{1ea0}'..='\u{1ef9}')
}

pub(super) fn script(all: &[Word<'_>]) -> Script {
    const LOOK_WORDS: usize = 60;
    let words = all.iter().take(LOOK_WORDS).filter(|word| !word.is_number());
    let mut scripts: Vec<Script> = words.map(|word| Script::of_text(word.text)).collect();
    scripts.sort_unstable();
    let runs = scripts.chunk_by(|one, other| one == other);
    let most = runs.max_by_key(|run| run.len());
    most.map_or(Script::Other, |run| run[0])
}

pub(super) fn families(all: &[Word<'_>], country: Option<&str>) -> Cues {
    /// Fewer small words are no evidence.
    const MIN_WORDS: usize = 3;
    let families = Cues::LANGUAGES;
    let mut counts: Vec<(Cues, usize)> = families.iter().map(|family| (family, 0)).collect();
    for word in all.iter().filter(|word| word.is(families)) {
        for (family, count) in &mut counts {
            *count += usize::from(word.is(*family));
        }
    }
    let most = counts.iter().map(|(_, count)| *count).max().unwrap_or(0);
    let known = lines(include_str!("../tables/countries.txt"));
    let known = known.filter(|(_, countries)| {
        country.is_some_and(|it| listed(countries).any(|country| country == it))
    });
    let known = known.filter_map(|(family, _)| bitflags::parser::from_str(family).ok());
    let mut found = known.fold(Cues::default(), |all, family: Cues| all | family);
    if most < MIN_WORDS {
        return if found.is_empty() { families } else { found };
    }
    for (family, count) in counts {
        if count >= MIN_WORDS && count * 3 >= most {
            found |= family;
        }
    }
    found
}
