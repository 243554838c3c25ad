use super::{
    AND, Case, Context, Cues, Key, MAX_SPELLINGS, Names, Ordinary, Result, Text, Word, all_of,
    cues, inflect, is_cased, is_ordinary, joined, single,
    spell::{min_lower, ordinary},
    word_before, words,
};
use crate::redact::{key::splits, person::is_given, vocabulary::List, words::word};

impl Names {
    /// Adds the first words, and the proper words with or without the trades around them.
    pub(super) fn add_fragments(&mut self, name: Text<'_>, context: &Context<'_>) -> Result<()> {
        let core = name.words;
        let ordinary = |word: &Word<'_>| {
            word.is_small()
                || word.is(Cues::GENERIC | Cues::LEGAL | Cues::AFFIX)
                || (word.is(Cues::TITLE) && core.len() > 1 && word.letters() <= 4)
                || word.letters() < 2
                || word.is_number()
        };
        let proper = core.iter().position(|word| !ordinary(word));
        let mut count = 0;
        // "Paris Baguette" is not "Baguette".
        let of_place = core.iter().position(|word| word.is(Cues::PLACE));
        let last = proper.filter(|proper| of_place.is_none_or(|place| place > *proper));
        let first_run = last.unwrap_or(0) + 1;
        // "Zlatý Klas" is not "Klas".
        let adjective = core.iter().position(|word| word.is(Cues::ADJECTIVE));
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
                    || last.is_small()
                    || (from > 0 && is_cased(first.text) && !first.is_upper())
                {
                    continue;
                }
                let is_proper = proper.is_some_and(|proper| proper < to);
                if count < MAX_SPELLINGS
                    && self.is_short_name(fragment, core, is_proper, context)?
                {
                    count += 1;
                    self.add_fragment(name.of(fragment), context)?;
                }
            }
        }
        let later = core.iter().enumerate().skip(last.unwrap_or(0) + 1);
        let later = later.filter(|(at, word)| {
            of_place.or(adjective).is_none_or(|of| of + 1 < *at)
                && word.is_upper()
                && word.letters() >= 4
                && !ordinary(word)
        });
        for (_, word) in later.take(MAX_SPELLINGS) {
            // Texts shorten "Jens Kragh" to "Kragh", the family name after a given name. They
            // shorten "Personalkontor Wieland" to "Wieland", the name after a trade.
            let is_family = is_family(core, word)
                || matches!(core, [trade, own] if own == word && ends_in_trade(&trade.lower));
            // A family name may also be a place's name. Only the posting's own city is excluded.
            let is_own = is_family
                && !is_ordinary(&word.lower)
                && !context.is_common(&word.lower)?
                && !context.city.has_form(&word.lower);
            if is_own
                || (context.is_distinctive(&word.lower)? && context.is_used_as_name(word, core)?)
            {
                self.add_fragment(name.of(std::slice::from_ref(word)), context)?;
            }
        }
        // Texts shorten "Joinery De Backer & Sons" to "De Backer". Several words of the name in a
        // row hardly mean anything else.
        let runs = (first_run..core.len())
            .flat_map(|from| (from + 2..=core.len()).rev().map(move |to| from..to));
        for range in runs.take(MAX_SPELLINGS) {
            let before = word_before(core, range.start);
            let run = &core[range];
            let telling = || run.iter().filter(|word| !word.is_small());
            let is_written = |word: &Word<'_>| word.is_upper() || !is_cased(word.text);
            // "P. de Wit" is also "De Wit".
            let are_capitals = run.first().zip(run.last()).is_some_and(|(first, last)| {
                !last.is_small() && (is_written(first) || first.is_small())
            }) && telling().all(is_written);
            // In Czech "Hotely Zlatá lípa" is also "Zlatá lípa".
            let is_pair = matches!(run, [adjective, noun]
                if adjective.is(Cues::ADJECTIVE) && adjective.is_upper() && !noun.is_generic());
            let is_proper = before.is_some_and(Word::is_letter)
                || telling().any(|word| !ordinary(word) && !context.is_place(&word.lower));
            let spaced: Vec<&str> = run.iter().map(|word| &*word.lower).collect();
            if (are_capitals || is_pair) && is_proper && !context.is_place(&spaced.join(" ")) {
                self.add_fragment(name.of(run), context)?;
            }
        }
        self.add_shortened(name, context)
    }

    fn is_short_name(
        &self,
        fragment: &[Word<'_>],
        core: &[Word<'_>],
        is_proper: bool,
        context: &Context<'_>,
    ) -> Result<bool> {
        let telling: Vec<&Word<'_>> = fragment.iter().filter(|word| !word.is_small()).collect();
        if let [word] = telling.as_slice() {
            let letters = word.lower.chars().count();
            let is_cased = is_cased(word.text);
            let is_labelled = self.label.as_deref() == Some(&*word.lower);
            let is_long = letters >= 4 || (letters == 3 && is_cased);
            let is_other = !context.is_foreign(word) && is_ordinary(&word.lower);
            let is_proper = is_proper || context.is_foreign(word);
            if !is_long || !(is_proper || is_labelled) || is_other {
                return Ok(false);
            }
            let is_of_territory = core.iter().any(|other| TERRITORIES.has(&other.lower));
            let is_place = context.is_place(&word.lower)
                && (context.city.has_form(&word.lower) || !is_family(core, word));
            if is_place || is_of_territory {
                // People live in a region, and name more than one company after it.
                let is_region = word.is(Cues::REGION) || is_of_territory;
                let is_first = core.first() == Some(word);
                let others = || core.iter().filter(|other| other != word);
                let is_only = others().all(|other| is_ordinary(&other.lower));
                let is_sure = is_labelled
                    || if is_region {
                        is_first && is_only
                    } else {
                        is_first || is_only
                    };
                return context.names_company(word, core, is_sure);
            }
            // A word that the text also writes in lower case is the name only with a capital, which
            // every word of a title may have.
            let is_common = context.is_common(&word.lower)?;
            if context.is_title {
                return Ok(!is_common && !context.is_in_description(&word.lower)?);
            }
            return Ok(!is_common || is_cased && letters >= 4);
        }
        let spaced: Vec<&str> = fragment.iter().map(|word| &*word.lower).collect();
        if context.is_place(&spaced.join(" ")) {
            return Ok(false);
        }
        // In German every noun has a capital, so "Forst und Gewässer" may be two common nouns.
        let are_nouns = context.families.intersects(Cues::GERMANIC)
            && context.families != Cues::LANGUAGES
            && core.first() != fragment.first()
            && telling.iter().all(|word| word.is_generic());
        let capitals = telling.iter().filter(|word| word.is_capital()).count();
        Ok(is_proper || (capitals >= 2 && !are_nouns) || telling.len() >= 4)
    }

    /// Forms by which a text shortens a name, and which the name itself lacks.
    fn add_shortened(&mut self, name: Text<'_>, context: &Context<'_>) -> Result<()> {
        for (at, own) in name.words.iter().enumerate() {
            let is_after_small = at > 0 && name.words[at - 1].is_small();
            // "Kerekerdő" of "Pékség a Kerekerdőhöz", which takes other endings.
            let is_case = is_after_small && context.families.intersects(Cues::HUNGARIAN);
            let bare = inflect::without_case(own.text).filter(|_| is_case);
            let bare = bare.map(|bare| word(own.start, bare));
            if let Some(bare) = bare.filter(Word::is_upper)
                && context.is_distinctive(&bare.lower)?
            {
                self.add_fragment(name.of(std::slice::from_ref(&bare)), context)?;
            }
        }
        Ok(())
    }

    pub(super) fn add_fragment(&mut self, part: Text<'_>, context: &Context<'_>) -> Result<()> {
        let fragment = part.words;
        let (Some(first), Some(last)) = (fragment.first(), fragment.last()) else {
            return Ok(());
        };
        let joined = joined(fragment);
        let letters = joined.chars().count();
        let is_single = fragment.len() == 1;
        let is_particle = first.is_small() && last.is_upper();
        let case = if (first.is_upper() || is_particle) && fragment.len() < 4 {
            Case::Capital
        } else {
            single(letters)
        };
        let are_capitals = fragment.iter().all(|it| it.is_small() || it.is_upper());
        let is_brand = is_single && context.is_brand(first, self.label.as_deref())?;
        let case = if is_brand { Case::Any } else { case };
        let is_common = is_single && !is_brand && context.is_common(&joined)?;
        let key = Key {
            splits: Some(splits(fragment)),
            compounds: is_single && letters >= 5 && !is_common,
            // The plural of a trade in the name is another thing: "Imprese Edili".
            tokens: if !is_single
                && all_of(fragment, Cues::GENERIC)
                && words(part.content)
                    .iter()
                    .any(|word| !is_ordinary(&word.lower))
            {
                Vec::new()
            } else {
                self.tokens(fragment, context)
            },
            ordinary: match ordinary(fragment) {
                Ordinary::No if !is_single && are_capitals => Ordinary::Words,
                ordinary => ordinary,
            },
            lower_forms: !is_common
                && letters >= min_lower(case, context.families)
                && !ends_in_trade(&joined),
            ..Key::word(joined, case)
        };
        if part.content[first.start..last.end()].contains(['&', '+'])
            || fragment.iter().any(|word| AND.contains(&&*word.lower))
        {
            self.add_and(&key, fragment);
        }
        self.push(key);
        Ok(())
    }
}

/// Words of offices that are named after their territory, such as `préfecture`.
static TERRITORIES: List = List::new(include_str!("../tables/territories.txt"));

/// Whether a word follows a given name, or a word for brothers.
fn is_family(name: &[Word<'_>], word: &Word<'_>) -> bool {
    static BROTHERS: List =
        List::new("gebrüder gebr hermanos irmãos fratelli frères brødrene bröderna bracia");
    let announces = |word: &Word<'_>| is_given(word) || BROTHERS.has(&word.lower);
    let mut pairs = name.windows(2);
    pairs.any(|pair| pair[1] == *word && announces(&pair[0]) && pair[0].is_upper())
}

/// In lower case such a compound is an ordinary word: `Pilvipalvelu`.
pub(super) fn ends_in_trade(word: &str) -> bool {
    const MIN_LETTERS: usize = 4;
    word.char_indices()
        .skip(MIN_LETTERS)
        .filter(|(at, _)| word[*at..].chars().nth(MIN_LETTERS - 1).is_some())
        .any(|(at, _)| cues::are_of(&word[at..], Cues::GENERIC))
}
