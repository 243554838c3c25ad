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
        Ok(())
    }
}
