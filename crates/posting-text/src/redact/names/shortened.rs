use super::{
    Case, Context, Cues, Key, Names, Result, Text, Word, fragments::ends_in_trade, inflect,
};
use crate::redact::words::word;

impl Names {
    /// Forms by which a text shortens a name, and which the name itself lacks.
    pub(super) fn add_shortened(&mut self, name: Text<'_>, context: &Context<'_>) -> Result<()> {
        let has = |families| context.families.intersects(families);
        if has(Cues::ROMANCE | Cues::ROMANIAN) {
            self.add_without_attribute(name, context)?;
        }
        if has(Cues::HUNGARIAN) {
            self.add_without_case(name, context)?;
        }
        if has(Cues::NORDIC) {
            self.add_office(name.words, context);
        }
        self.add_first(name, context)
    }

    /// `Farmácia do Jatobá` of `Farmácia Popular do Jatobá`.
    fn add_without_attribute(&mut self, name: Text<'_>, context: &Context<'_>) -> Result<()> {
        let [first, rest @ ..] = name.words else {
            return Ok(());
        };
        let small = rest.iter().position(Word::is_small).unwrap_or_default();
        let (attributes, end) = rest.split_at(small);
        let is_proper = |word: &Word<'_>| !word.is_generic() && !word.is_small();
        if first.is_generic()
            && !attributes.is_empty()
            && attributes.iter().all(Word::is_generic)
            && end.iter().any(is_proper)
        {
            let short: Vec<Word<'_>> = std::iter::once(first).chain(end).cloned().collect();
            self.add_fragment(name.of(&short), context)?;
        }
        Ok(())
    }

    /// `Kerekerdő` of `Pékség a Kerekerdőhöz`, which takes other endings.
    fn add_without_case(&mut self, name: Text<'_>, context: &Context<'_>) -> Result<()> {
        for pair in name.words.windows(2).filter(|pair| pair[0].is_small()) {
            let Some(bare) = inflect::without_case(pair[1].text) else {
                continue;
            };
            let bare = word(pair[1].start, bare);
            if bare.is_upper() && context.is_distinctive(&bare.lower)? {
                self.add_fragment(name.of(std::slice::from_ref(&bare)), context)?;
            }
        }
        Ok(())
    }

    /// `Innkjøpstilsynet`, with a capital, of `Statens innkjøpstilsyn`.
    fn add_office(&mut self, core: &[Word<'_>], context: &Context<'_>) {
        let [whose, office] = core else { return };
        if whose.is_generic() && !office.is_upper() && ends_in_trade(&office.lower) {
            let key = Key {
                tokens: self.tokens(std::slice::from_ref(office), context),
                ..Key::word(office.lower.to_string(), Case::Capital)
            };
            self.push(key);
        }
    }

    /// A first word that is a workplace: `Nova` of `Nova Install` in `Kom werken bij Nova`.
    fn add_first(&mut self, name: Text<'_>, context: &Context<'_>) -> Result<()> {
        let [first, _, ..] = name.words else {
            return Ok(());
        };
        let is_telling = first.is_upper()
            && first.letters() >= 4
            && first.is_generic()
            && !first.is(Cues::PLACE)
            && !context.is_place(&first.lower);
        if is_telling && context.is_joined(first, name.words)? {
            self.add_fragment(name.of(std::slice::from_ref(first)), context)?;
        }
        Ok(())
    }
}
