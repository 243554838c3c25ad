use super::{Case, Context, Cues, Key, Names, Result, Text, Word, inflect};
use crate::redact::{vocabulary::listed, words::word};

/// Trades at the beginning of compounds.
const FRONTS: &str =
    "agro auto bio eco eko euro hydro hidro inter multi petro tele thermo termo trans";
/// In letters, less one.
const MIN_REST: usize = 5;

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
            // "Guaxipira" of "Agroguaxipira", which is no word of the name by itself.
            if let Some(rest) = listed(FRONTS).find_map(|front| own.lower.strip_prefix(front))
                && rest.chars().nth(MIN_REST).is_some()
                && rest.is_char_boundary(1)
            {
                let rest = rest[..1].to_uppercase() + &rest[1..];
                let rest = word(own.end() - rest.len(), &rest);
                if context.is_distinctive(&rest.lower)?
                    && context.is_used_as_name(&rest, name.words)?
                {
                    self.push(Key::word(rest.lower.to_string(), Case::Capital));
                }
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
