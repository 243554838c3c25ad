use super::{Context, Cues, Names, Result, Text, Word, inflect};
use crate::redact::words::word;

impl Names {
    /// Forms by which a text shortens a name, and which the name itself lacks.
    pub(super) fn add_shortened(&mut self, name: Text<'_>, context: &Context<'_>) -> Result<()> {
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
        self.add_first(name, context)
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
