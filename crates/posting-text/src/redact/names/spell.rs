//! The spellings of a name: whole, without legal forms and trades, by its first words, its initials
//! and the label of the website.

use super::{
    Case, Context, Cues, Exceeded, Key, MAX_SPELLINGS, Names, Rc, Script, Token, Word, all_of, cjk,
    cues, has_unspaced, inflect, is_unspaced, joined, single, words,
};
use crate::redact::{
    acronym,
    key::splits,
    vocabulary::{ACRONYMS, AND, TWO_LETTER_WORDS, is_among},
};

/// Signs that a name is quoted by.
const QUOTES: [(char, char); 7] = [
    ('«', '»'),
    ('„', '“'),
    ('„', '”'),
    ('“', '”'),
    ('"', '"'),
    ('「', '」'),
    ('『', '』'),
];

impl Names {
    /// Adds the spellings of one name.
    pub(super) fn add_name(&mut self, name: &str, context: &Context<'_>) -> Result<(), Exceeded> {
        // "Example (EX)", "Ministry - Department of Examples"
        let (outside, inside) = parentheses(name);
        let mut spellings = vec![outside.clone()];
        spellings.extend(segment(&outside));
        spellings.extend(quoted(&outside));
        if let Some(inside) = inside {
            let parts = words(&inside);
            match parts.as_slice() {
                [word] if word.cues.has(Cues::LEGAL) => {}
                [word] if word.text.chars().count() >= 2 && !has_unspaced(word.text) => {
                    let is_word = word.text.chars().any(char::is_lowercase);
                    let case = if is_word { Case::Capital } else { Case::Upper };
                    self.push(Key::word(word.lower.to_string(), case));
                }
                _ => spellings.push(inside),
            }
        }
        for spelling in spellings {
            self.add_spelling(&spelling, context)?;
        }
        Ok(())
    }

    fn add_spelling(&mut self, spelling: &str, context: &Context<'_>) -> Result<(), Exceeded> {
        if has_unspaced(spelling) {
            for name in cjk::spellings(spelling, context.identity.city, context.is_japanese()) {
                self.push_unspaced(name);
            }
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
        // "and Partners" belongs to what stands before it.
        let is_around = |word: &&Word<'_>| word.cues.has(Cues::PARTNERS.or(Cues::AFFIX));
        for word in whole.iter().filter(is_around) {
            self.add_part(word, context);
        }
        if whole.iter().any(|word| word.cues.has(Cues::PARTNERS)) {
            self.small
                .extend(self.ands.iter().map(|and| (*and).to_owned()));
        }
        self.has_comma |= spelling.contains(", ");
        self.add_words(spelling, &whole, context)?;
        self.add_words(spelling, core, context)?;
        self.add_fragments(spelling, core, context)?;
        let Context {
            all, text, budget, ..
        } = *context;
        let trades = core
            .iter()
            .rev()
            .take_while(|word| word.cues.has(Cues::GENERIC))
            .count();
        // "Law Firm Finch, Larkin and Partners" is also "FLP".
        let first = whole
            .iter()
            .take_while(|word| word.cues.has(Cues::GENERIC))
            .count();
        let from_first = &whole[first..];
        if first > 0 {
            for (acronym, case) in acronym::of_name(from_first, all, text, MAX_SPELLINGS, budget)? {
                if acronym.chars().nth(2).is_some() {
                    self.push(Key::word(acronym, case));
                }
            }
        }
        let lengths = [whole.len(), core.len(), core.len() - trades];
        for (number, length) in lengths.iter().enumerate() {
            if lengths[..number].contains(length) {
                continue;
            }
            // A name may begin with its legal form.
            let words = if *length == whole.len() {
                &whole[..]
            } else {
                &core[..*length]
            };
            for (acronym, case) in acronym::of_name(words, all, text, MAX_SPELLINGS, budget)? {
                // A legal form gives a letter to a longer acronym only.
                let with_form = *length > core.len();
                if !with_form || acronym.chars().nth(2).is_some() {
                    self.push(Key::word(acronym, case));
                }
            }
        }
        Ok(())
    }

    /// Adds a word to those that belong to the name.
    fn add_part(&mut self, word: &Word<'_>, context: &Context<'_>) {
        if word.cues.has(Cues::SMALL) {
            self.small.push(word.lower.to_string());
            return;
        }
        if word.lower.chars().count() < 2
            || self
                .parts
                .iter()
                .any(|(known, _)| *known.text == *word.lower)
        {
            return;
        }
        let token = self.token(word, context);
        let is_generic = word.cues.has(Cues::GENERIC);
        if !word.lower.is_ascii() {
            self.parts.push((Rc::new(token.unaccented()), is_generic));
        }
        self.parts.push((token, is_generic));
    }

    /// The words of a name with their inflected forms, which are made once for each word.
    fn tokens(&mut self, words: &[Word<'_>], context: &Context<'_>) -> Vec<Rc<Token>> {
        words.iter().map(|word| self.token(word, context)).collect()
    }

    fn token(&mut self, word: &Word<'_>, context: &Context<'_>) -> Rc<Token> {
        let is_it =
            |token: &&Rc<Token>| token.text == word.lower && token.is_upper == word.is_upper();
        if let Some(known) = self.tokens.iter().find(is_it) {
            return Rc::clone(known);
        }
        let token = Rc::new(token(word, context.families));
        self.tokens.push(Rc::clone(&token));
        token
    }

    /// Adds the name as it is, and without accents.
    fn add_words(
        &mut self,
        name: &str,
        words: &[Word<'_>],
        context: &Context<'_>,
    ) -> Result<(), Exceeded> {
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
            (1, 2) if upper || generic || is_among(TWO_LETTER_WORDS, &joined) => Case::Upper,
            (1, 3) if upper => {
                // "NAV" is also written "Nav".
                if !generic && !context.is_common(&joined)? && !is_among(ACRONYMS, written) {
                    self.push(Key::word(joined.clone(), Case::Capital));
                }
                Case::Upper
            }
            (1, 2 | 3) => Case::Capital,
            (1 | 2, _) if generic => Case::Capital,
            (2.., _) if is_cased && first.is_upper() && context.has_capital(first)? => {
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
        let inflected = case != Case::Upper && gap.is_none() && !(words.len() == 1 && generic);
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
            is_ordinary: words.len() == 1 && generic,
            ..Key::word(joined, case)
        };
        let is_and = |word: &Word<'_>| AND.contains(&&*word.lower);
        if words.iter().any(is_and) || name.contains(['&', '+']) {
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
        Ok(())
    }

    /// Adds parts of a name that stand for it: its first words, and the words that are proper to
    /// it, with or without the trades before and after them.
    fn add_fragments(
        &mut self,
        name: &str,
        core: &[Word<'_>],
        context: &Context<'_>,
    ) -> Result<(), Exceeded> {
        let is_small = |word: &Word<'_>| word.cues.has(Cues::SMALL);
        let ordinary = |word: &Word<'_>| {
            is_small(word)
                || word.cues.has(Cues::GENERIC.or(Cues::LEGAL))
                || word.cues.has(Cues::AFFIX)
                || word.text.chars().count() < 2
                || word.is_number()
        };
        let proper = core.iter().position(|word| !ordinary(word));
        let mut count = 0;
        // "Paris Baguette" is not "Baguette".
        let of_place = core.iter().position(|word| word.cues.has(Cues::PLACE));
        let last = proper.filter(|proper| of_place.is_none_or(|place| place > *proper));
        // "Zlatý Klas" is not "Klas".
        let adjective = core.iter().position(|word| word.cues.has(Cues::ADJECTIVE));
        let last = adjective
            .filter(|at| last.is_none_or(|last| *at < last))
            .or(last);
        for from in 0..=last.unwrap_or(0) {
            for to in (from + 1..=core.len()).rev() {
                let fragment = &core[from..to];
                let (Some(first), Some(last)) = (fragment.first(), fragment.last()) else {
                    continue;
                };
                if fragment.len() == core.len()
                    || is_small(last)
                    || (from > 0 && is_cased(first.text) && !first.is_upper())
                {
                    continue;
                }
                let is_proper = proper.is_some_and(|proper| proper < to);
                if count < MAX_SPELLINGS && self.stands_alone(fragment, core, is_proper, context)? {
                    count += 1;
                    self.add_fragment(name, fragment, context)?;
                }
            }
        }
        let later = core.iter().skip(last.unwrap_or(0) + 1).filter(|word| {
            of_place.or(adjective).is_none()
                && word.is_upper()
                && word.text.chars().count() >= 4
                && !ordinary(word)
        });
        for word in later.take(MAX_SPELLINGS) {
            if context.is_distinctive(&word.lower)? && context.names_alone(word, core)? {
                self.add_fragment(name, std::slice::from_ref(word), context)?;
            }
        }
        Ok(())
    }

    /// Whether a part of the name can stand for it.
    fn stands_alone(
        &self,
        fragment: &[Word<'_>],
        core: &[Word<'_>],
        is_proper: bool,
        context: &Context<'_>,
    ) -> Result<bool, Exceeded> {
        let telling: Vec<&Word<'_>> = fragment
            .iter()
            .filter(|word| !word.cues.has(Cues::SMALL))
            .collect();
        if let [word] = telling.as_slice() {
            let letters = word.lower.chars().count();
            let is_cased = is_cased(word.text);
            let is_labelled = self.label.as_deref() == Some(&*word.lower);
            let is_long = letters >= 4 || (letters == 3 && is_cased);
            if !is_long || !(is_proper || is_labelled) || context.is_ordinary(&word.lower) {
                return Ok(false);
            }
            if context.is_place(&word.lower) {
                let is_sure = core.first() == Some(word) || is_labelled;
                return context.names_company(word, core, is_sure);
            }
            // What the text also writes in lower case is the name with a capital.
            return Ok((is_cased && letters >= 4) || !context.is_common(&word.lower)?);
        }
        let spaced: Vec<&str> = fragment.iter().map(|word| &*word.lower).collect();
        if context.is_place(&spaced.join(" ")) {
            return Ok(false);
        }
        let capitals = telling.iter().filter(|word| word.is_capital()).count();
        Ok(is_proper || capitals >= 2 || telling.len() >= 4)
    }

    fn add_fragment(
        &mut self,
        name: &str,
        fragment: &[Word<'_>],
        context: &Context<'_>,
    ) -> Result<(), Exceeded> {
        let (Some(first), Some(last)) = (fragment.first(), fragment.last()) else {
            return Ok(());
        };
        let joined = joined(fragment);
        let letters = joined.chars().count();
        let is_single = fragment.len() == 1;
        let case = if first.is_upper() && fragment.len() < 4 {
            Case::Capital
        } else {
            single(letters)
        };
        let is_common = is_single && context.is_common(&joined)?;
        let key = Key {
            splits: Some(splits(fragment)),
            compounds: is_single && letters >= 5 && !is_common,
            tokens: self.tokens(fragment, context),
            lower_forms: !is_common && letters >= min_lower(case, context.families),
            ..Key::word(joined, case)
        };
        if name[first.start..last.end()].contains(['&', '+'])
            || fragment.iter().any(|word| AND.contains(&&*word.lower))
        {
            self.add_and(&key, fragment);
        }
        // "Lagergrens Åkeri" is the haulage company of "Lagergren".
        let genitive = context
            .families
            .has(Cues::NORDIC.or(Cues::ENGLISH).or(Cues::GERMANIC));
        if genitive
            && !is_common
            && last.lower.chars().count() >= 6
            && let Some(one) = key.joined.strip_suffix('s')
        {
            let mut splits = splits(fragment);
            splits.retain(|split| *split <= one.len());
            self.push(Key {
                splits: Some(splits),
                compounds: is_single,
                ..Key::word(one.to_owned(), Case::Capital)
            });
        }
        self.push(key);
        Ok(())
    }

    /// Adds `A and B` for `A & B`, and the other way round.
    fn add_and(&mut self, key: &Key, words: &[Word<'_>]) {
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
        if self.label.as_ref() == Some(&key.joined) && !is_among(ACRONYMS, &upper) {
            self.push(Key::word(key.joined.clone(), Case::Upper));
        }
        self.push(Key {
            gap: Some("&".to_owned()),
            ..key
        });
    }
}

/// The fewest letters of a name whose people may be written in lower case, as Hungarian and the
/// Nordic languages do: a shorter one is another word.
fn min_lower(case: Case, families: Cues) -> usize {
    match case {
        _ if families.has(Cues::HUNGARIAN.or(Cues::NORDIC)) => 5,
        Case::Any => 6,
        _ => 7,
    }
}

/// Whether a text is in a script with capitals.
fn is_cased(text: &str) -> bool {
    text.contains(|c: char| c.is_lowercase() || c.is_uppercase())
}

fn token(word: &Word<'_>, families: Cues) -> Token {
    let text = word.lower.to_string();
    Token {
        stems: if word.cues.has(Cues::SMALL) {
            Vec::new()
        } else {
            inflect::stems(&text, families)
        },
        text,
        is_upper: word.is_upper(),
    }
}

/// The part of a name before a dash or a comma, if that can be a name.
fn segment(name: &str) -> Option<String> {
    let segment = [" - ", " – ", " — ", " | ", ", "]
        .iter()
        .filter_map(|separator| name.split_once(separator))
        .map(|(segment, _)| segment)
        .min_by_key(|segment| segment.len())?;
    let rest = joined(&words(&name[segment.len()..]));
    let parts = words(segment);
    let is_name = parts.len() > 1 || !all_of(&parts, Cues::GENERIC);
    (is_name && !cues::of(&rest).has(Cues::LEGAL)).then(|| segment.to_owned())
}

/// What a name has in quotation marks.
fn quoted(name: &str) -> Option<String> {
    QUOTES.iter().find_map(|(open, close)| {
        let (_, rest) = name.split_once(*open)?;
        let (inside, _) = rest.split_once(*close)?;
        // The sign for an abbreviation in Hebrew is the same.
        (inside.chars().count() >= 3).then(|| inside.to_owned())
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
                cues::of(&joined).has(Cues::LEGAL)
                    || (*count == 1 && cues::of(&joined).has(Cues::AFFIX))
            });
        let Some(count) = tail else { break };
        core = &core[..core.len() - count];
    }
    core = without_partners(core);
    while let [first, rest @ ..] = core
        && !rest.is_empty()
        && (first.cues.has(Cues::AFFIX) || is_legal_prefix(first))
        && rest.iter().any(|word| !word.cues.has(Cues::GENERIC))
    {
        core = rest;
    }
    core
}

/// A name without "and partners" after it, if something proper is left.
fn without_partners<'a, 'b>(all: &'a [Word<'b>]) -> &'a [Word<'b>] {
    let [front @ .., last] = all else { return all };
    let front = match front {
        [rest @ .., and] if AND.contains(&&*and.lower) => rest,
        front => front,
    };
    let ordinary = Cues::GENERIC
        .or(Cues::SMALL)
        .or(Cues::AFFIX)
        .or(Cues::LEGAL);
    let has_name = front.iter().any(|word| !word.cues.has(ordinary));
    if last.cues.has(Cues::PARTNERS) && has_name {
        front
    } else {
        all
    }
}

/// Whether a word is a legal form that stands before names: in capitals, or in a script without
/// them.
fn is_legal_prefix(word: &Word<'_>) -> bool {
    const LATIN: &str = "sarl sas sasu eurl sa ab as sci pt uab sia všį mb ij cv ooo tov";
    let written = word.text.chars().all(|c| !c.is_lowercase());
    match Script::of_text(&word.lower) {
        Script::Latin => written && is_among(LATIN, &word.lower),
        _ => written && word.cues.has(Cues::LEGAL),
    }
}

/// The parts of a name outside and inside parentheses.
fn parentheses(name: &str) -> (String, Option<String>) {
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
