use super::{Context, Cues, Names, Result, Text, inflect};
use crate::redact::words::word;

impl Names {
    /// Forms by which a text shortens a name, and which the name itself lacks.
    pub(super) fn add_shortened(&mut self, name: Text<'_>, context: &Context<'_>) -> Result<()> {
        if context.families.intersects(Cues::HUNGARIAN) {
            self.add_without_case(name, context)?;
        }
        self.add_first(name, context)
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
