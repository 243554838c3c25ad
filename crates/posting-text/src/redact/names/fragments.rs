//! Parts of a name that stand for it.

use super::{
    AND, Case, Context, Cues, Exceeded, Key, MAX_SPELLINGS, Names, Ordinary, Word,
    form::is_cased,
    is_ordinary, joined, single,
    spell::{min_lower, ordinary},
};
use crate::redact::key::splits;

impl Names {
    /// Adds parts of a name that stand for it: its first words, and the words that are proper to
    /// it, with or without the trades before and after them.
    pub(super) fn add_fragments(
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
            if !is_long || !(is_proper || is_labelled) || is_ordinary(&word.lower) {
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
            ordinary: if is_single {
                Ordinary::No
            } else {
                ordinary(fragment)
            },
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
}
