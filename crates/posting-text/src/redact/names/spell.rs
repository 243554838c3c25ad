//! The spellings of a name: whole, without legal forms and trades, by initials, and by parts.

use super::{
    AND, Case, Context, Cues, Key, MAX_SPELLINGS, Names, Ordinary, Rc, Result, Script, Text, Token,
    Word, all_of, cjk,
    form::{core, parentheses, quoted},
    has_unspaced, inflect, is_cased, is_unspaced, joined, words,
};
use crate::redact::{
    acronym, cues,
    inflect::Stem,
    key::splits,
    vocabulary::{ACRONYMS, TWO_LETTER_WORDS, lines, listed},
};

impl Names {
    pub(super) fn add_name(&mut self, name: &str, context: &Context<'_>) -> Result<()> {
        #[cfg(feature = "markdown")]
        let name = &*crate::markdown::line(name, context.budget)?;
        // "Example (EX)", "Ministry - Department of Examples"
        let (outside, inside) = parentheses(name);
        let mut spellings = vec![outside.clone()];
        spellings.extend(quoted(&outside));
        spellings.extend(inside.filter(|inside| !all_of(&words(inside), Cues::LEGAL)));
        let others: Vec<_> = spellings.iter().flat_map(|it| abbreviated(it)).collect();
        for spelling in spellings.into_iter().chain(others) {
            self.add_spelling(&spelling, context)?;
        }
        Ok(())
    }

    fn add_spelling(&mut self, spelling: &str, context: &Context<'_>) -> Result<()> {
        if has_unspaced(spelling) {
            for name in cjk::spellings(spelling, context.posting.city, context.is_japanese()) {
                // "Solmar 코리아" is also "Solmar코리아".
                if name.contains(' ') {
                    self.push_unspaced(name.replace(' ', ""));
                }
                self.push_unspaced(name);
            }
            self.add_short_form(spelling, context)?;
            // "Example 株式会社" and "Example 中国" have a name in Latin letters.
            let latin = |c: char| c.is_alphanumeric() && !is_unspaced(c);
            let rest = cjk::without_legal_forms(spelling);
            let spaced: String = rest
                .chars()
                .map(|c| if is_unspaced(c) { ' ' } else { c })
                .collect();
            if spaced.contains(latin) {
                self.add_spelling(spaced.trim(), context)?;
            }
            return Ok(());
        }
        let whole = words(spelling);
        let core = core(&whole);
        for word in core {
            self.add_part(word, context);
        }
        // "and Partners" belongs to the words before it.
        let is_around = |word: &&Word<'_>| word.is(Cues::PARTNERS | Cues::AFFIX);
        for word in whole.iter().filter(is_around) {
            self.add_part(word, context);
        }
        if whole.iter().any(|word| word.is(Cues::PARTNERS)) {
            self.small
                .extend(self.ands.iter().map(|and| (*and).to_owned()));
        }
        self.has_comma |= spelling.contains(", ");
        let name = Text::new(spelling, &whole, context.budget);
        self.add_words(name, context)?;
        self.add_words(name.of(core), context)?;
        self.add_own_acronyms(name.of(core));
        self.add_fragments(name.of(core), context)?;
        let trades = core
            .iter()
            .rev()
            .take_while(|word| word.is_generic())
            .count();
        // "Law Firm Finch, Larkin and Partners" is also "FLP".
        let first = whole.iter().take_while(|word| word.is_generic()).count();
        if first > 0 {
            self.add_acronyms(&whole[first..], true, context)?;
        }
        // A name may begin with its legal form. Only longer acronyms have a letter for it.
        let leading = core.iter().take_while(|word| word.is_generic()).count();
        let mut forms = vec![
            whole.as_slice(),
            core,
            &core[..core.len() - trades],
            &core[leading..],
        ];
        forms.dedup_by_key(|words| words.len());
        for words in forms {
            self.add_acronyms(words, words.len() > core.len(), context)?;
        }
        Ok(())
    }

    /// `only_long` acronyms have three letters or more.
    fn add_acronyms(
        &mut self,
        words: &[Word<'_>],
        only_long: bool,
        context: &Context<'_>,
    ) -> Result<()> {
        for (acronym, case) in
            acronym::of_name(words, context.on(), &context.acronyms, MAX_SPELLINGS)?
        {
            if !only_long || acronym.chars().nth(2).is_some() {
                self.push(Key::word(acronym, case));
            }
        }
        Ok(())
    }

    /// An acronym in the name: `KLM` of `Bakery KLM`, `R&K` of `R&K Bakery`.
    fn add_own_acronyms(&mut self, name: Text<'_>) {
        let core = name.words;
        let is_shouted = |word: &Word<'_>| word.is_capitals();
        let has_others = core
            .iter()
            .any(|word| !word.is_letter() && word.text.contains(char::is_lowercase));
        if !has_others {
            return;
        }
        for word in core.iter().filter(|word| is_shouted(word)) {
            let letters = word.letters();
            let is_other = word.is(Cues::LEGAL | Cues::SMALL)
                || ACRONYMS.has(word.text)
                || TWO_LETTER_WORDS.has(&word.lower);
            if (2..=6).contains(&letters) && !is_other {
                self.push(Key::word(word.lower.to_string(), Case::Upper));
            }
        }
        for pair in core.windows(2) {
            let gap = name.content[pair[0].end()..pair[1].start].trim();
            let are_letters = pair
                .iter()
                .all(|word| word.letters() == 1 && is_shouted(word));
            if are_letters && matches!(gap, "&" | "+") {
                self.push(Key {
                    splits: Some(vec![pair[0].lower.len()]),
                    gap: Some(gap.to_owned()),
                    ..Key::word(joined(pair), Case::Upper)
                });
            }
        }
    }

    fn add_short_form(&mut self, spelling: &str, context: &Context<'_>) -> Result<()> {
        let city = context.posting.city.unwrap_or_default();
        let local = spelling.strip_prefix(city).unwrap_or(spelling);
        context.budget.spend(context.text.len().saturating_mul(4))?;
        let short = cjk::short_form(local, context.text, context.is_japanese());
        if let Some(short) = short {
            self.push_unspaced(short);
        }
        Ok(())
    }

    fn add_part(&mut self, word: &Word<'_>, context: &Context<'_>) {
        if word.is_small() {
            self.small.push(word.lower.to_string());
            return;
        }
        if (word.lower.chars().count() < 2 && !word.is_number())
            || self
                .parts
                .iter()
                .any(|(known, _)| *known.text == *word.lower)
        {
            return;
        }
        let token = self.token(word, context);
        let is_generic = word.is_generic();
        if !word.lower.is_ascii() {
            self.parts.push((Rc::new(token.unaccented()), is_generic));
        }
        self.parts.push((token, is_generic));
    }

    pub(super) fn tokens(&mut self, words: &[Word<'_>], context: &Context<'_>) -> Vec<Rc<Token>> {
        words.iter().map(|word| self.token(word, context)).collect()
    }

    fn token(&mut self, word: &Word<'_>, context: &Context<'_>) -> Rc<Token> {
        let is_it =
            |token: &&Rc<Token>| token.text == word.lower && token.is_upper == word.is_upper();
        if let Some(known) = self.tokens.iter().find(is_it) {
            return Rc::clone(known);
        }
        let token = Rc::new(Token {
            text: word.lower.to_string(),
            stems: if word.is_small() {
                Vec::new()
            } else {
                stems_of(&word.lower, context)
            },
            is_upper: word.is_upper(),
        });
        self.tokens.push(Rc::clone(&token));
        token
    }

    fn add_words(&mut self, name: Text<'_>, context: &Context<'_>) -> Result<()> {
        let (name, words, _) = name.parts();
        let Some((first, last)) = words.first().zip(words.last()) else {
            return Ok(());
        };
        let written = &name[first.start..last.end()];
        let joined = joined(words);
        let letters = joined.chars().count();
        let generic = all_of(words, Cues::GENERIC);
        let is_cased = is_cased(written);
        let upper = is_cased && written.chars().all(|c| !c.is_lowercase());
        let case = match (words.len(), letters) {
            (_, 0 | 1) => return Ok(()),
            (1, 2) if upper || generic || TWO_LETTER_WORDS.has(&joined) => Case::Upper,
            (1, 3) if upper => {
                // "NAV" is also written "Nav".
                if !generic && !context.is_common(&joined)? && !ACRONYMS.has(written) {
                    self.push(Key::word(joined.clone(), Case::Capital));
                }
                Case::Upper
            }
            (1, 2 | 3) => Case::Capital,
            (1 | 2, _) if generic => Case::Capital,
            (2.., _)
                if is_cased
                    && first.is_upper()
                    && self.label.as_deref() != Some(&joined)
                    && context.has_capital(first)? =>
            {
                Case::Capital
            }
            _ => Case::Any,
        };
        let gap = (words.len() > 1 && letters <= 3).then(|| {
            let gaps: String = words
                .windows(2)
                .map(|pair| &name[pair[0].end()..pair[1].start])
                .collect();
            gaps.replace(char::is_whitespace, "")
        });
        // In Latin script, a capitalised form of an ordinary word may be a German noun.
        let is_noun = words.len() == 1 && generic && Script::of_text(written) == Script::Latin;
        let inflected = case != Case::Upper && gap.is_none() && !is_noun;
        let key = Key {
            splits: Some(splits(words)),
            gap,
            compounds: words.len() == 1 && letters >= 5 && !generic,
            tokens: if inflected {
                self.tokens(words, context)
            } else {
                Vec::new()
            },
            lower_forms: letters >= min_lower(case, context.families),
            ordinary: ordinary(words),
            ..Key::word(joined, case)
        };
        let is_and = |word: &Word<'_>| AND.contains(&&*word.lower);
        if words.iter().any(is_and) || name.contains(['&', '+']) {
            self.add_and(&key, words);
        }
        self.push(key);
        Ok(())
    }

    /// `A and B` for `A & B`, and the other way round.
    pub(super) fn add_and(&mut self, key: &Key, words: &[Word<'_>]) {
        let is_and = |word: &Word<'_>| AND.contains(&&*word.lower);
        if words.iter().any(is_and) {
            let rest: Vec<Word<'_>> = words.iter().filter(|word| !is_and(word)).cloned().collect();
            self.push(Key {
                joined: joined(&rest),
                splits: Some(splits(&rest)),
                tokens: Vec::new(),
                ..key.clone()
            });
            self.add_initials(&rest);
        } else if words.len() >= 2 && key.joined.chars().count() > 3 {
            // The sign was before the last of two words, or of a few.
            let last = words.len() - 1;
            for and in self.ands.clone() {
                let first = joined(&words[..last]).len();
                let mut splits = splits(&words[..last]);
                splits.push(first + and.len());
                self.push(Key {
                    joined: format!("{}{and}{}", joined(&words[..last]), words[last].lower),
                    splits: Some(splits),
                    tokens: Vec::new(),
                    ..key.clone()
                });
            }
            self.add_initials(words);
        }
    }

    /// `F&L` for `Finch & Larkin`, and `FL` if the website has that name.
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
        if self.label.as_ref() == Some(&key.joined) && !ACRONYMS.has(&upper) {
            self.push(Key::word(key.joined.clone(), Case::Upper));
        }
        self.push(Key {
            gap: Some("&".to_owned()),
            ..key
        });
    }
}

/// `St. Florina` for `Sankt Florina`, `Gebrüder Holm` for `Gebr. Holm`.
fn abbreviated(name: &str) -> Vec<String> {
    let mut out = Vec::new();
    let all = words(name);
    for (short, long) in lines(include_str!("../tables/abbreviations.txt")) {
        for word in &all {
            let rest = name[word.end()..].trim_start_matches('.');
            let others = match &*word.lower {
                lower if lower == short => long,
                lower if listed(long).any(|it| it == lower) => short,
                _ => continue,
            };
            out.extend(listed(others).map(|other| {
                let (first, tail) = other.split_at(other.chars().next().map_or(0, char::len_utf8));
                format!(
                    "{}{}{tail}{rest}",
                    &name[..word.start],
                    first.to_uppercase()
                )
            }));
        }
    }
    out
}

/// Whether a name is made of ordinary words. Several words count only if each has a capital.
pub(super) fn ordinary(words: &[Word<'_>]) -> Ordinary {
    match words {
        _ if !all_of(words, Cues::GENERIC) => Ordinary::No,
        [_] => Ordinary::Word,
        _ if words.iter().all(Word::is_upper) => Ordinary::Words,
        _ => Ordinary::No,
    }
}

/// The fewest letters of a name whose lower-case forms (`telianere`) count, by language.
pub(super) fn min_lower(case: Case, families: Cues) -> usize {
    match case {
        _ if families.intersects(Cues::HUNGARIAN | Cues::NORDIC) => 5,
        Case::Any => 6,
        _ => 7,
    }
}

/// The stems of a word of a name, but those of other words.
fn stems_of(lower: &str, context: &Context<'_>) -> Vec<Stem> {
    let mut stems = inflect::stems(lower, context.families);
    // "Rapperswiler Bergbahn" is not Rapperswil, and "Ny Pauls Bro" is no person called Paul.
    let place = lower.strip_suffix("er").unwrap_or_default();
    let person = lower.strip_suffix('s').unwrap_or_default();
    let is_of_city = context.city.has(lower);
    stems.retain(|stem| {
        let is_other = (stem.text == place && context.is_place(place))
            || (stem.text == person && cues::are_of(person, Cues::GIVEN))
            // "Bragum" is not Braga.
            || (!is_of_city && context.city.is_of(stem));
        !is_other
    });
    stems
}
